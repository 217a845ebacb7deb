import { inject } from 'vitest';
import type { ProfileName } from '../../src/playground/file-service/index.ts';

declare module 'vitest' {
  interface ProvidedContext {
    serviceProfile?: ProfileName;
  }
}

/** The embedded file service's profile in this run; `vitest.config.ts` provides it. */
export const serviceProfile: ProfileName = inject('serviceProfile') ?? 'specified';

/** Returns the expectation for this run's profile, where people can see the difference. */
export function byProfile<T>(expected: Record<ProfileName, T>): T {
  return expected[serviceProfile];
}

/**
 * Returns a refusal with its `cause`, which follows from the status; no numeric code of a real
 * account is known.
 */
export function refusedFor(cause: string): string {
  return byProfile({ specified: cause, real: 'the file service refused it' });
}

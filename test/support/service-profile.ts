import { inject } from 'vitest';
import type { ProfileName } from '../../src/playground/file-service/index.ts';

declare module 'vitest' {
  interface ProvidedContext {
    serviceProfile?: ProfileName;
  }
}

/** The profile that the embedded file service has in this run; vitest.config.ts provides it. */
export const serviceProfile: ProfileName = inject('serviceProfile') ?? 'specified';

/** What is expected where the profiles differ in what people can see. */
export function byProfile<T>(expected: Record<ProfileName, T>): T {
  return expected[serviceProfile];
}

/** A refusal with its `cause`, which a status tells, and no number of real accounts that is known. */
export function refusedFor(cause: string): string {
  return byProfile({ specified: cause, real: 'the file service refused it' });
}

import { inject } from 'vitest';
import type { ProfileName } from '../../src/playground/file-service/index.ts';

declare module 'vitest' {
  interface ProvidedContext {
    serviceProfile?: ProfileName;
  }
}

/** The profile that the embedded file service has in this run; vitest.config.ts provides it. */
export const serviceProfile: ProfileName = inject('serviceProfile') ?? 'specified';

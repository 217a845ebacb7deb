import { defineConfig } from 'vitest/config';
import { LongFirst } from '../support/long-first.ts';

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // An app that was killed is waited for more than it works.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    disableConsoleIntercept: true,
    setupFiles: 'test/support/seed.ts',
    projects: [
      { extends: true, test: { name: 'crash', include: ['test/crash/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'crash-real',
          include: ['test/crash/lossless-{catch-up,faults}.test.ts'],
          provide: { serviceProfile: 'real' },
        },
      },
    ],
  },
});

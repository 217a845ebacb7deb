import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // An app that was killed is waited for more than it works.
    maxWorkers: 4,

    disableConsoleIntercept: true,
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

import { configDefaults, defineConfig } from 'vitest/config';

const FLOWS = 'test/flow/**/*.test.ts';

export default defineConfig({
  test: {
    // No test asserts a time; these only end one that hangs, on however slow a machine.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            FLOWS,
            'test/crash/**',
            'test/browser/**',
            'test/scale/**',
          ],
        },
      },
      flowsAgainst('specified'),
      flowsAgainst('real'),
    ],
  },
});

/** The whole ways, with the file service in that profile. */
function flowsAgainst(serviceProfile: 'specified' | 'real') {
  return {
    extends: true as const,
    test: { name: `flow-${serviceProfile}`, include: [FLOWS], provide: { serviceProfile } },
  };
}

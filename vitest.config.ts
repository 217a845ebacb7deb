import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';

const FLOWS = 'test/flow/**/*.test.ts';
const SUITES_OF_THEIR_OWN = ['test/crash/**', 'test/browser/**', 'test/scale/**'];

export default defineConfig({
  test: {
    // No test asserts a time; these only end one that hangs, on however slow a machine.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Most tests wait for sockets and timers: more at once than there are processors.
    maxWorkers: 5,
    // Files share a worker, and with it the modules that are loaded: a third of the time went there.
    isolate: false,
    // Processes that tests start load what others have compiled.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    globalSetup: 'test/support/folder-in-memory.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, FLOWS, ...SUITES_OF_THEIR_OWN],
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

import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongFirst } from './support/long-first.ts';

/** The whole app: over real HTTP, with an embedded Slack and file service, and as processes of its own. */
const WHOLE_WAYS = [
  ...['test/flow/**/*.test.ts', 'test/attacks/**/*.test.ts'],
  ...['test/main.test.ts', 'test/playground/{start,app-runner}.test.ts'],
  'test/docs/run-commands.test.ts',
  'test/playground/page-server/**/*.test.ts',
];
/**
 * Ways that meet the same with any account: all that is special is what Slack, or the process, does. What
 * people see and use is tried with both.
 */
const WITH_ANY_ACCOUNT = [
  ...['bad-slack-files', 'catch-up-after-{join,link}', 'edited-share', 'email-files'],
  ...['left-channel', 'log', 'lossless-{backfill,ledger}', 'missing-scopes', 'no-secrets'],
  ...['progress', 'refused-token', 'replays', 'requests', 'restart-window', 'shared-ledger'],
  ...['slack-hosts', 'socket-mode', 'stop'],
].map((name) => `test/flow/${name}.test.ts`);
const SUITES_OF_THEIR_OWN = [
  'test/crash/**',
  'test/browser/**',
  'test/scale/**',
  'test/image/**',
  ...WHOLE_WAYS,
];

// Workers, and the processes that tests start, load what others have compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/compiled');

export default defineConfig({
  test: {
    // No test asserts a time; these only end one that hangs, on however slow a machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // Many tests wait for sockets and timers: more at once than there are processors, and not so many
    // that loading the sources in each takes longer than the waits.
    maxWorkers: 6,
    // Files share a worker, and with it the modules that are loaded: a third of the time went there.
    isolate: false,
    // Node.js itself loads the sources, as it does in production.
    experimental: { viteModuleRunner: false },
    // Tests that run side by side wait more than they work.
    maxConcurrency: 8,
    // Most of what tests make is thrown away at once: clearing that up took a tenth of the time. Rarely,
    // and in one thread, is cheapest: the other processors have other workers to serve. Much of the code
    // runs a few times only: compiled plainly at once, it costs less than read again each time.
    execArgv: [
      '--min-semi-space-size=64',
      '--max-semi-space-size=64',
      '--single-threaded-gc',
      '--always-sparkplug',
    ],
    sequence: { sequencer: LongFirst },
    globalSetup: 'test/support/folder-in-memory.ts',
    setupFiles: 'test/support/seed.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'rooms',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...SUITES_OF_THEIR_OWN],
        },
      },
      { extends: true, test: { name: 'flow', include: WHOLE_WAYS } },
      // The ways that an account's own behaviour changes, with the file service as real accounts behave.
      {
        extends: true,
        test: {
          name: 'flow-real',
          include: ['test/flow/**/*.test.ts'],
          exclude: WITH_ANY_ACCOUNT,
          provide: { serviceProfile: 'real' },
        },
      },
    ],
  },
});

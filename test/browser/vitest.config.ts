import { defineConfig } from 'vitest/config';
import { LongFirst } from '../support/long-first.ts';

export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    // No test asserts a time; these only end one that hangs, on however slow a machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // Each file has a playground and a browser of its own, and waits for them half of its time.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
  },
});

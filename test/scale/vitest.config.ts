import { defineConfig } from 'vitest/config';
import { LongFirst } from '../support/long-first.ts';

export default defineConfig({
  test: {
    include: ['test/scale/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 30_000,
    // Each file starts servers of its own, and most of its time it waits for a window to pass.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
  },
});

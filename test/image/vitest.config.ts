import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/image/**/*.test.ts'],
    // A whole install of packages is one step.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});

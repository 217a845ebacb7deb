import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/crash/**', 'test/browser/**', 'test/scale/**'],
    // No test asserts a time; these only end one that hangs, on however slow a machine.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});

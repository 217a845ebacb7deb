import { expect, it } from 'vitest';
import { orNull } from '../../src/base/index.ts';

const expected = new Error('expected');
const isExpected = (error: unknown) => error === expected;

it('orNull resolves like the promise, and to null after an expected error', async () => {
  await expect(orNull(Promise.resolve(1), isExpected)).resolves.toBe(1);
  await expect(orNull(Promise.reject(expected), isExpected)).resolves.toBeNull();
});

it('orNull rejects with any other error', async () => {
  const other = new Error('other');
  await expect(orNull(Promise.reject(other), isExpected)).rejects.toBe(other);
});

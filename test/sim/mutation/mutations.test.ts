import { expect, it } from 'vitest';
import { mutatedTexts } from './mutate.ts';
import { MUTATIONS } from './mutations.ts';

it.each(MUTATIONS)('a planted bug fits the source: $name', (mutation) => {
  expect(mutatedTexts(mutation).get(mutation.file)).toContain(mutation.replace);
});

it('a planted bug that no longer fits is named in the error', () => {
  const mutation = { name: 'odd', file: 'src/main.ts', find: 'not there', replace: '' };
  expect(() => mutatedTexts(mutation)).toThrow('"odd" does not fit src/main.ts any more');
});

it('the planted bugs are at least fifteen, each with a name of its own', () => {
  expect(new Set(MUTATIONS.map(({ name }) => name)).size).toBe(MUTATIONS.length);
  expect(MUTATIONS.length).toBeGreaterThanOrEqual(15);
});

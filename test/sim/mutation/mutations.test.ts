import { expect, it } from 'vitest';
import { plantedTexts } from './mutate.ts';
import { PLANTED_BUGS } from './mutations.ts';

it.each(PLANTED_BUGS)('a planted bug fits the source: $name', (bug) => {
  expect(plantedTexts(bug).get(bug.file)).toContain(bug.replace);
});

it('a planted bug that no longer fits is named in the error', () => {
  const bug = { name: 'odd', file: 'src/main.ts', find: 'not there', replace: '' };
  expect(() => plantedTexts(bug)).toThrow('"odd" does not fit src/main.ts any more');
});

it('the planted bugs are at least fifteen, each with a name of its own', () => {
  expect(new Set(PLANTED_BUGS.map(({ name }) => name)).size).toBe(PLANTED_BUGS.length);
  expect(PLANTED_BUGS.length).toBeGreaterThanOrEqual(15);
});

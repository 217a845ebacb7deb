import { expect, it } from 'vitest';
import { plantedTexts } from './plant.ts';
import { PLANTED_BUGS } from './planted-bugs.ts';

it.each(PLANTED_BUGS)('fits the source: $name', (bug) => {
  expect(plantedTexts(bug).get(bug.file)).toContain(bug.replace);
});

it('says of a bug that fits no more which it is', () => {
  const bug = { name: 'odd', file: 'src/main.ts', find: 'not there', replace: '' };
  expect(() => plantedTexts(bug)).toThrow('"odd" does not fit src/main.ts any more');
});

it('has at least fifteen, each with a name of its own', () => {
  expect(new Set(PLANTED_BUGS.map(({ name }) => name)).size).toBe(PLANTED_BUGS.length);
  expect(PLANTED_BUGS.length).toBeGreaterThanOrEqual(15);
});

import { expect, it } from 'vitest';
import { oncePer } from '../../src/base/index.ts';

it('oncePer makes a value once for each object, also an empty one', () => {
  const made: number[] = [];
  const sizeOf = oncePer((list: readonly number[]) => {
    made.push(list.length);
    return list.length;
  });
  const [one, other] = [[1, 2, 3], []];
  expect([one, other, one, other].map(sizeOf)).toEqual([3, 0, 3, 0]);
  expect(made).toEqual([3, 0]);
});

import { expect, it } from 'vitest';
import { pageOf } from '../../src/blocks/layout.ts';

it('pageOf returns the nearest page that exists', () => {
  expect(pageOf(['a', 'b', 'c'], 2, 2)).toEqual({ items: ['c'], page: 2, pages: 2 });
  expect(pageOf(['a', 'b', 'c'], 2, 9)).toEqual({ items: ['c'], page: 2, pages: 2 });
  expect(pageOf(['a'], 2, -1)).toEqual({ items: ['a'], page: 1, pages: 1 });
  expect(pageOf([], 2, 1)).toEqual({ items: [], page: 1, pages: 1 });
});

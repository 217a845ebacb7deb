import { expect, it } from 'vitest';
import { believedWait } from '../../src/base/index.ts';

it.each([
  [0, 0],
  [600_000, 600_000],
  [600_001, 600_000],
  [Number.POSITIVE_INFINITY, 600_000],
  [-1, undefined],
  [Number.NaN, undefined],
])('%d ms asked for is %d ms waited', (asked, waited) => {
  expect(believedWait(asked)).toBe(waited);
});

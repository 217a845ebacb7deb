import { expect, it } from 'vitest';
import { backoff, cappedWait } from '../../src/base/index.ts';

const waits = { firstMs: 1_000, longestMs: 30_000 };

it('backoff doubles from the first wait up to the longest', () => {
  const failures = [0, 1, 2, 3, 5, 6, 1_000];
  expect(failures.map((count) => backoff(count, { ...waits, fraction: 0.5 }))).toEqual([
    1_000, 1_000, 2_000, 4_000, 16_000, 30_000, 30_000,
  ]);
});

it('backoff spreads the wait by half either way and never goes below atLeastMs', () => {
  expect(backoff(1, { ...waits, fraction: 0 })).toBe(500);
  expect(backoff(1, { ...waits, fraction: 0.999 })).toBe(1_499);
  expect(backoff(1, { ...waits, fraction: 0, atLeastMs: 700 })).toBe(700);
});

it.each([
  [0, 0],
  [600_000, 600_000],
  [600_001, 600_000],
  [Number.POSITIVE_INFINITY, 600_000],
  [-1, undefined],
  [Number.NaN, undefined],
])('cappedWait of a requested wait of %d ms returns %d', (asked, waited) => {
  expect(cappedWait(asked)).toBe(waited);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { median, most, percentile, shown, shownMiB, shownPercent, shownRatio } from './figures.ts';

const values = fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1 });

describe('median', () => {
  it('is the middle value, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 6])).toBe(5.5);
  });

  it('is NaN for an empty list', () => {
    expect(median([])).toBeNaN();
  });

  it('has as many values on either side', () => {
    fc.assert(
      fc.property(values, (some) => {
        const below = some.filter((value) => value < median(some)).length;
        const above = some.filter((value) => value > median(some)).length;
        expect(Math.max(below, above)).toBeLessThanOrEqual(some.length / 2);
      }),
    );
  });
});

describe('percentile', () => {
  it('is one of the values, by the nearest-rank method', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile([7], 0.95)).toBe(7);
  });

  it('is exceeded by no more than the rest', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (some, share) => {
        const above = some.filter((value) => value > percentile(some, share)).length;
        expect(above).toBeLessThanOrEqual((1 - share) * some.length + 1e-9);
      }),
    );
  });

  it('counts a response that never came as the longest', () => {
    expect(most([3, Number.POSITIVE_INFINITY, 5])).toBe(Number.POSITIVE_INFINITY);
  });
});

it('shown prints the significant digits, and a dash for a missing figure', () => {
  const figures = [0.01234, 1.234, 12.34, 123.4, 7, Number.NaN, Number.POSITIVE_INFINITY];
  expect(figures.map(shown)).toEqual(['0.012', '1.23', '12.3', '123', '7', '–', 'never']);
});

it('the table’s figures print ratios, shares and sizes', () => {
  expect([shownRatio(3, 2), shownRatio(3, Number.NaN)]).toEqual(['1.50×', '–']);
  expect([shownPercent(0.9234), shownPercent(Number.NaN)]).toEqual(['92.3%', '–']);
  expect(shownMiB(3.5 * 1024 * 1024)).toBe('3.50');
});

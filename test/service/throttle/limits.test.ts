import { describe, expect, test } from 'vitest';
import { personalSlots, slotsOf } from '../../../src/service/throttle/limits.ts';

describe('the share of the slots', () => {
  test.each([
    [25, { interactive: 17, bulk: 24 }],
    [12, { interactive: 8, bulk: 11 }],
    [4, { interactive: 3, bulk: 3 }],
    [3, { interactive: 2, bulk: 3 }],
    [1, { interactive: 1, bulk: 1 }],
  ])('is split for %i slots so that neither lane has all of four or more', (slots, shares) => {
    expect(slotsOf(slots)).toEqual(shares);
  });

  test('is for one person two thirds of the interactive slots, and less of the last sixth', () => {
    expect([25, 5, 4, 0].map((free) => personalSlots(25, free))).toEqual([11, 11, 6, 6]);
    expect([personalSlots(12, 12), personalSlots(2, 2), personalSlots(1, 0)]).toEqual([5, 1, 1]);
  });
});

import { expect, it } from 'vitest';
import { counted, shownAge, shownClock, shownSize, shownSpan } from '../../src/blocks/format.ts';

it('agrees in number', () => {
  expect([0, 1, 2, 4000].map((count) => counted(count, 'file'))).toEqual([
    '0 files',
    '1 file',
    '2 files',
    '4,000 files',
  ]);
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [9_949, '9.9 kB'],
  [9_950, '10 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [1_234_567, '1.2 MB'],
  [18_000_000, '18 MB'],
  [4_294_967_296, '4.3 GB'],
  [-5, '0 B'],
])('%d bytes are %s', (bytes, shown) => {
  expect(shownSize(bytes)).toBe(shown);
});

it.each([
  [0, '1 s'],
  [4_900, '4 s'],
  [60_000, '1 min'],
  [3 * 3_600_000, '3 h'],
  [24 * 3_600_000, '1 day'],
  [50 * 3_600_000, '2 days'],
])('%d ms are %s', (ms, shown) => {
  expect(shownSpan(ms)).toBe(shown);
});

it('says how long ago, and the date when that is long', () => {
  const now = Date.UTC(2025, 2, 14, 14, 30);
  const ages = [-5_000, 10_000, 300_000, 3 * 3_600_000, 8 * 24 * 3_600_000];
  expect(ages.map((age) => shownAge(now - age, now))).toEqual([
    'just now',
    'just now',
    '5 min ago',
    '3 h ago',
    '6 Mar 2025',
  ]);
});

it('says the time in UTC, and bears times that are none', () => {
  expect(shownClock(Date.UTC(2025, 2, 14, 14, 32))).toBe('14:32 UTC');
  expect(shownAge(-9e15, 0)).toBe('an unknown date');
  expect(() => shownClock(Number.NaN)).not.toThrow();
});

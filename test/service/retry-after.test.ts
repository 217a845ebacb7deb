import { expect, test } from 'vitest';
import { parseRetryAfter } from '../../src/service/requests/retry-after.ts';

const answeredAt = Date.parse('Mon, 05 Jan 2026 09:00:00 GMT');

test.each<[string | undefined, number]>([
  ['4', 4_000],
  [' 10 ', 10_000],
  ['0', 0],
  ['1.5', 1_500],
  ['7200', 7_200_000],
  ['86400', 86_400_000],
  ['99999999', 86_400_000],
  ['Mon, 05 Jan 2026 09:00:07 GMT', 7_000],
  ['Monday, 05-Jan-26 09:00:07 GMT', 7_000],
  ['Tue, 06 Jan 2026 09:00:00 GMT', 86_400_000],
  ['Wed, 07 Jan 2026 09:00:00 GMT', 86_400_000],
  ['Mon, 05 Jan 2026 08:59:00 GMT', 10_000],
  [undefined, 10_000],
  ['', 10_000],
  ['-5', 10_000],
  ['soon', 10_000],
  ['2026', 2_026_000],
  ['1e3', 10_000],
  ['Infinity', 10_000],
])('Retry-After %j asks for %i ms', (value, expected) => {
  expect(parseRetryAfter({ value, answeredAt })).toBe(expected);
});

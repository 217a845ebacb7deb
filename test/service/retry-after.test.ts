import { expect, test } from 'vitest';
import { parseRetryAfter } from '../../src/service/requests/retry-after.ts';

const answeredAt = Date.parse('Mon, 05 Jan 2026 09:00:00 GMT');

test.each<[string | undefined, number]>([
  ['4', 4_000],
  [' 10 ', 10_000],
  ['0', 0],
  ['1.5', 1_500],
  ['600', 600_000],
  ['601', 600_000],
  ['86400', 600_000],
  ['9'.repeat(400), 600_000],
  ['Mon, 05 Jan 2026 09:00:07 GMT', 7_000],
  ['Monday, 05-Jan-26 09:00:07 GMT', 7_000],
  ['Tue, 06 Jan 2026 09:00:00 GMT', 600_000],
  ['Mon, 05 Jan 2026 08:59:00 GMT', 10_000],
  [undefined, 10_000],
  ['', 10_000],
  ['-5', 10_000],
  ['soon', 10_000],
  ['26', 26_000],
  ['1e3', 10_000],
  ['Infinity', 10_000],
])('Retry-After %j asks for %i ms', (value, expected) => {
  expect(parseRetryAfter({ value, answeredAt })).toBe(expected);
});

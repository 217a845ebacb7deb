import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cleanText,
  counted,
  cut,
  escapeMrkdwn,
  shownAge,
  shownClock,
  shownName,
  shownSize,
  shownSpan,
} from '../../../src/surfaces/kit/text.ts';
import { anyName } from '../../support/odd-names.ts';

describe('shownName', () => {
  it.each([
    ['report.pdf', 'report.pdf'],
    ['', 'unnamed file'],
    [' \u200B\n ', 'unnamed file'],
    ['\u2800', 'unnamed file'],
    ['a\nb.txt', 'a b.txt'],
    ['\u202Efdp.exe', 'fdp.exe'],
    ['\u2066hidden\u2069.pdf', 'hidden.pdf'],
    ['חשבון.pdf', '\u2068חשבון.pdf\u2069'],
    ['résumé 📎.pdf', 'résumé 📎.pdf'],
    ['<!channel>.txt', '<!channel>.txt'],
    ['a\uD800b.txt', 'a\uFFFDb.txt'],
    [`${'x'.repeat(251)}.pdf`, `${'x'.repeat(47)}…${'x'.repeat(8)}.pdf`],
    ['📎'.repeat(100), `${'📎'.repeat(51)}…${'📎'.repeat(8)}`],
  ])('%j is shown as %j', (raw, name) => {
    expect(shownName(raw)).toBe(name);
  });

  it('is one short line, never empty, with the same extension', () => {
    fc.assert(
      fc.property(anyName, (raw) => {
        const name = shownName(raw);
        const inner = name.replace(/^\u2068(.*)\u2069$/su, '$1');
        expect(Array.from(inner).length).toBeLessThanOrEqual(60);
        expect(inner).toMatch(/\S/);
        expect(inner).not.toMatch(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u);
        expect(name.isWellFormed()).toBe(true);
        const extension = /\.[a-z]{1,8}$/.exec(cleanText(raw))?.[0] ?? '';
        expect(inner.endsWith(extension) || inner === 'unnamed file').toBe(true);
      }),
    );
  });
});

describe('cut', () => {
  it('keeps within the limit and cuts no character in half', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, max) => {
        const short = cut(text, max);
        expect(short.length).toBeLessThanOrEqual(max);
        expect(short.isWellFormed()).toBe(true);
        if (text.length <= max) expect(short).toBe(text);
        else expect(short.endsWith('…')).toBe(true);
      }),
    );
  });
});

it('escapeMrkdwn escapes &, < and > exactly once', () => {
  expect(escapeMrkdwn('<!here> & &lt;')).toBe('&lt;!here&gt; &amp; &amp;lt;');
});

it('counted puts the noun in the singular for one only', () => {
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
])('%d bytes are shown as %s', (bytes, shown) => {
  expect(shownSize(bytes)).toBe(shown);
});

it.each([
  [0, '1 s'],
  [4_900, '4 s'],
  [60_000, '1 min'],
  [3 * 3_600_000, '3 h'],
  [24 * 3_600_000, '1 day'],
  [50 * 3_600_000, '2 days'],
])('%d ms are shown as %s', (ms, shown) => {
  expect(shownSpan(ms)).toBe(shown);
});

it('shownAge says how long ago a time is, or the date if it is long ago', () => {
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

it('shownClock gives the time in UTC, and invalid times do not throw', () => {
  expect(shownClock(Date.UTC(2025, 2, 14, 14, 32))).toBe('14:32 UTC');
  expect(shownAge(-9e15, 0)).toBe('an unknown date');
  expect(() => shownClock(Number.NaN)).not.toThrow();
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, cut, escapeMrkdwn, shownName } from '../../src/blocks/text.ts';
import { anyName } from '../support/odd-names.ts';

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

it('escapes what mrkdwn would act on, once', () => {
  expect(escapeMrkdwn('<!here> & &lt;')).toBe('&lt;!here&gt; &amp; &amp;lt;');
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindOf, nameMatcher, searchText } from '../../src/core/index.ts';
import { alikeNames, decodeHtml, fileName, sameName } from '../../src/core/names.ts';
import { shownName } from '../../src/surfaces/kit/text.ts';
import { anyName } from '../support/odd-names.ts';

const named = (name: string | null, more: { title?: string; filetype?: string } = {}) =>
  fileName({ id: 'F1', name, title: more.title ?? null, filetype: more.filetype ?? null });

describe('fileName', () => {
  it.each([
    'report.pdf',
    '"a" \'b\'.txt',
    '<!channel>.txt',
    'résumé 📎.pdf',
    '\u202Efdp.exe',
    '.env',
  ])('leaves %j unchanged', (name) => {
    expect(named(name)).toBe(name);
  });

  it.each([
    ['a\r\nb.txt', 'a b.txt'],
    ['../../etc/passwd', '..-..-etc-passwd'],
    ['C:\\x', 'C:-x'],
    ['  padded.txt  ', 'padded.txt'],
    ['a\uD800b', 'a\uFFFDb'],
  ])('turns %j into one line without a path: %j', (name, made) => {
    expect(named(name)).toBe(made);
  });

  it('uses the title, then the identifier, when there is no name', () => {
    expect(named(null, { title: 'My notes', filetype: 'txt' })).toBe('My notes.txt');
    expect(named(null, { title: 'My notes.TXT', filetype: 'txt' })).toBe('My notes.TXT');
    expect(named('', { filetype: 'pdf' })).toBe('unnamed-F1.pdf');
    for (const filetype of ['auto', 'binary', '../x'])
      expect(named('..', { filetype })).toBe('unnamed-F1');
  });

  it('takes a name of which nothing is visible for none', () => {
    for (const name of ['\u200B\u2060', '\u202E..\u200B', '\u2800', '\u3164.', '\uFEFF'])
      expect(named(name, { title: '\u200F', filetype: 'pdf' })).toBe('unnamed-F1.pdf');
    expect(named('\u202E', { title: 'Plan' })).toBe('Plan');
    expect(named('\u202Efdp.\u200B')).toBe('\u202Efdp.\u200B');
  });

  it('uses the title with the extension when Slack gives a dash as the name', () => {
    expect(named('-.txt', { title: '会議メモ', filetype: 'text' })).toBe('会議メモ.txt');
    expect(named('-', { title: 'Untitled', filetype: 'quip' })).toBe('Untitled');
    expect(named('-.txt')).toBe('-.txt');
    expect(named('-a.txt', { title: 'Other' })).toBe('-a.txt');
  });

  it('keeps the extension of a long name', () => {
    const made = named(`${'📎'.repeat(300)}.tar`);
    expect(Array.from(made)).toHaveLength(255);
    expect(made.endsWith('📎.tar')).toBe(true);
  });

  it('returns one line of 1 to 255 characters that is no path, for any name', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const made = named(name);
        expect(made.isWellFormed()).toBe(true);
        expect(made).not.toMatch(/[\p{Cc}\u2028\u2029/\\]/u);
        expect(made.trim()).not.toMatch(/^\.*$/);
        expect(Array.from(made).length).toBeLessThanOrEqual(255);
      }),
    );
  });
});

describe('alikeNames', () => {
  it.each([
    ['our plan.pdf', 'our_plan.pdf'],
    ['Our Plan.PDF', 'our-plan.pdf'],
    ['the "plan".pdf', 'the %22plan%22.pdf'],
    ['50% off.pdf', '50 off.pdf'],
    ['r\u00e9sum\u00e9.pdf', 're\u0301sume\u0301.pdf'],
    ['report.pdf', 'report (1).pdf'],
    ['our report.pdf', 'our_report_2.pdf'],
    ['report.pdf', 'report copy.pdf'],
    ['LICENCE', 'licence (2)'],
    ['R&D "plan".pdf', 'R&amp;D &quot;plan&quot;.pdf'],
    ['R&D plan.pdf', 'r&amp;d_plan (1).pdf'],
    ['a&amp;b.pdf', 'a&amp;b.pdf'],
    ['\u0915\u093c\u0932\u092e 2.pdf', '\u0958\u0932\u092e_2.pdf'],
    ['काल.pdf', 'काल (1).pdf'],
    ['I \u2764\ufe0f 1\ufe0f\u20e3.pdf', 'I_\u2764_1.pdf'],
  ])('returns true for %s kept as %s', (given, kept) => {
    expect(alikeNames(given, kept)).toBe(true);
  });

  it.each([
    ['report.pdf', 'reports.pdf'],
    ['scan1.bmp', 'scan10.bmp'],
    ['report.pdf', 'report.doc'],
    ['report (1).pdf', 'report.pdf'],
    ['report.pdf', 'report of the year.pdf'],
    ['\u{1f389}.png', '\u{1f384}.png'],
    ['कल.pdf', 'काल.pdf'],
    ['कार.pdf', 'कार्य.pdf'],
    ['ที่.pdf', 'ทู.pdf'],
  ])('returns false for %s kept as %s', (given, kept) => {
    expect(alikeNames(given, kept)).toBe(false);
  });

  it('takes time in proportion to the length of the names', () => {
    expect(alikeNames('b.txt', `bill${'!'.repeat(200_000)}.txt`)).toBe(false);
  });
});

describe('sameName', () => {
  it.each([
    ['R&D.pdf', 'R&amp;D.pdf'],
    ['R&amp;D.pdf', 'R&amp;D.pdf'],
    ['r\u00e9sum\u00e9.pdf', ' re\u0301sum&eacute;.pdf'],
  ])('returns true for %s kept as %s', (given, kept) => {
    expect(sameName(given, kept)).toBe(true);
  });

  it('returns false when only the given name is escaped', () => {
    expect(sameName('R&amp;D.pdf', 'R&D.pdf')).toBe(false);
  });
});

describe('decodeHtml', () => {
  it.each([
    ['R&amp;D', 'R&D'],
    ['&lt;draft&gt; &quot;one&quot;', '<draft> "one"'],
    ['it&#39;s it&#x27;s it&apos;s', "it's it's it's"],
    ['a&nbsp;b', 'a\u00a0b'],
    ['caf&eacute; &#233; &#xE9; &euro;', 'café é é €'],
  ])('decodes %j to %j', (escaped, plain) => {
    expect(decodeHtml(escaped)).toBe(plain);
  });

  it.each(['a&copy.pdf', 'x&y', 'R&D', '&;', '&nosuchname;', 'plain', ''])(
    'leaves %j unchanged',
    (text) => {
      expect(decodeHtml(text)).toBe(text);
    },
  );

  it('decodes only once, so that text that was escaped twice does not become markup', () => {
    expect(decodeHtml('&amp;lt;b&amp;gt;')).toBe('&lt;b&gt;');
  });
});

describe('nameMatcher', () => {
  it.each([
    ['report 2024', 'Report-2024.pdf'],
    ['2024 REPORT', 'report 2024.pdf'],
    ['resume', 'Résumé.pdf'],
    ['RÉSUMÉ', 'resume.pdf'],
    ['resume', 're\u0301sume\u0301.pdf'],
    ['strasse', 'Straße.txt'],
    ['istanbul', 'İstanbul.pdf'],
    ['ışık', 'IŞIK.pdf'],
    ['οδος', 'ΟΔΟΣ.PDF'],
    ['ΟΔΟΣ', 'οδοσήμανση.pdf'],
    ['ｆｉｌｅ', 'file.txt'],
    ['файл', 'ФАЙЛ.pdf'],
    ['報告', '年度報告書.docx'],
    ['r&d', 'R&amp;D plan.pdf'],
    ['amp', 'R&amp;D plan.pdf'],
    ['"annual report"', 'Annual report.pdf'],
    ['“annual report”', 'Annual report.pdf'],
    ['„annual“ «report»', 'Annual report.pdf'],
    ["'annual' ‘report’", 'Annual report.pdf'],
    ['« annual report »', 'Annual report.pdf'],
    ['"Q3" plan', '"Q3" plan.pdf'],
    ['5"', 'Screen 5".pdf'],
    ['"', 'Screen 5".pdf'],
    ["o'neill", "O'Neill.pdf"],
    [':rocket: plan', '🚀 Plan.pdf'],
    [':memo:', '📝☎️ calls.txt'],
    [':x', 'a:x:b.txt'],
    ['x:b:', 'a:x:b:.txt'],
    ['12:30:45', 'Log 12:30:45.txt'],
    ['', 'anything'],
    ['  ', 'anything'],
  ])('matches %j to the name %j', (words, name) => {
    expect(nameMatcher(words)(searchText(name))).toBe(true);
  });

  it.each(['חשבון.pdf', 'גיליון 2025.xlsx', 'a\u200Bb.txt', '\u202Efdp.exe', 'گزارش\u200Cها.pdf'])(
    'matches the name %j, copied as texts show it',
    (name) => {
      expect(nameMatcher(shownName(name))(searchText(name))).toBe(true);
    },
  );

  it.each([
    ['report 2025', 'Report-2024.pdf'],
    ['report report2', 'report.pdf'],
    ['.*', 'report.pdf'],
    ['"annual report"', 'report.pdf'],
    ['"', 'report.pdf'],
    ['""', 'report.pdf'],
    [':rocket: plan', 'Plan.pdf'],
    [':acme:', 'Client:Globex:Plan.pdf'],
    [':30:', 'Log 12-30-45.txt'],
  ])('does not match %j to the name %j', (words, name) => {
    expect(nameMatcher(words)(searchText(name))).toBe(false);
  });
});

it('nameMatcher reads 255 characters of what was typed, as no name is longer', () => {
  const name = searchText('x'.repeat(255));
  expect(nameMatcher(`${'x'.repeat(255)}y`)(name)).toBe(true);
  expect(nameMatcher(`${'x'.repeat(254)}y`)(name)).toBe(false);
  expect(nameMatcher(`${' '.repeat(255)}y`)(name)).toBe(true);
});

it.each([
  ['a.PNG', null, 'image'],
  ['a.tar.gz', null, 'archive'],
  ['plan.pdf', 'image', 'document'],
  ['plan', 'pdf', 'document'],
  ['plan', null, 'other'],
  ['a.xyz', null, 'other'],
  ['a.constructor', null, 'other'],
  ['film.mp4', null, 'video'],
])('kindOf %s with file type %s returns %s', (name, fileType, kind) => {
  expect(kindOf({ name, fileType })).toBe(kind);
});

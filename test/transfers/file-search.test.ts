import { describe, expect, it } from 'vitest';
import { shownName } from '../../src/blocks/text.ts';
import { findNamed, findWords, kindOf } from '../../src/transfers/index.ts';

describe('findWords', () => {
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
    expect(findWords(words)(name)).toBe(true);
  });

  it.each(['חשבון.pdf', 'גיליון 2025.xlsx', 'a\u200Bb.txt', '\u202Efdp.exe', 'گزارش\u200Cها.pdf'])(
    'matches the name %j, copied as texts show it',
    (name) => {
      expect(findWords(shownName(name))(name)).toBe(true);
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
    expect(findWords(words)(name)).toBe(false);
  });
});

describe('findNamed', () => {
  it('matches records by name and reads each name once, however often it searches', () => {
    const reads = { count: 0 };
    const record = {
      get name() {
        reads.count += 1;
        return 'R&amp;D plan.pdf';
      },
    };
    const typed = ['plan', 'r&d plan', 'amp', 'budget', ''];
    expect(typed.map((words) => findNamed(words)(record))).toEqual([true, true, true, false, true]);
    expect(reads.count).toBe(1);
  });
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

import { describe, expect, it } from 'vitest';
import { FOUND_KIND } from '../../../src/surfaces/find/actions.ts';
import {
  type FoundFilesInput,
  foundFiles,
  type MissedFolders,
} from '../../../src/surfaces/find/found-files.ts';
import { chosenValue } from '../../../src/surfaces/kit/claims.ts';
import { buttonsOf, menusOf, shown } from '../../support/shown-view.ts';

const NOW = Date.UTC(2025, 2, 14, 14, 30);
const NONE: MissedFolders = { later: 0, shut: 0, beyond: 0 };
const FILE = {
  ...{ id: 1, name: 'report.pdf', sizeBytes: 12, createdAt: NOW - 60_000, sharedBy: null },
  ...{ mayDelete: false, creatorName: 'Bob', approvedCount: 0, proofCount: 0, fileType: 'pdf' },
  ...{ url: 'https://acme.example/1', messageUrl: null },
  isHere: false,
  folder: { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Invoices' },
};

function found(changes: Partial<FoundFilesInput>) {
  const claim = { words: '2024 report', kind: null, page: 1 };
  const counts = {
    pages: 1,
    kinds: { document: 1 },
    total: 9,
    folders: 2,
    missed: NONE,
    downAgeMs: null,
    now: NOW,
  };
  return foundFiles({ ...claim, ...counts, files: [FILE], ...changes });
}

const read = (blockId: string, option = '') => FOUND_KIND.read(chosenValue(blockId, option));

describe('foundFiles', () => {
  it('shows each file with its folder', () => {
    expect(shown(found({}))).toMatchInlineSnapshot(`
      "text: Files with “2024 report”
      1 file in your channels
      report.pdf in Accounts › Invoices
      12 B · 1 min ago · Bob
      # Files with “2024 report”
      - 1 file in your channels
      | [report.pdf → https://acme.example/1] in *Accounts › Invoices*
      - 12 B · 1 min ago · Bob"
    `);
  });

  it('has menus of pages and of types, in which each option carries its own claim', () => {
    const view = found({ page: 7, pages: 400, kinds: { image: 3, document: 3_997 } });
    const [pages, kinds] = menusOf(view);
    expect(pages?.options).toHaveLength(100);
    expect(pages?.initial?.text.text).toBe('Page 7');
    const claims = pages?.options.map((one) => read(pages.blockId, one.value));
    expect(claims?.[0]).toEqual({ words: '2024 report', kind: null, page: 1 });
    expect(claims?.at(-1)).toEqual({ words: '2024 report', kind: null, page: 400 });
    expect(kinds?.options.map(({ text }) => text.text)).toEqual([
      'All types (4,000)',
      'Images (3)',
      'Documents (3,997)',
    ]);
    const image = kinds?.options[1]?.value;
    expect(read(kinds?.blockId ?? '', image)).toEqual({
      words: '2024 report',
      kind: 'image',
      page: 1,
    });
    expect(buttonsOf(view).map(({ text }) => text.text)).toEqual(['Newer', 'Older']);
  });

  it('has buttons but no menus if the words are too long for a menu’s block ID', () => {
    const words = '"'.repeat(255);
    const view = found({ words, page: 2, pages: 3, kinds: { image: 3, document: 3 } });
    expect(menusOf(view)).toEqual([]);
    expect(FOUND_KIND.read(buttonsOf(view)[0]?.value)).toEqual({
      words,
      kind: null,
      page: 1,
    });
    expect(shown(view)).toContain('[Newer');
  });

  it('keeps the menu of types if no file is of the chosen type', () => {
    const view = found({ kind: 'image', files: [], kinds: { document: 2 } });
    expect(shown(view)).toContain('None of these files is of that type.');
    expect(menusOf(view)[0]?.options.map(({ text }) => text.text)).toContain('All types (2)');
  });

  it('says what could not be searched', () => {
    const said = (missed: Partial<MissedFolders>) =>
      shown(found({ missed: { ...NONE, ...missed } }))
        .split('\n')
        .findLast((one) => one.startsWith('- ') && !one.startsWith('- 12 B'));
    expect(said({ later: 1, shut: 1 })).toBe(
      '- 1 folder couldn’t be searched to the end. Try again in a minute. 1 folder is gone or closed to me.',
    );
    expect(said({ beyond: 1_000 })).toBe(
      '- I searched 50 folders; 1,000 are left. Type /files <words> in their channels.',
    );
  });

  it('does not call it no match, and gives the cause as large, while folders could not be read', () => {
    const nothing = { files: [], kinds: {}, total: 15, missed: { ...NONE, later: 2 } };
    expect(shown(found(nothing))).toMatchInlineSnapshot(`
      "text: Files with “2024 report”
      No matches for 2024 report so far, among 15 files in 2 folders.
      2 folders couldn’t be searched to the end. Try again in a minute.
      # Files with “2024 report”
      | No matches for \`2024 report\` so far, among 15 files in 2 folders.
      - 2 folders couldn’t be searched to the end. Try again in a minute."
    `);
    expect(shown(found({ ...nothing, words: '' }))).toMatchInlineSnapshot(`
      "text: Files in your channels
      No files so far.
      2 folders couldn’t be searched to the end. Try again in a minute.
      # Files in your channels
      | No files so far.
      - 2 folders couldn’t be searched to the end. Try again in a minute."
    `);
  });

  it('returns null for a choice that no menu of ours offers', () => {
    for (const [blockId, option] of [
      ['x', '{"page":2}'],
      ['{"q":"a","k":null,"page":1}', 'x'],
      ['{"q":"a","k":null,"page":1}', '{"page":-1}'],
      ['{"q":"a","k":null,"page":1}', '{"k":"constructor"}'],
    ] as const)
      expect(read(blockId, option)).toBeNull();
  });
});

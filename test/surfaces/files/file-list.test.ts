import { describe, expect, it } from 'vitest';
import { fileDeleted } from '../../../src/surfaces/delete/delete-answers.ts';
import { FILE_MENU, SHOW_ALL_FILES } from '../../../src/surfaces/files/actions.ts';
import {
  FILES_PER_PAGE,
  type FileListInput,
  fileList,
} from '../../../src/surfaces/files/file-list.ts';
import { fileDetails } from '../../../src/surfaces/files/file-menu.ts';
import type { ListedFile } from '../../../src/surfaces/files/listed-file.ts';
import { chosenValue } from '../../../src/surfaces/kit/claims.ts';
import { blockKitProblems } from '../../support/block-kit-limits.ts';
import { buttonsOf, fileMenusOf, menusOf, shownView } from '../../support/shown-view.ts';

const NOW = Date.UTC(2025, 2, 14, 14, 30);
const HOUR = 3_600_000;

function file(id: number, changes: Partial<ListedFile> = {}): ListedFile {
  return {
    id,
    name: `${id}.pdf`,
    sizeBytes: 1_234_567,
    createdAt: NOW - 3 * HOUR,
    sharedBy: null,
    mayDelete: true,
    creatorName: null,
    approvedCount: 0,
    proofCount: 0,
    fileType: 'pdf',
    url: null,
    messageUrl: null,
    ...changes,
  };
}

function listOf(changes: Partial<FileListInput>) {
  const files = changes.files ?? [];
  const view = fileList({
    folder: { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Invoices' },
    files,
    onlyShared: false,
    total: files.length,
    matching: files.length,
    page: 1,
    pages: 1,
    filter: null,
    copyAgeMs: null,
    unreadable: 0,
    missing: 'nothing',
    isIn: true,
    isDirect: false,
    notice: null,
    now: NOW,
    ...changes,
  });
  expect(blockKitProblems(view)).toEqual([]);
  return view;
}

const optionsOf = (files: ListedFile[]) =>
  fileMenusOf(listOf({ files })).map(({ options }) => options);

describe('fileList', () => {
  it('shows each file with its details, and a menu whose choices say what they do to which file', () => {
    const whole = file(1, {
      ...{
        name: 'report.pdf',
        sharedBy: 'U012ABCDEF',
        url: 'https://acme.example/files/1?a=1&b=2',
      },
      messageUrl: 'https://acme.slack.example/archives/C1/p1?cid=<C1|x>',
    });
    const bare = file(2, { name: 'LICENCE', sizeBytes: 812, createdAt: null, fileType: 'text' });
    expect(shownView(listOf({ files: [whole, bare] }))).toMatchInlineSnapshot(`
      "text: Accounts › Invoices
      2 files
      report.pdf
      1.2 MB · 3 h ago · <@U012ABCDEF>
      LICENCE
      text · 812 B
      # Accounts › Invoices
      - 2 files
      | [report.pdf → https://acme.example/files/1?a=1&b=2]
      - 1.2 MB · 3 h ago · @U012ABCDEF  [⋯ Open report.pdf → https://acme.example/files/1?a=1&b=2 / Message of report.pdf → https://acme.slack.example/archives/C1/p1?cid=%3CC1|x%3E / Share report.pdf here / Details of report.pdf / Delete report.pdf…]
      | LICENCE
      - text · 812 B  [⋯ Share LICENCE here / Details of LICENCE / Delete LICENCE…]"
    `);
  });

  it('links to the folder where its address is known', () => {
    const folder = { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Bills' };
    const url = 'https://acme.example/folders/345';
    expect(shownView(listOf({ folder: { ...folder, url } }))).toContain(
      `\n# Accounts › Bills\n| [Open this folder in the file service → ${url}]\n`,
    );
    expect(shownView(listOf({ folder }))).not.toContain('Open this folder');
  });

  it('offers Delete only for a file that the reader may delete', () => {
    const labels = optionsOf([file(1), file(2, { mayDelete: false })]).map((options) =>
      options.map(({ text }) => text.text),
    );
    expect(labels).toEqual([
      ['Share 1.pdf here', 'Details of 1.pdf', 'Delete 1.pdf…'],
      ['Share 2.pdf here', 'Details of 2.pdf'],
    ]);
  });

  it('isolates a right-to-left name in each choice of its menu', () => {
    const [options = []] = optionsOf([file(1, { name: 'חשבון.pdf' })]);
    for (const { text } of options) expect(text.text).toContain('\u2068חשבון.pdf\u2069');
  });

  it.each([
    ['javascript:alert(1)', null],
    ['https://user:s3cret@acme.example/', null],
    [`https://acme.example/${'x'.repeat(3_000)}`, null],
    ['https://acme.example/a|b<c>&d', 'https://acme.example/a|b%3Cc%3E&d'],
  ])('turns the address %.40s into a link and a choice that opens %j (null: none)', (url, to) => {
    const files = [file(1, { url })];
    const shown = to === null ? '| 1.pdf\n' : `| [1.pdf → ${to}]\n`;
    expect(shownView(listOf({ files }))).toContain(shown);
    const [options = []] = optionsOf(files);
    expect(options.find(({ text }) => text.text === 'Open 1.pdf')?.url ?? null).toBe(to);
  });

  it('tells which file was chosen of which page, whatever the words of the list', () => {
    for (const filter of [null, 'PDF', 'x'.repeat(255), '\u0001'.repeat(255)]) {
      const some = { files: [file(9)], total: 40, page: 3, pages: 8, filter };
      const [menu] = fileMenusOf(listOf(some));
      const claim = FILE_MENU.read(chosenValue(menu?.blockId ?? '', menu?.options[0]?.value ?? ''));
      expect(claim).toMatchObject({ projectId: 12, folderId: 345, fileId: 9, do: 'share' });
      expect((filter ?? '').startsWith(claim?.filter ?? '')).toBe(true);
    }
  });

  it.each(['*Ada*', ':tada:', 'a|b'])('leaves a creator named %s as it is', (creatorName) => {
    const files = [file(1, { creatorName })];
    expect(listOf({ files }).blocks[3]).toMatchObject({
      text: { type: 'plain_text', text: `1.2 MB · 3 h ago · ${creatorName}` },
    });
  });

  it('distinguishes files of the same name by day and time, if these differ', () => {
    const [at, later] = [NOW - 30 * HOUR, NOW - 29 * HOUR];
    const alike = [file(1, { createdAt: at }), file(2, { name: '1.pdf', createdAt: later })];
    const shown = shownView(listOf({ files: [...alike, file(3, { createdAt: at })] }));
    expect(shown).toContain(`{${at / 1000}: 13 Mar 2025, 08:30 UTC}`);
    expect(shown).toContain(`{${later / 1000}: 13 Mar 2025, 09:30 UTC}`);
    expect(shown.match(/^- .*1 day ago/gm)).toHaveLength(1);
    const together = [1, 2].map((id) => file(id, { name: '1.pdf', createdAt: at + id }));
    expect(shownView(listOf({ files: together })).match(/^- .*1 day ago/gm)).toHaveLength(2);
  });

  it('says when it lists only the files that were shared in this channel', () => {
    const shown = shownView(listOf({ files: [file(1)], onlyShared: true }));
    expect(shown).toContain('- 1 file · only files shared here');
  });

  it('leaves out a media type, which few people can read', () => {
    const files = [file(1, { name: 'LICENCE', fileType: 'application/octet-stream' })];
    expect(shownView(listOf({ files }))).toContain('\n- 1.2 MB · 3 h ago');
  });

  it('leaves out an unknown size', () => {
    const files = [file(1, { name: 'memo.note', sizeBytes: null })];
    expect(shownView(listOf({ files }))).toContain('- 3 h ago');
  });

  it.each(['R&D_2025_final.pdf', '*bold*.pdf', ' _x_.pdf', ':tada:.png', '<!channel>.txt'])(
    'shows %s literally, as the link to the file',
    (name) => {
      const whole = { name, mayDelete: false, url: 'https://acme.example/1' };
      const [, , line] = listOf({ files: [file(1, whole)] }).blocks;
      const link = { type: 'link', url: 'https://acme.example/1', text: name.trim() };
      expect(line).toMatchObject({ type: 'rich_text', elements: [{ elements: [link] }] });
    },
  );

  it('names who shared a file in Slack instead of the owner of the key that filed it', () => {
    const shared = file(1, { sharedBy: 'U012ABCDEF', creatorName: 'Shared Key' });
    const odd = file(2, { sharedBy: '<!channel>', creatorName: 'Ada Lovelace' });
    expect(shownView(listOf({ files: [shared, odd] }))).toContain(
      '- 1.2 MB · 3 h ago · @U012ABCDEF  [',
    );
    expect(shownView(listOf({ files: [odd] }))).toContain('- 1.2 MB · 3 h ago · Ada Lovelace');
  });

  it('says what to do in an empty folder', () => {
    expect(shownView(listOf({}))).toMatchInlineSnapshot(`
      "text: Accounts › Invoices
      Nothing here yet. Share a file in this channel and it’ll be filed here.
      # Accounts › Invoices
      | Nothing here yet. Share a file in this channel and it’ll be filed here."
    `);
    expect(listOf({ isDirect: true }).text).toContain('Share a file in this conversation and');
  });

  it('says that nothing matches, and offers to show all files', () => {
    const view = listOf({ total: 37, filter: 'inv*ce' });
    expect(shownView(view)).toMatchInlineSnapshot(`
      "text: Accounts › Invoices
      No matches for inv*ce among 37 files.
      # Accounts › Invoices
      | No matches for \`inv*ce\` among 37 files.
      [Show all → files_show_all {"page":1,"q":null}]"
    `);
  });

  it('asks whether a command was meant, if nothing matches', () => {
    const typed = { total: 37, filter: 'lnik', nearest: 'link' };
    expect(shownView(listOf(typed))).toContain(
      '\n| No matches for `lnik` among 37 files.\n| Did you mean `/files link`?\n[Show all',
    );
    expect(shownView(listOf({ ...typed, total: 0 }))).toContain('Did you mean `/files link`?');
    const found = { ...typed, files: [file(1, { name: 'lnik.pdf' })], matching: 1 };
    expect(shownView(listOf(found))).not.toContain('Did you mean');
  });

  it('pages through thousands of files', () => {
    const files = Array.from({ length: FILES_PER_PAGE }, (_, index) => file(index + 1));
    const view = listOf({ files, total: 4000, matching: 4000, page: 2, pages: 800 });
    expect(shownView(view)).toContain('\n# Accounts › Invoices\n- 4,000 files · page 2 of 800\n');
    const pages = buttonsOf(view);
    expect(
      pages.map((button) => [button.text.text, SHOW_ALL_FILES.read(button.value)?.page]),
    ).toEqual([
      ['Newer', 1],
      ['Older', 3],
    ]);
    expect(shownView(view)).toContain('[Page 2 ▾ → files_page]');
  });

  it('has a menu of all pages, which keeps the filter, if there are more than two', () => {
    const some = { files: [file(1)], total: 40, matching: 40, filter: 'PDF' };
    expect(shownView(listOf({ ...some, page: 2, pages: 2 }))).not.toContain('▾');
    const [menu] = menusOf(listOf({ ...some, page: 2, pages: 4 }));
    expect(menu?.initial?.text.text).toBe('Page 2');
    const chosen = menu?.options.map(({ value = '' }) => chosenValue(menu.blockId, value));
    expect(chosen?.map((value) => SHOW_ALL_FILES.read(value))).toEqual(
      [1, 2, 3, 4].map((page) => ({ page, filter: 'PDF' })),
    );
  });

  it('carries the filter from page to page', () => {
    const view = listOf({
      files: [file(1)],
      total: 40,
      matching: 16,
      page: 2,
      pages: 2,
      filter: 'PDF',
    });
    expect(view.blocks[1]).toMatchObject({
      elements: [{ text: '16 of 40 files with “PDF” in the name · page 2 of 2' }],
    });
    expect(buttonsOf(view).map((button) => SHOW_ALL_FILES.read(button.value))).toEqual([
      { page: 1, filter: 'PDF' },
      { page: 1, filter: null },
    ]);
  });

  it('has at most 50 blocks, even with 100 files', () => {
    const files = Array.from({ length: 100 }, (_, index) => file(index + 1));
    expect(
      listOf({ files, page: 2, pages: 3, filter: 'a', unreadable: 1 }).blocks.length,
    ).toBeLessThanOrEqual(50);
  });

  it('says how old a shown copy is and why, and how many files could not be read', () => {
    const view = listOf({ files: [file(1)], copyAgeMs: 4200, why: 'busy', unreadable: 2 });
    const busy = 'As of 4 s ago: the file service is busy.';
    expect(shownView(view)).toContain(
      `# Accounts › Invoices\n- ${busy} I couldn’t read the details of 2 files.\n- 1 file\n`,
    );
    const down = listOf({ files: [file(1)], copyAgeMs: 12 * 60_000, why: 'down' });
    expect(down.text).toContain('As of 12 min ago: the file service is down.');
    expect(listOf({ unreadable: 1 }).text).toContain(
      'There are files here, but I couldn’t read their details.',
    );
  });

  it('shows what is known of one file, and the way back to its page', () => {
    const one = file(1, {
      ...{ sharedBy: 'U012ABCDEF', approvedCount: 2, proofCount: 1, url: 'https://acme.example/1' },
      messageUrl: 'https://acme.slack.example/archives/C1/p1',
    });
    const folder = { projectId: 12, folderId: 345, projectTitle: null, folderName: 'Invoices' };
    const list = { page: 3, filter: 'pdf' };
    expect(shownView(fileDetails({ file: one, folder, list }))).toMatchInlineSnapshot(`
      "text: 1.pdf in Invoices
      Shared by <@U012ABCDEF>, 14 Mar 2025, 11:30 UTC
      1,234,567 bytes · 2 approvals · 1 proof
      Message of 1.pdf
      | [1.pdf → https://acme.example/1] in *Invoices*
      | Shared by @U012ABCDEF, 14 Mar 2025, 11:30 UTC
      | 1,234,567 bytes · 2 approvals · 1 proof
      | [Message of 1.pdf → https://acme.slack.example/archives/C1/p1]
      [Back to the files → files_back {"page":3,"q":"pdf"}]"
    `);
  });

  it('shows a notice of what was just done at the top', () => {
    const view = listOf({
      files: [file(1)],
      notice: fileDeleted({ name: 'report.pdf', back: null }),
    });
    expect(view.text).toMatch(/^Deleted report\.pdf\.\nAccounts › Invoices\n1 file\n/);
    expect(shownView(view)).toContain('\n| Deleted report.pdf.\n# Accounts › Invoices\n');
    expect(shownView(view).match(/\| Deleted/g)).toHaveLength(1);
  });

  it('says of a page without files that the page is empty, not the folder', () => {
    const view = listOf({ total: 15, matching: 15, page: 2, pages: 2 });
    expect(view.text).toContain('This page is empty now.');
    expect(buttonsOf(view).map((button) => button.text.text)).toEqual(['Newer']);
  });

  it('shows the newest files while the rest is read, without a total or pages', () => {
    const newest = { files: [file(1)], total: 100, matching: 100, pages: 10 };
    const shown = shownView(listOf({ ...newest, missing: 'coming' }));
    expect(shown).toContain('the newest files; counting the rest…');
    expect(shown).not.toMatch(/100 files|page 1|Older/);
  });

  it('says how many files a search has covered so far', () => {
    const some = { files: [file(1)], total: 100, matching: 1, filter: 'plan' };
    expect(shownView(listOf({ ...some, missing: 'coming' }))).toContain(
      '1 of the newest 100 files with “plan” in the name; searching the rest…',
    );
    const none = { files: [], total: 100, matching: 0, filter: 'plan' };
    const shown = shownView(listOf({ ...none, missing: 'coming' }));
    expect(shown).toContain('among the newest 100 files. Searching the rest…');
    expect(shown).not.toMatch(/among \d+ files/);
  });

  it('says that it is reading if the newest files are not known yet', () => {
    const shown = shownView(listOf({ missing: 'coming' }));
    expect(shown).toContain('This folder has many files. Reading them now…');
  });

  it('says that a folder may hold more than could be read', () => {
    const shown = shownView(listOf({ files: [file(1)], missing: 'unknown' }));
    expect(shown).toContain('This folder may hold more files than I could read.');
  });
});

import { describe, expect, it } from 'vitest';
import { fileName } from '../../../src/core/index.ts';
import { deletedInSlack } from '../../../src/surfaces/deleted-in-slack/copies-view.ts';
import { plainText } from '../../../src/surfaces/kit/prose.ts';
import { WITHOUT_FILES } from '../../../src/surfaces/kit/refusals.ts';
import { shownText } from '../../../src/surfaces/kit/text.ts';
import { FOLDER_FIELD } from '../../../src/surfaces/link/folder-form-view.ts';
import {
  filesToSave,
  folderPick,
  SAVE_FORM,
  SAVE_PICK,
  type SaveForm,
  savedFiles,
  saveRefusal,
} from '../../../src/surfaces/save/save-view.ts';
import { notSeen, whereFiled } from '../../../src/surfaces/share-line/where-filed-view.ts';
import { modalProblems } from '../../support/block-kit-limits.ts';
import { share, sharedFile } from '../../support/builders.ts';
import { ODD_NAMES } from '../../support/odd-names.ts';
import { screen } from '../../support/person.ts';
import { shownView } from '../../support/shown-view.ts';

const folder = { projectId: 1, folderId: 2, projectTitle: 'Accounts', folderName: 'Invoices' };
/** Stands for a thread line with buttons. */
const line = deletedInSlack({
  ...{ claim: { shareId: 7, askedAt: 5 }, files: [{ name: 'a.pdf' }], folder },
});

describe('the response to “Where is this filed?”', () => {
  it('repeats the thread line, and says who shared the files', () => {
    const view = whereFiled({ lines: [line], sharedBy: 'U012ABCDEF' });
    expect(view.text).toBe(`${line.text}\nShared by <@U012ABCDEF>.`);
    expect(view.blocks.slice(0, -1)).toEqual(line.blocks);
    expect(JSON.stringify(view.blocks.at(-1))).toContain('"user_id":"U012ABCDEF"');
  });

  it('omits an unknown sharer', () => {
    expect(whereFiled({ lines: [line], sharedBy: null })).toEqual(line);
  });

  it('says that a message has no files, or how to save them if none were filed', () => {
    expect(shownView(WITHOUT_FILES)).toContain('This message has no files.');
    expect(shownView(notSeen({ isDirect: false, linkBy: 'admins', mayLink: true }))).toContain(
      'You can save its files with “Save files to a folder” in its menu.',
    );
    expect(shownView(notSeen({ isDirect: false, linkBy: 'admins', mayLink: false }))).toContain(
      'A workspace admin can save its files with “Save files to a folder”',
    );
  });
});

describe('saving a message’s files', () => {
  const claim = { projectId: 1, folderId: 2, channel: 'C1', ts: '1' };
  const NOTHING = { folder, saved: 0, there: 0, gone: 0, removed: [], claim };
  const said = (count: number) => ({
    there: shownView(savedFiles({ ...NOTHING, there: count })),
    gone: shownView(savedFiles({ ...NOTHING, gone: count })),
    removed: shownView(savedFiles({ ...NOTHING, removed: Array(count).fill('a.pdf') })),
    ...Object.fromEntries(
      (['deleted', 'unreadable'] as const).map((reason) => [
        reason,
        plainText(saveRefusal({ count, reason, isDirect: true, linkBy: 'admins' })),
      ]),
    ),
  });

  it('speaks of one file as of one', () => {
    expect(said(1)).toMatchInlineSnapshot(`
      {
        "deleted": "This file was deleted in Slack.",
        "gone": "text: 1 file was deleted in Slack.
      | 1 file was deleted in Slack.",
        "removed": "text: Removed from Accounts › Invoices before, so left out: a.pdf.
      | Removed from *Accounts › Invoices* before, so left out: a.pdf.
      [File again → save_again {"p":1,"f":2,"c":"C1","ts":"1"}]",
        "there": "text: 1 file is already in Accounts › Invoices, or on the way.
      | 1 file is already in *Accounts › Invoices*, or on the way.",
        "unreadable": "I can’t read this conversation. Send me this file directly, and save it from there.",
      }
    `);
  });

  it('speaks of two as of several', () => {
    expect(said(2)).toMatchInlineSnapshot(`
      {
        "deleted": "These files were deleted in Slack.",
        "gone": "text: 2 files were deleted in Slack.
      | 2 files were deleted in Slack.",
        "removed": "text: Removed from Accounts › Invoices before, so left out: a.pdf, a.pdf.
      | Removed from *Accounts › Invoices* before, so left out: a.pdf, a.pdf.
      [File again → save_again {"p":1,"f":2,"c":"C1","ts":"1"}]",
        "there": "text: 2 files are already in Accounts › Invoices, or on the way.
      | 2 files are already in *Accounts › Invoices*, or on the way.",
        "unreadable": "I can’t read this conversation. Send me these files directly, and save them from there.",
      }
    `);
  });
});

const ID = Number.MAX_SAFE_INTEGER;
const PICKS = [
  folderPick('last', {
    projectId: 12,
    folderId: 345,
    folderName: 'Quotes',
    projectTitle: 'Office',
  }),
  folderPick('channel', { projectId: 12, folderId: 346, folderName: null, projectTitle: null }),
];

/** Returns the form for a message with `count` files, all called `name`. */
function form(count: number, name = 'plan.pdf', changes: Partial<SaveForm> = {}): SaveForm {
  const files = Array.from({ length: count }, (_, nth) =>
    sharedFile({ id: `F0123456789${1000 + nth}`, name }),
  );
  const message = filesToSave(share({ channel: 'C0123456789', files }));
  if (!message) throw new Error('Too many');
  const place = { ...message, channelName: null, isElsewhere: false, isListed: true };
  return { ...place, folder: null, picks: PICKS, picked: null, ...changes };
}

const sentWith = (given: SaveForm, fields: Record<string, object> = {}) => ({
  private_metadata: SAVE_FORM.show({ ...given, problem: null }).private_metadata ?? '',
  state: { values: { block: fields } },
});

const picked = (value: string) => ({ selected_option: { value, text: { text: 'shown' } } });

describe('the form that saves files', () => {
  it.each([...ODD_NAMES, '"'.repeat(255), '\\'.repeat(255)])(
    'is valid for Slack with the name %j',
    (name) => {
      const folder = { projectId: ID, folderId: ID, folderName: name, projectTitle: name };
      const picks = [folderPick('last', folder), folderPick('channel', { ...folder, folderId: 1 })];
      const problem = [{ file: name }];
      const chosen = { value: `${ID}/${ID}`, label: shownText(name, 75) };
      const forms = [1, 10, 60, 80].flatMap((count) => [
        SAVE_FORM.show({ ...form(count, name, { picks }), problem: null }),
        SAVE_FORM.show({ ...form(count, name, { picks: [], isListed: false }), problem: null }),
        SAVE_FORM.show({ ...form(count, name, { picks, folder: chosen }), problem }),
      ]);
      const done = SAVE_FORM.done(
        savedFiles({
          ...{ folder, saved: 60, there: 60, gone: 1, removed: [name, name] },
          claim: { ...folder, channel: 'C1', ts: '1' },
        }),
      );
      expect([...forms, SAVE_FORM.checking, done].flatMap(modalProblems)).toEqual([]);
    },
  );

  it('keeps a folder’s own name in its label if the project’s name is long', () => {
    const folder = { projectId: 12, folderId: 345, folderName: 'Quotes of all suppliers' };
    const { label } = folderPick('last', { ...folder, projectTitle: 'Office '.repeat(40) });
    expect(label).toMatch(/^Office Office .* › Quotes of all suppliers$/);
  });

  it('names the first ten files, and counts the others', () => {
    const shown = (count: number) =>
      screen({ text: '', blocks: SAVE_FORM.show({ ...form(count), problem: null }).blocks });
    expect(shown(1)).toContain('1 file: plan.pdf.');
    expect(shown(10)).not.toContain('more.');
    expect(shown(60)).toContain('60 files: plan.pdf');
    expect(shown(60)).toContain(' and 50 more.');
  });

  it('names a file as it will be filed, also where only its title is known', () => {
    const files = [
      sharedFile({ name: '-.txt', title: 'Minutes' }),
      sharedFile({ name: '', title: 'Plan', filetype: 'png' }),
    ];
    expect(filesToSave(share({ files }))?.names).toEqual(files.map(fileName));
    expect(files.map(fileName)).toEqual(['Minutes.txt', 'Plan.png']);
  });

  it('is not created for more files than fit in its metadata', () => {
    const files = Array.from({ length: 4_000 }, (_, nth) => sharedFile({ id: `F${nth}` }));
    expect(filesToSave(share({ files: files.slice(0, 80) }))?.files).toHaveLength(80);
    expect(filesToSave(share({ files }))).toBeNull();
    expect(filesToSave(share({ files: [sharedFile({ id: 'F'.repeat(200) })] }))).toBeNull();
  });

  it('preselects the picked or first folder', () => {
    const initial = (one: SaveForm) =>
      SAVE_FORM.show({ ...one, problem: null }).blocks.find((block) => block.block_id === 'pick');
    expect(initial(form(1))).toMatchObject({ element: { initial_option: { value: '12/345' } } });
    const other = initial(form(1, 'plan.pdf', { picked: '12/346' }));
    expect(other).toMatchObject({ element: { initial_option: { value: '12/346' } } });
    expect(initial(form(1, 'plan.pdf', { picks: [] }))).toBeUndefined();
  });

  it.each([
    { picks: PICKS, label: 'Or another folder', optional: true },
    { picks: [], label: 'Folder', optional: false },
  ])(
    'requires the folder “$label” only where none is offered above it',
    ({ picks, label, optional }) => {
      const { blocks } = SAVE_FORM.show(form(1, 'plan.pdf', { picks }));
      expect(blocks.at(-1)).toMatchObject({ optional, label: { text: label } });
      const fields = blocks.filter(({ type }) => type === 'input');
      expect(fields[0]).toMatchObject({ optional: false });
    },
  );
});

describe('SAVE_FORM.read', () => {
  it('returns what was chosen, and no choice for a folder that was not offered', () => {
    const given = form(2, 'a "b" \\ c.pdf');
    expect(SAVE_FORM.read(sentWith(given, { [SAVE_PICK]: picked('12/346') }))).toEqual({
      ...given,
      picked: '12/346',
    });
    expect(SAVE_FORM.read(sentWith(given, { [SAVE_PICK]: picked('1/2') }))).toMatchObject({
      picked: null,
    });
  });

  it.each(['', '{', '{}'])('returns null for the metadata %j', (text) => {
    expect(SAVE_FORM.read({ private_metadata: text, state: { values: {} } })).toBeNull();
  });

  it.each([
    { channel: 'C1; drop' },
    { ts: '1; drop' },
    { files: [] },
    { files: [''] },
    { picks: [{ ...PICKS[0], folderId: -1 }] },
    { picks: [{ ...PICKS[0], projectId: 1.5 }] },
  ])('returns null if %j is forged in valid metadata', (forged) => {
    const { private_metadata: text, state } = sentWith(form(1));
    const private_metadata = JSON.stringify({ ...JSON.parse(text), ...forged });
    expect(SAVE_FORM.read({ private_metadata: text, state })).not.toBeNull();
    expect(SAVE_FORM.read({ private_metadata, state })).toBeNull();
  });
});

describe('the destination of saved files', () => {
  const folder = (value: string) => ({ value, label: 'x' });

  it.each<[Partial<SaveForm>, object | null]>([
    [{ picked: '12/345' }, { typed: '12/345' }],
    [{ picked: '12/345', folder: folder('1/2') }, { typed: '1/2' }],
    [
      { picked: '12/345', folder: folder('new/12/Brand') },
      { newIn: 12, name: 'Brand' },
    ],
    [{}, null],
  ])('is taken from %j', (chosen, wish) => {
    expect(SAVE_FORM.requestOf(form(1, 'plan.pdf', chosen))).toEqual(wish);
  });

  it('is none if the option chosen stands for none', () => {
    const fields = { [FOLDER_FIELD]: picked('none') };
    expect(SAVE_FORM.read(sentWith(form(1), fields))?.folder).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import {
  alreadySaved,
  deletedInSlack,
  notSeen,
  saveRefusal,
  WITHOUT_FILES,
  whereFiled,
} from '../../src/blocks/index.ts';
import { plainText } from '../../src/blocks/prose.ts';
import { shownView } from '../support/shown-view.ts';

const folder = { projectId: 1, folderId: 2, projectTitle: 'Accounts', folderName: 'Invoices' };
/** Stands for a thread line with buttons. */
const line = deletedInSlack({ shareId: 7, files: [{ name: 'a.pdf' }], folder });

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
      'You can save its files with “Save files to a folder” in the message’s menu.',
    );
    expect(shownView(notSeen({ isDirect: false, linkBy: 'admins', mayLink: false }))).toContain(
      'A workspace admin can save its files with “Save files to a folder”',
    );
  });
});

describe('saving a message’s files', () => {
  const said = (count: number) => ({
    there: shownView(alreadySaved({ count, folder })),
    ...Object.fromEntries(
      (['deleted', 'left', 'unreadable'] as const).map((reason) => [
        reason,
        plainText(saveRefusal({ count, reason, isDirect: true, linkBy: 'admins' })),
      ]),
    ),
  });

  it('speaks of one file as of one', () => {
    expect(said(1)).toMatchInlineSnapshot(`
      {
        "deleted": "This file was deleted in Slack.",
        "left": "This file was saved to the folder before, and deleted or skipped since. To have it there after all, share it again and save that message.",
        "there": "text: This file is already in Accounts › Invoices, or on the way there. Nothing is saved twice. If it failed before, it’s being tried again.
      | This file is already in *Accounts › Invoices*, or on the way there. Nothing is saved twice. If it failed before, it’s being tried again.",
        "unreadable": "Slack doesn’t give me this file: I’m not in this conversation, or it was deleted. Send it to me in a direct message, or share it in a channel that I’m in, and save it from there.",
      }
    `);
  });

  it('speaks of two as of several', () => {
    expect(said(2)).toMatchInlineSnapshot(`
      {
        "deleted": "These files were deleted in Slack.",
        "left": "These files were saved to the folder before, and deleted or skipped since. To have them there after all, share them again and save that message.",
        "there": "text: These files are already in Accounts › Invoices, or on the way there. Nothing is saved twice. Any that failed before are being tried again.
      | These files are already in *Accounts › Invoices*, or on the way there. Nothing is saved twice. Any that failed before are being tried again.",
        "unreadable": "Slack doesn’t give me these files: I’m not in this conversation, or they were deleted. Send them to me in a direct message, or share them in a channel that I’m in, and save them from there.",
      }
    `);
  });
});

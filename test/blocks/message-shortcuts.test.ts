import { describe, expect, it } from 'vitest';
import { deletedInSlack, notSeen, WITHOUT_FILES, whereFiled } from '../../src/blocks/index.ts';
import { shownView } from '../support/shown-view.ts';

const folder = { projectId: 1, folderId: 2, projectTitle: 'Accounts', folderName: 'Invoices' };
/** Stands for a thread line with buttons. */
const line = deletedInSlack({ shareId: 7, files: [{ name: 'a.pdf' }], folder });

describe('the response to “Where is this filed?”', () => {
  it('repeats the thread line, and says who shared the files', () => {
    const view = whereFiled({ lines: [line], sharedBy: 'U012ABCDEF' });
    expect(view.text).toBe(line.text);
    expect(view.blocks.slice(0, -1)).toEqual(line.blocks);
    expect(JSON.stringify(view.blocks.at(-1))).toContain('"user_id":"U012ABCDEF"');
  });

  it('omits an unknown sharer', () => {
    expect(whereFiled({ lines: [line], sharedBy: null })).toEqual(line);
  });

  it('says that a message has no files, or how to save them if none were filed', () => {
    expect(shownView(WITHOUT_FILES)).toContain('This message has no files.');
    expect(shownView(notSeen({ linkBy: 'admins', mayLink: true }))).toContain(
      'You can save its files with “Save files to a folder” in the message’s menu.',
    );
    expect(shownView(notSeen({ linkBy: 'admins', mayLink: false }))).toContain(
      'A workspace admin can save its files with “Save files to a folder”',
    );
  });
});

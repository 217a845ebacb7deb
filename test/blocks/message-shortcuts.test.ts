import { describe, expect, it } from 'vitest';
import {
  changeRefused,
  deletedInSlack,
  notSeen,
  whereFiled,
  withoutFiles,
} from '../../src/blocks/index.ts';
import { shownView } from '../support/shown-view.ts';

const folder = { projectId: 1, folderId: 2, projectTitle: 'Accounts', folderName: 'Invoices' };
/** Some line with buttons. */
const line = deletedInSlack({ shareId: 7, files: [{ name: 'a.pdf' }], folder });

describe('where a message is filed', () => {
  it('is what the line says, and whose message it is', () => {
    const view = whereFiled({ lines: [line], sharedBy: 'U012ABCDEF', mayRetry: true });
    expect(view.text).toBe(line.text);
    expect(view.blocks.slice(0, -1)).toEqual(line.blocks);
    expect(JSON.stringify(view.blocks.at(-1))).toContain('"user_id":"U012ABCDEF"');
  });

  it('has no button for who may not press it, and names nobody where nobody is known', () => {
    const view = whereFiled({ lines: [line], sharedBy: null, mayRetry: false });
    expect(view.blocks).toEqual(line.blocks.slice(0, 1));
    const plain = changeRefused({ linkBy: 'admins', change: 'retry', reason: 'guest' });
    expect(whereFiled({ lines: [plain], sharedBy: null, mayRetry: false })).toEqual(plain);
  });

  it('says why a message is not known', () => {
    expect(shownView(withoutFiles())).toContain('This message has no files.');
    expect(shownView(notSeen({ linkBy: 'admins', mayLink: true }))).toContain(
      'You can save its files with “Save files to a folder” in the message’s menu.',
    );
    expect(shownView(notSeen({ linkBy: 'admins', mayLink: false }))).toContain(
      'A workspace admin can save its files with “Save files to a folder”',
    );
  });
});

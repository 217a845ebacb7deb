import { describe, expect, it } from 'vitest';
import {
  alreadyLinked,
  linked,
  noDestinationHint,
  notAnnounced,
  notLinked,
  nowhereToFile,
  unlinked,
} from '../../src/blocks/index.ts';
import { shown } from '../support/checked-view.ts';

const INVOICES = { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Invoices' };
const INBOX = { projectId: 12, folderId: 1, projectTitle: null, folderName: null };

describe('linking', () => {
  it('is told in the channel, with who did it and what stays', () => {
    const byUserId = 'U012ABCDEF';
    const first = linked({ folder: INVOICES, byUserId, wasFolder: null });
    const second = linked({ folder: INVOICES, byUserId, wasFolder: INBOX });
    expect(shown(first)).toMatchInlineSnapshot(`
      "text: <@U012ABCDEF> linked this channel: files shared here are filed in Accounts › Invoices.
      | @U012ABCDEF linked this channel: files shared here are filed in *Accounts › Invoices*."
    `);
    expect(shown(second)).toMatchInlineSnapshot(`
      "text: <@U012ABCDEF> linked this channel: files shared here are now filed in Accounts › Invoices.
      Files already in folder 12/1 stay there.
      | @U012ABCDEF linked this channel: files shared here are now filed in *Accounts › Invoices*.
      | Files already in *folder 12/1* stay there."
    `);
  });

  it('is taken away with a word on what stops and what stays', () => {
    const byUserId = 'U012ABCDEF';
    expect(shown(unlinked({ folder: INVOICES, byUserId, fallback: null }))).toMatchInlineSnapshot(`
      "text: <@U012ABCDEF> unlinked this channel from Accounts › Invoices.
      Files shared here are no longer filed. Files already in Accounts › Invoices stay there.
      | @U012ABCDEF unlinked this channel from *Accounts › Invoices*.
      | Files shared here are no longer filed. Files already in *Accounts › Invoices* stay there."
    `);
    expect(shown(unlinked({ folder: INVOICES, byUserId, fallback: INBOX }))).toMatchInlineSnapshot(`
      "text: <@U012ABCDEF> unlinked this channel from Accounts › Invoices.
      Files shared here now go to the default folder, folder 12/1. Files already in Accounts › Invoices stay there.
      | @U012ABCDEF unlinked this channel from *Accounts › Invoices*.
      | Files shared here now go to the default folder, *folder 12/1*. Files already in *Accounts › Invoices* stay there."
    `);
  });

  it('says that nothing was to be done', () => {
    expect(shown(alreadyLinked({ folder: INVOICES }))).toMatchInlineSnapshot(`
      "text: This channel is already linked to Accounts › Invoices. Nothing has changed.
      | This channel is already linked to *Accounts › Invoices*. Nothing has changed."
    `);
    expect(shown(notLinked())).toMatchInlineSnapshot(`
      "text: This channel isn’t linked, so there’s nothing to unlink.
      | This channel isn’t linked, so there’s nothing to unlink.
      [Link this channel → link_channel {"c":null}]"
    `);
    expect(shown(noDestinationHint({ mayLink: false, isDirect: false }))).toMatchInlineSnapshot(`
      "text: This channel isn’t linked to a folder: files shared here stay in Slack only.
      A workspace admin can link it with /files link; files shared before that can be filed too.
      | This channel isn’t linked to a folder: files shared here stay in Slack only.
      | A workspace admin can link it with \`/files link\`; files shared before that can be filed too."
    `);
  });
});

describe('what is done all the same', () => {
  it('is said with why the channel does not know, and with what is asked next', () => {
    const view = linked({ folder: INVOICES, byUserId: 'U012ABCDEF', wasFolder: null });
    const question = nowhereToFile();
    expect(shown(notAnnounced({ view, code: 'SLACK_REFUSED', question }))).toMatchSnapshot();
  });
});

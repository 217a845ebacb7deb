import { describe, expect, it } from 'vitest';
import {
  alreadyLinked,
  type LinkRefusal,
  linked,
  linkRefusal,
  linkRefused,
  linkUsage,
  noDestinationHint,
  notAnnounced,
  notLinked,
  nowhereToFile,
  unlinked,
} from '../../src/blocks/index.ts';
import { plainText } from '../../src/blocks/prose.ts';
import { shown } from '../support/checked-view.ts';

const INVOICES = { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Invoices' };
const INBOX = { projectId: 12, folderId: 1, projectTitle: null, folderName: null };

describe('linking', () => {
  it('says how', () => {
    expect(shown(linkUsage())).toMatchInlineSnapshot(`
      "text: Slack didn’t let me open the form to choose a folder. Press the button to try again, or say which folder: /files link &lt;project&gt;/&lt;folder&gt;, by numbers or names, for example /files link 12/345 or /files link Project/Folder.
      You can also type the folder’s web address there. /folders shows the folders with a button for each.
      | Slack didn’t let me open the form to choose a folder. Press the button to try again, or say which folder: \`/files link <project>/<folder>\`, by numbers or names, for example \`/files link 12/345\` or \`/files link Project/Folder\`.
      | You can also type the folder’s web address there. \`/folders\` shows the folders with a button for each.
      [Link this channel → link_channel {"c":null}]"
    `);
  });

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

  it.each<LinkRefusal>([
    'not-allowed',
    'other-workspace',
    'no-such-folder',
    'forbidden',
    'unreadable-target',
    'ambiguous-name',
    'guest',
  ])('refused: %s', (reason) => {
    expect(shown(linkRefused({ reason, typed: '12/345', isDirect: false }))).toMatchSnapshot();
  });

  it.each<LinkRefusal>([
    'unreadable-target',
    'no-such-folder',
    'forbidden',
    'no-names',
    'which-project',
    'other-address',
    'ambiguous-name',
  ])('names no command beside a field of a form: %s', (reason) => {
    const why = plainText(linkRefusal({ reason, typed: 'plans', isDirect: false }));
    expect(why).not.toMatch(/\/f(iles|olders)/);
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

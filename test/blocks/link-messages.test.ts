import { describe, expect, it } from 'vitest';
import {
  alreadyLinked,
  type LinkRefusal,
  linked,
  linkRefused,
  linkUsage,
  noDestinationHint,
  notAnnounced,
  notLinked,
  nowhereToFile,
  unlinked,
} from '../../src/blocks/index.ts';
import { shown } from '../support/checked-view.ts';

const INVOICES = { projectId: 12, folderId: 345, name: 'Invoices' };
const INBOX = { projectId: 12, folderId: 1, name: null };

describe('linking', () => {
  it('says how', () => {
    expect(shown(linkUsage())).toMatchInlineSnapshot(`
      "text: Say which folder: /files link &lt;project&gt;/&lt;folder&gt;, for example /files link 12/345.
      The numbers are in the folder’s address in the file service. /folders shows the folders with a button for each.
      | Say which folder: \`/files link <project>/<folder>\`, for example \`/files link 12/345\`.
      | The numbers are in the folder’s address in the file service. \`/folders\` shows the folders with a button for each."
    `);
  });

  it('is told in the channel, with who did it and what stays', () => {
    const byUserId = 'U012ABCDEF';
    const first = linked({ folder: INVOICES, byUserId, wasFolder: null });
    const second = linked({ folder: INVOICES, byUserId, wasFolder: INBOX });
    expect(shown(first)).toMatchInlineSnapshot(`
      "text: <@U012ABCDEF> linked this channel: files shared here are filed in Invoices.
      | @U012ABCDEF linked this channel: files shared here are filed in *Invoices*."
    `);
    expect(shown(second)).toMatchInlineSnapshot(`
      "text: <@U012ABCDEF> linked this channel: files shared here are now filed in Invoices.
      What is in folder 12/1 stays there.
      | @U012ABCDEF linked this channel: files shared here are now filed in *Invoices*.
      | What is in *folder 12/1* stays there."
    `);
  });

  it('is taken away with a word on what stops and what stays', () => {
    const byUserId = 'U012ABCDEF';
    expect(shown(unlinked({ folder: INVOICES, byUserId, fallback: null }))).toMatchInlineSnapshot(`
      "text: <@U012ABCDEF> took away this channel’s link to Invoices.
      Files shared here are no longer filed. What has been filed stays in Invoices.
      | @U012ABCDEF took away this channel’s link to *Invoices*.
      | Files shared here are no longer filed. What has been filed stays in *Invoices*."
    `);
    expect(shown(unlinked({ folder: INVOICES, byUserId, fallback: INBOX }))).toMatchInlineSnapshot(`
      "text: <@U012ABCDEF> took away this channel’s link to Invoices.
      Files shared here now go to the default folder, folder 12/1. What has been filed stays in Invoices.
      | @U012ABCDEF took away this channel’s link to *Invoices*.
      | Files shared here now go to the default folder, *folder 12/1*. What has been filed stays in *Invoices*."
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
    expect(shown(linkRefused({ reason, typed: '12/345' }))).toMatchSnapshot();
  });

  it('says that nothing was to be done', () => {
    expect(shown(alreadyLinked({ folder: INVOICES }))).toMatchInlineSnapshot(`
      "text: This channel is linked to Invoices already. Nothing has changed.
      | This channel is linked to *Invoices* already. Nothing has changed."
    `);
    expect(shown(notLinked())).toMatchInlineSnapshot(`
      "text: This channel has no link of its own, so there is none to take away.
      To link it to a folder, type /files link &lt;project&gt;/&lt;folder&gt;.
      | This channel has no link of its own, so there is none to take away.
      | To link it to a folder, type \`/files link <project>/<folder>\`."
    `);
    expect(shown(noDestinationHint())).toMatchInlineSnapshot(`
      "text: This channel is not linked to a folder: files shared here stay in Slack alone.
      A workspace admin can link it with /files link &lt;project&gt;/&lt;folder&gt; or /folders; what was shared before can be filed then.
      | This channel is not linked to a folder: files shared here stay in Slack alone.
      | A workspace admin can link it with \`/files link <project>/<folder>\` or \`/folders\`; what was shared before can be filed then."
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

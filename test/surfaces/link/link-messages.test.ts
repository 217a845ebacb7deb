import { describe, expect, it } from 'vitest';
import { noAnnouncements } from '../../../src/surfaces/announce/added-files.ts';
import { stacked } from '../../../src/surfaces/kit/layout.ts';
import { linkedElsewhere, nowhereToFile } from '../../../src/surfaces/link/earlier-files-view.ts';
import {
  alreadyLinked,
  channelPaused,
  linked,
  linkPaused,
  noDestinationHint,
  notAnnounced,
  notInChannel,
  notLinked,
  pausedHere,
  unlinked,
} from '../../../src/surfaces/link/link-messages.ts';
import { savedFiles } from '../../../src/surfaces/save/save-view.ts';
import { shown } from '../../support/shown-view.ts';

const INVOICES = { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Invoices' };
const INBOX = { projectId: 12, folderId: 1, projectTitle: null, folderName: null };

const NONE_SAVED = {
  ...{ saved: 0, there: 0, gone: 0, removed: [] },
  claim: { projectId: 12, folderId: 345, channel: 'C1', ts: '1' },
};

describe('messages about linking', () => {
  it('say who linked a channel, and where earlier files stay', () => {
    const byUserId = 'U012ABCDEF';
    const first = linked({ isDirect: false, folder: INVOICES, byUserId, wasFolder: null });
    const second = linked({ isDirect: false, folder: INVOICES, byUserId, wasFolder: INBOX });
    expect(shown(first)).toMatchInlineSnapshot(`
      "text: <@U012ABCDEF> linked this channel: files shared here are filed in Accounts › Invoices.
      | @U012ABCDEF linked this channel: files shared here are filed in *Accounts › Invoices*.
      [Settings → link_channel {"c":null}]"
    `);
    expect(shown(second)).toMatchInlineSnapshot(`
      "text: <@U012ABCDEF> linked this channel: files shared here are now filed in Accounts › Invoices.
      Files already in folder 12/1 stay there.
      | @U012ABCDEF linked this channel: files shared here are now filed in *Accounts › Invoices*.
      | Files already in *folder 12/1* stay there.
      [Settings → link_channel {"c":null}]"
    `);
  });

  it('say who unlinked a channel, where files go now, and where earlier ones stay', () => {
    const byUserId = 'U012ABCDEF';
    expect(
      shown(unlinked({ isDirect: false, folder: INVOICES, byUserId, fallback: null })),
    ).toMatchInlineSnapshot(`
      "text: <@U012ABCDEF> unlinked this channel from Accounts › Invoices.
      Files shared here are no longer filed. Files already in Accounts › Invoices stay there.
      | @U012ABCDEF unlinked this channel from *Accounts › Invoices*.
      | Files shared here are no longer filed. Files already in *Accounts › Invoices* stay there."
    `);
    expect(
      shown(unlinked({ isDirect: false, folder: INVOICES, byUserId, fallback: INBOX })),
    ).toMatchInlineSnapshot(`
      "text: <@U012ABCDEF> unlinked this channel from Accounts › Invoices.
      Files shared here now go to the default folder, folder 12/1. Files already in Accounts › Invoices stay there.
      | @U012ABCDEF unlinked this channel from *Accounts › Invoices*.
      | Files shared here now go to the default folder, *folder 12/1*. Files already in *Accounts › Invoices* stay there."
    `);
  });

  it('say that a channel is already linked or not linked, and who can link it', () => {
    expect(shown(alreadyLinked({ isDirect: false, folder: INVOICES }))).toMatchInlineSnapshot(`
      "text: This channel is already linked to Accounts › Invoices.
      | This channel is already linked to *Accounts › Invoices*."
    `);
    expect(shown(notLinked({ isDirect: false }))).toMatchInlineSnapshot(`
      "text: This channel has no folder to unlink.
      | This channel has no folder to unlink.
      [Link this channel → link_channel {"c":null}]"
    `);
    expect(
      shown(noDestinationHint({ linkBy: 'admins', mayLink: false, isDirect: false })),
    ).toMatchInlineSnapshot(`
      "text: This channel has no folder yet. A workspace admin can link it with /files link; earlier files can be added.
      | This channel has no folder yet. A workspace admin can link it with \`/files link\`; earlier files can be added."
    `);
    const hint = { linkBy: 'admins', mayLink: true } as const;
    expect(shown(noDestinationHint({ ...hint, isDirect: true }))).toContain(
      '[Link this conversation',
    );
    expect(shown(noDestinationHint({ ...hint, isDirect: false }))).toContain('[Link this channel');
    expect(shown(noDestinationHint({ ...hint, isDirect: true, isIn: false }))).toContain(
      '| I can’t be added to this conversation. Share files in a channel, or with me directly.',
    );
  });
});

it('messages about the link of a direct message call it a conversation', () => {
  const here = { folder: INVOICES, byUserId: 'U012ABCDEF', isDirect: true };
  const views = [
    linked({ ...here, wasFolder: null }),
    unlinked({ ...here, fallback: null }),
    alreadyLinked(here),
    notLinked(here),
    pausedHere({ ...here, reason: 'DESTINATION_GONE', mayLink: true }),
    nowhereToFile(here),
    linkedElsewhere(here),
  ];
  for (const text of views.map(shown)) expect(text).toMatch(/[Tt]his conversation/);
  // Apart from the button's identifier.
  expect(views.map(shown).join('\n')).not.toMatch(/channel(?! \{)/);
});

describe('notAnnounced', () => {
  it('says what was done and that it could not be posted, and adds the next question', () => {
    const view = linked({
      isDirect: false,
      folder: INVOICES,
      byUserId: 'U012ABCDEF',
      wasFolder: null,
    });
    const question = nowhereToFile({});
    const answer = stacked(view, notAnnounced({}), question);
    expect(shown(answer)).toMatchSnapshot();
  });
});

it('messages about a channel’s link name the channel if they are read elsewhere', () => {
  const about = { folder: INVOICES, elsewhere: 'C012ABCDEF' };
  expect(shown(notInChannel(about))).toMatchInlineSnapshot(`
    "text: <#C012ABCDEF> is now linked to Accounts › Invoices, but I’m not in it and can’t see its files.
    To bring me in, type /invite @pigeonhole in that channel.
    | #C012ABCDEF is now linked to *Accounts › Invoices*, but I’m not in it and can’t see its files.
    | To bring me in, type \`/invite @pigeonhole\` in that channel."
  `);
  expect(shown(alreadyLinked({ ...about, isDirect: false }))).toContain(
    '| #C012ABCDEF is already linked to',
  );
  const reader = { linkBy: 'admins', mayLink: true } as const;
  expect(shown(noAnnouncements({ ...reader, ...about }))).toContain(
    'so I can’t announce in #C012ABCDEF what’s added.',
  );
  expect(shown(notAnnounced(about))).toContain('I couldn’t post this in #C012ABCDEF.');
  expect(shown(savedFiles({ ...NONE_SAVED, ...about, saved: 2 }))).toContain(
    '| Saving 2 files from #C012ABCDEF to',
  );
  expect(shown(savedFiles({ ...NONE_SAVED, ...about, there: 2 }))).toContain(
    '| 2 files from #C012ABCDEF are already in',
  );
});

it('messages that name a direct message fit their sentence', () => {
  const channel = 'D012ABCDEF';
  const about = { folder: INVOICES, elsewhere: channel };
  const paused = linkPaused({ folder: INVOICES, reason: 'DESTINATION_GONE', channel });
  expect(shown(paused)).toContain(
    '| Files shared in a direct message, which you linked, are waiting: its folder, ',
  );
  expect(shown(alreadyLinked({ ...about, isDirect: true }))).toContain(
    '| The direct message is already linked to ',
  );
  expect(shown(savedFiles({ ...NONE_SAVED, ...about, saved: 1 }))).toContain(
    '| Saving 1 file from a direct message to ',
  );
});

const gone = { reason: 'DESTINATION_GONE', folder: INVOICES } as const;
const denied = { reason: 'SERVICE_FORBIDDEN', folder: INVOICES } as const;

describe('messages about a paused link', () => {
  it('notify the person who linked the channel, with the remedy and a button for it', () => {
    expect(shown(linkPaused({ ...gone, channel: 'C012ABCDEF' }))).toMatchInlineSnapshot(`
      "text: Files shared in <#C012ABCDEF>, which you linked, are waiting: its folder, Accounts › Invoices, is gone.
      Choose another folder, and I’ll file them there.
      | Files shared in #C012ABCDEF, which you linked, are waiting: its folder, *Accounts › Invoices*, is gone.
      | Choose another folder, and I’ll file them there.
      [Choose another folder → link_channel {"c":"C012ABCDEF"}]"
    `);
    expect(shown(linkPaused({ ...denied, channel: 'C012ABCDEF' }))).toMatchInlineSnapshot(`
      "text: Files shared in <#C012ABCDEF>, which you linked, are waiting: the file service no longer lets me into its folder, Accounts › Invoices.
      Give my user in the file service access again or choose another folder, and I’ll file them.
      | Files shared in #C012ABCDEF, which you linked, are waiting: the file service no longer lets me into its folder, *Accounts › Invoices*.
      | Give my user in the file service access again or choose another folder, and I’ll file them.
      [Choose another folder → link_channel {"c":"C012ABCDEF"}]"
    `);
  });

  it('tell of a lost right to upload to the project', () => {
    const upload = { ...denied, reason: 'SERVICE_UPLOAD_FORBIDDEN' } as const;
    expect(shown(linkPaused({ ...upload, channel: 'C012ABCDEF' }))).toMatchInlineSnapshot(`
      "text: Files shared in <#C012ABCDEF>, which you linked, are waiting: the file service doesn’t let me upload to the project of its folder, Accounts › Invoices.
      Let my user in the file service upload there or choose another folder, and I’ll file them.
      | Files shared in #C012ABCDEF, which you linked, are waiting: the file service doesn’t let me upload to the project of its folder, *Accounts › Invoices*.
      | Let my user in the file service upload there or choose another folder, and I’ll file them.
      [Choose another folder → link_channel {"c":"C012ABCDEF"}]"
    `);
  });

  it('notify the channel without a button, because not everybody may link it', () => {
    expect(shown(channelPaused({ ...gone, linkBy: 'admins' }))).toMatchInlineSnapshot(`
      "text: Files shared here are waiting: their folder, Accounts › Invoices, is gone. Nothing is lost.
      A workspace admin can choose another folder with /files link; then I’ll file them there.
      | Files shared here are waiting: their folder, *Accounts › Invoices*, is gone. Nothing is lost.
      | A workspace admin can choose another folder with \`/files link\`; then I’ll file them there."
    `);
  });

  it('inform a person who lists the files, with a button only if they may link', () => {
    expect(shown(pausedHere({ ...denied, isDirect: false, mayLink: true }))).toMatchInlineSnapshot(`
      "text: This channel’s files wait: the file service no longer lets me into its folder, Accounts › Invoices. Nothing is lost.
      | This channel’s files wait: the file service no longer lets me into its folder, *Accounts › Invoices*. Nothing is lost.
      [Choose another folder → link_channel {"c":null}]"
    `);
    expect(shown(pausedHere({ ...gone, isDirect: false, mayLink: false }))).not.toContain('[');
  });
});

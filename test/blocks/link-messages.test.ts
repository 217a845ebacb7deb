import { describe, expect, it } from 'vitest';
import {
  alreadyLinked,
  alreadySaved,
  channelPaused,
  linked,
  linkedElsewhere,
  linkPaused,
  noAnnouncements,
  noDestinationHint,
  notAnnounced,
  notInChannel,
  notLinked,
  nowhereToFile,
  pausedHere,
  saving,
  stacked,
  unlinked,
} from '../../src/blocks/index.ts';
import { shown } from '../support/shown-view.ts';

const INVOICES = { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Invoices' };
const INBOX = { projectId: 12, folderId: 1, projectTitle: null, folderName: null };

describe('messages about linking', () => {
  it('say who linked a channel, and where earlier files stay', () => {
    const byUserId = 'U012ABCDEF';
    const first = linked({ isDirect: false, folder: INVOICES, byUserId, wasFolder: null });
    const second = linked({ isDirect: false, folder: INVOICES, byUserId, wasFolder: INBOX });
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
      "text: This channel is already linked to Accounts › Invoices. Nothing has changed.
      | This channel is already linked to *Accounts › Invoices*. Nothing has changed."
    `);
    expect(shown(notLinked({ isDirect: false }))).toMatchInlineSnapshot(`
      "text: This channel isn’t linked, so there’s nothing to unlink.
      | This channel isn’t linked, so there’s nothing to unlink.
      [Link this channel → link_channel {"c":null}]"
    `);
    expect(
      shown(noDestinationHint({ linkBy: 'admins', mayLink: false, isDirect: false })),
    ).toMatchInlineSnapshot(`
      "text: This channel isn’t linked to a folder: files shared here stay in Slack only.
      A workspace admin can link it with /files link; files shared before that can be filed too.
      | This channel isn’t linked to a folder: files shared here stay in Slack only.
      | A workspace admin can link it with \`/files link\`; files shared before that can be filed too."
    `);
    const hint = { linkBy: 'admins', mayLink: true } as const;
    expect(shown(noDestinationHint({ ...hint, isDirect: true }))).toContain(
      '[Link this conversation',
    );
    expect(shown(noDestinationHint({ ...hint, isDirect: false }))).toContain('[Link this channel');
    expect(shown(noDestinationHint({ ...hint, isDirect: true, isIn: false }))).toContain(
      '| I can’t be added to this conversation, so I can’t see files shared here. Share them in a channel, or with me directly.',
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
  it('says what was done and why it could not be posted, and adds the next question', () => {
    const view = linked({
      isDirect: false,
      folder: INVOICES,
      byUserId: 'U012ABCDEF',
      wasFolder: null,
    });
    const question = nowhereToFile({});
    const answer = stacked(view, notAnnounced({ code: 'SLACK_REFUSED' }), question);
    expect(shown(answer)).toMatchSnapshot();
  });
});

it('messages about a channel’s link name the channel if they are read elsewhere', () => {
  const about = { folder: INVOICES, elsewhere: 'C012ABCDEF' };
  expect(shown(notInChannel(about))).toMatchInlineSnapshot(`
    "text: <#C012ABCDEF> is now linked to Accounts › Invoices, but I’m not in it, so I can’t see its files.
    To bring me in, type /invite @pigeonhole in that channel.
    | #C012ABCDEF is now linked to *Accounts › Invoices*, but I’m not in it, so I can’t see its files.
    | To bring me in, type \`/invite @pigeonhole\` in that channel."
  `);
  expect(shown(alreadyLinked({ ...about, isDirect: false }))).toContain(
    '| #C012ABCDEF is already linked to',
  );
  const reader = { linkBy: 'admins', mayLink: true } as const;
  expect(shown(noAnnouncements({ ...reader, ...about }))).toContain(
    '| Files shared in #C012ABCDEF go to the',
  );
  const untold = { code: 'SLACK_REFUSED' as const, ...about };
  expect(shown(notAnnounced(untold))).toContain('I couldn’t post in #C012ABCDEF:');
  const saved = { count: 2, ...about };
  expect(shown(saving(saved))).toContain('| 2 files shared in #C012ABCDEF are on the way to');
  expect(shown(alreadySaved(saved))).toContain('| 2 files shared in #C012ABCDEF are already in');
});

it('messages that name a direct message fit their sentence', () => {
  const channel = 'D012ABCDEF';
  const about = { folder: INVOICES, elsewhere: channel };
  const paused = linkPaused({ folder: INVOICES, reason: 'DESTINATION_GONE', channel });
  expect(shown(paused)).toContain('| Files shared in a direct message are waiting: its folder, ');
  expect(shown(alreadyLinked({ ...about, isDirect: true }))).toContain(
    '| The direct message is already linked to ',
  );
  expect(shown(saving({ ...about, count: 1 }))).toContain(
    '| 1 file shared in a direct message is on the way to ',
  );
});

const gone = { reason: 'DESTINATION_GONE', folder: INVOICES } as const;
const denied = { reason: 'SERVICE_FORBIDDEN', folder: INVOICES } as const;

describe('messages about a paused link', () => {
  it('notify the person who linked the channel, with the remedy and a button for it', () => {
    expect(shown(linkPaused({ ...gone, channel: 'C012ABCDEF' }))).toMatchInlineSnapshot(`
      "text: Files shared in <#C012ABCDEF> are waiting: its folder, Accounts › Invoices, is gone. Nothing is lost.
      Choose another folder, and the waiting files go there automatically.
      I’m telling you because you linked it.
      | Files shared in #C012ABCDEF are waiting: its folder, *Accounts › Invoices*, is gone. Nothing is lost.
      | Choose another folder, and the waiting files go there automatically.
      | I’m telling you because you linked it.
      [Choose another folder → link_channel {"c":"C012ABCDEF"}]"
    `);
    expect(shown(linkPaused({ ...denied, channel: 'C012ABCDEF' }))).toMatchInlineSnapshot(`
      "text: Files shared in <#C012ABCDEF> are waiting: the file service no longer lets me use its folder, Accounts › Invoices. Nothing is lost.
      In the file service, give the user whose key I use access to it again, and the waiting files go there automatically. Or choose another folder for them.
      I’m telling you because you linked it.
      | Files shared in #C012ABCDEF are waiting: the file service no longer lets me use its folder, *Accounts › Invoices*. Nothing is lost.
      | In the file service, give the user whose key I use access to it again, and the waiting files go there automatically. Or choose another folder for them.
      | I’m telling you because you linked it.
      [Choose another folder → link_channel {"c":"C012ABCDEF"}]"
    `);
  });

  it('tell of a lost right to upload to the project', () => {
    const upload = { ...denied, reason: 'SERVICE_UPLOAD_FORBIDDEN' } as const;
    expect(shown(linkPaused({ ...upload, channel: 'C012ABCDEF' }))).toMatchInlineSnapshot(`
      "text: Files shared in <#C012ABCDEF> are waiting: the file service doesn’t let me upload to the project of its folder, Accounts › Invoices. Nothing is lost.
      In the file service, let the user whose key I use upload to that project, and the waiting files go there automatically. Or choose another folder for them.
      I’m telling you because you linked it.
      | Files shared in #C012ABCDEF are waiting: the file service doesn’t let me upload to the project of its folder, *Accounts › Invoices*. Nothing is lost.
      | In the file service, let the user whose key I use upload to that project, and the waiting files go there automatically. Or choose another folder for them.
      | I’m telling you because you linked it.
      [Choose another folder → link_channel {"c":"C012ABCDEF"}]"
    `);
  });

  it('notify the channel without a button, because not everybody may link it', () => {
    expect(shown(channelPaused({ ...gone, linkBy: 'admins' }))).toMatchInlineSnapshot(`
      "text: Files shared here are waiting: their folder, Accounts › Invoices, is gone. Nothing is lost.
      A workspace admin can choose another folder with /files link, and the waiting files go there automatically.
      | Files shared here are waiting: their folder, *Accounts › Invoices*, is gone. Nothing is lost.
      | A workspace admin can choose another folder with \`/files link\`, and the waiting files go there automatically."
    `);
  });

  it('inform a person who lists the files, with a button only if they may link', () => {
    expect(shown(pausedHere({ ...denied, isDirect: false, mayLink: true }))).toMatchInlineSnapshot(`
      "text: This channel’s link is paused: the file service no longer lets me use its folder, Accounts › Invoices. Files shared here wait, and nothing is lost.
      | This channel’s link is paused: the file service no longer lets me use its folder, *Accounts › Invoices*. Files shared here wait, and nothing is lost.
      [Choose another folder → link_channel {"c":null}]"
    `);
    expect(shown(pausedHere({ ...gone, isDirect: false, mayLink: false }))).not.toContain('[');
  });
});

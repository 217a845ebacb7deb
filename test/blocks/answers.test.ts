import { describe, expect, it } from 'vitest';
import {
  alreadyLinked,
  changeRefused,
  deleteForbidden,
  deleteGone,
  deleteRefused,
  help,
  type LinkRefusal,
  linked,
  linkRefused,
  linkUsage,
  membersOnly,
  noDestinationHint,
  notForAccounts,
  notLinked,
  nowhereToFile,
  serviceTrouble,
  unknownVerb,
  unlinked,
  untold,
  type View,
} from '../../src/blocks/index.ts';
import { blockKitProblems } from '../support/block-kit-limits.ts';
import { shownView } from '../support/shown-view.ts';

const INVOICES = { projectId: 12, folderId: 345, name: 'Invoices' };
const INBOX = { projectId: 12, folderId: 1, name: null };

function shown(view: View): string {
  expect(blockKitProblems(view)).toEqual([]);
  return shownView(view);
}

describe('help', () => {
  it('says where files go and what each command does', () => {
    expect(shown(help({ linked: INVOICES, isDefault: false }))).toMatchInlineSnapshot(`
      "text: Files shared in this channel are filed in Invoices.
      /files – the files in this channel’s folder, newest first
      /files &lt;text&gt; – only files with that text in their name
      /files find &lt;text&gt; – the same, for a text that is also a command
      /files link &lt;project&gt;/&lt;folder&gt; – file this channel’s shares in that folder
      /files unlink – take that link away; files already in the folder stay there
      /folders – the folders of the project, each with a button to link it
      /files help – this text
      Workspace admins can link channels. Members can delete the files that they shared, and workspace admins any file.
      | Files shared in this channel are filed in *Invoices*.
      | \`/files\` – the files in this channel’s folder, newest first
      | \`/files <text>\` – only files with that text in their name
      | \`/files find <text>\` – the same, for a text that is also a command
      | \`/files link <project>/<folder>\` – file this channel’s shares in that folder
      | \`/files unlink\` – take that link away; files already in the folder stay there
      | \`/folders\` – the folders of the project, each with a button to link it
      | \`/files help\` – this text
      | Workspace admins can link channels. Members can delete the files that they shared, and workspace admins any file."
    `);
  });

  it('tells the default folder and no folder apart', () => {
    expect(shown(help({ linked: INBOX, isDefault: true }))).toContain(
      '*folder 12/1*, the default for',
    );
    expect(shown(help({ linked: null, isDefault: false }))).toContain('has no folder yet');
  });
});

describe('unknownVerb', () => {
  it('echoes the word with the nearest verb, and how to search for it', () => {
    expect(shown(unknownVerb({ typed: 'lnik', nearest: 'link' }))).toMatchInlineSnapshot(`
      "text: lnik is not something I know. Did you mean /files link?
      To look for files with it in their name, type /files find lnik.
      All commands: /files help
      | \`lnik\` is not something I know. Did you mean \`/files link\`?
      | To look for files with it in their name, type \`/files find lnik\`.
      | All commands: \`/files help\`"
    `);
  });

  it('echoes nothing that pings, and guesses nothing where nothing is near', () => {
    const view = unknownVerb({ typed: '<!channel> `*', nearest: null });
    expect(shown(view)).not.toContain('Did you mean');
    expect(view.text).toContain('&lt;!channel&gt;');
  });
});

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

describe('what somebody may not do', () => {
  it.each(['unlink', 'file-earlier', 'stop-filing', 'retry'] as const)('%s', (change) => {
    const reasons = ['not-allowed', 'other-workspace'] as const;
    expect(reasons.map((reason) => shown(changeRefused({ change, reason })))).toMatchSnapshot();
  });

  it('looking through the folders', () => {
    expect(shown(membersOnly())).toMatchSnapshot();
  });

  it('anything, for accounts that are nobody’s', () => {
    expect(shown(notForAccounts())).toContain('Deactivated accounts and bots can’t use Pigeonhole');
  });
});

describe('what is done all the same', () => {
  it('is said with why the channel does not know, and with what is asked next', () => {
    const view = linked({ folder: INVOICES, byUserId: 'U012ABCDEF', wasFolder: null });
    const question = nowhereToFile();
    expect(shown(untold({ view, code: 'SLACK_REFUSED', question }))).toMatchSnapshot();
  });
});

describe('deleting', () => {
  it('says why not, and who can', () => {
    const name = 'report.pdf';
    const refused = (['not-allowed', 'guest', 'other-workspace', 'elsewhere'] as const).map(
      (reason) => shown(deleteRefused({ reason, name })),
    );
    expect(refused).toMatchSnapshot();
    expect(shown(deleteForbidden({ name }))).toMatchSnapshot();
    expect(shown(deleteGone({ name }))).toContain('| report.pdf was gone already.');
  });
});

describe('serviceTrouble', () => {
  it('says what failed, why, when to try again, and how to find it in the log', () => {
    const view = serviceTrouble({
      code: 'SERVICE_RATE_LIMITED',
      note: null,
      retryAfterMs: 20_000,
      reference: 'a1b2c3',
      doing: 'list',
    });
    expect(shown(view)).toMatchInlineSnapshot(`
      "text: The files could not be listed: the file service is busy and asks to wait. Try again in about 20 s.
      | The files could not be listed: the file service is busy and asks to wait. Try again in about 20 s.
      - Reference: a1b2c3"
    `);
  });

  it('does not say "deleted" or "not deleted" when nobody knows', () => {
    const trouble = { note: null, retryAfterMs: null, reference: null, doing: 'delete' } as const;
    expect(shown(serviceTrouble({ ...trouble, code: 'SERVICE_TIMEOUT' }))).toMatchInlineSnapshot(`
      "text: The file may not have been deleted: the file service did not answer in time. Type /files in a minute: if the file is still there, delete it again.
      | The file may not have been deleted: the file service did not answer in time. Type /files in a minute: if the file is still there, delete it again."
    `);
    expect(shown(serviceTrouble({ ...trouble, code: 'SERVICE_FORBIDDEN' }))).toMatchInlineSnapshot(`
      "text: The file was not deleted: the file service does not let me use this folder. Ask for access to the folder, or link this channel to another with /files link.
      | The file was not deleted: the file service does not let me use this folder. Ask for access to the folder, or link this channel to another with /files link."
    `);
  });

  it('quotes the service where nobody else knows the reason', () => {
    const trouble = { retryAfterMs: null, reference: null, doing: 'delete' } as const;
    const refused = { ...trouble, code: 'SERVICE_REFUSED', note: 'File is <locked>' } as const;
    expect(shown(serviceTrouble(refused))).toMatchInlineSnapshot(`
      "text: The file was not deleted: the file service refused it (File is &lt;locked&gt;). If it’s refused again, tell whoever runs Pigeonhole.
      | The file was not deleted: the file service refused it (File is <locked>). If it’s refused again, tell whoever runs Pigeonhole."
    `);
  });

  it('does not ask to wait for what waiting does not mend', () => {
    const view = serviceTrouble({
      code: 'SERVICE_UNAUTHORIZED',
      note: null,
      retryAfterMs: null,
      reference: null,
      doing: 'folders',
    });
    expect(shown(view)).toMatchInlineSnapshot(`
      "text: The folders could not be listed: the file service doesn’t accept the key I use. The person who runs Pigeonhole needs to put in a valid key.
      | The folders could not be listed: the file service doesn’t accept the key I use. The person who runs Pigeonhole needs to put in a valid key."
    `);
  });
});

import { describe, expect, it } from 'vitest';
import { help, unknownVerb } from '../../src/blocks/index.ts';
import { shown } from '../support/shown-view.ts';

const INVOICES = { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Invoices' };
const INBOX = { projectId: 12, folderId: 1, projectTitle: null, folderName: null };

const ADMIN = { isDirect: false, isIn: true, mayLink: true, mayBrowse: true, inThread: false };

describe('help', () => {
  it('leaves out what the reader may not do', () => {
    const given = { ...ADMIN, linked: INVOICES, isDefault: false };
    const member = shown(help({ linkBy: 'admins', ...given, mayLink: false, mayBrowse: true }));
    expect(member).toContain('/folders');
    expect(member).not.toMatch(/\/files (un)?link/);
    expect(
      shown(help({ linkBy: 'admins', ...given, mayLink: false, mayBrowse: false })),
    ).not.toContain('/folders');
  });

  it('says where files go and what each command does', () => {
    expect(
      shown(help({ linkBy: 'admins', linked: INVOICES, isDefault: false, ...ADMIN })),
    ).toMatchInlineSnapshot(`
      "text: Files shared in this channel are filed in Accounts › Invoices.
      /files – the files in this channel’s folder, newest first
      /files &lt;words&gt; – only those with all these words in their names, in any order
      /files find &lt;words&gt; – the same in the folders of all channels you’re in
      /files link – choose the folder for what’s shared in this channel
      /files unlink – unlink this channel; files already in the folder stay there
      /files announce on – post when others add files to the folder
      /files status – what waits or couldn’t be filed, and why
      /folders – the folders a channel can be linked to
      /files help – this text
      Workspace admins can link channels. Members can delete files they shared; workspace admins can delete any file.
      | Files shared in this channel are filed in *Accounts › Invoices*.
      | \`/files\` – the files in this channel’s folder, newest first
      | \`/files <words>\` – only those with all these words in their names, in any order
      | \`/files find <words>\` – the same in the folders of all channels you’re in
      | \`/files link\` – choose the folder for what’s shared in this channel
      | \`/files unlink\` – unlink this channel; files already in the folder stay there
      | \`/files announce on\` – post when others add files to the folder
      | \`/files status\` – what waits or couldn’t be filed, and why
      | \`/folders\` – the folders a channel can be linked to
      | \`/files help\` – this text
      | Workspace admins can link channels. Members can delete files they shared; workspace admins can delete any file."
    `);
  });

  it('says in a direct message between people that the bot cannot be added', () => {
    const given = { linked: INVOICES, isDefault: true, ...ADMIN, isIn: false };
    expect(shown(help({ linkBy: 'admins', ...given, isDirect: true }))).toContain(
      '| I can’t be added to this conversation, so I can’t see files shared here. Share them in a channel, or with me directly.',
    );
  });

  it('distinguishes the default folder from no folder', () => {
    expect(shown(help({ linkBy: 'admins', linked: INBOX, isDefault: true, ...ADMIN }))).toContain(
      '*folder 12/1*, the default for',
    );
    expect(shown(help({ linkBy: 'admins', linked: null, isDefault: false, ...ADMIN }))).toContain(
      'has no folder yet',
    );
  });

  it('calls a direct message a conversation, not a channel', () => {
    const direct = { isDefault: false, ...ADMIN, isDirect: true };
    const member = { ...direct, mayLink: false };
    expect(shown(help({ linkBy: 'admins', linked: null, ...member }))).toContain(
      'This conversation has no folder. To have a file filed, share it in a linked channel.',
    );
    expect(shown(help({ linkBy: 'admins', linked: null, ...direct }))).toContain(
      'This conversation has no folder yet: files shared here stay in Slack only until it’s linked to one.',
    );
    const linked = shown(help({ linkBy: 'admins', linked: INVOICES, ...direct }));
    expect(linked).toContain(
      'Files shared in this conversation are filed in *Accounts › Invoices*.',
    );
    expect(linked).toContain('`/files unlink` – unlink this conversation;');
    expect(linked).not.toContain('this channel');
  });
});

describe('unknownVerb', () => {
  it('repeats the word, suggests the nearest command, and says how to search for the word', () => {
    expect(shown(unknownVerb({ typed: 'lnik', nearest: 'link' }))).toMatchInlineSnapshot(`
      "text: I don’t know the command lnik. Did you mean /files link?
      To list the files with that in their names, type /files list lnik.
      All commands: /files help
      | I don’t know the command \`lnik\`. Did you mean \`/files link\`?
      | To list the files with that in their names, type \`/files list lnik\`.
      | All commands: \`/files help\`"
    `);
  });

  it('escapes what was typed, so that it pings nobody', () => {
    const view = unknownVerb({ typed: '<!channel> `*', nearest: 'status' });
    expect(view.text).toContain('&lt;!channel&gt;');
  });
});

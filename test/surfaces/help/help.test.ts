import { describe, expect, it } from 'vitest';
import { help, noRenaming, noUpload, unknownVerb } from '../../../src/surfaces/help/help.ts';
import { HELP_LINES } from '../../../src/surfaces/index.ts';
import { shown } from '../../support/shown-view.ts';

const INVOICES = { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Invoices' };
const INBOX = { projectId: 12, folderId: 1, projectTitle: null, folderName: null };

const ADMIN = {
  isDirect: false,
  isIn: true,
  mayLink: true,
  mayBrowse: true,
  inThread: false,
  commands: HELP_LINES,
};

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

  it('leaves out what does not work where the reader is', () => {
    const commands = (changes: object) => {
      const given = { linkBy: 'admins', linked: INVOICES, isDefault: false, ...ADMIN } as const;
      return shown(help({ ...given, ...changes })).match(/(?<=^\| `)[^`]+/gm);
    };
    const always = [
      '/files find <words>',
      '/files link',
      '/files status',
      '/folders',
      '/files help',
    ];
    const ofDefault = ['/files', '/files <words>', ...always];
    expect(commands({ linked: null })).toEqual(always);
    expect(commands({ isDefault: true })).toEqual(ofDefault);
    expect(commands({ isDirect: true })).toEqual([
      ...['/files', '/files <words>', '/files find <words>', '/files link', '/files unlink'],
      ...['/files settings', '/files status', '/folders', '/files help'],
    ]);
  });

  it('says where files go and what each command does', () => {
    expect(
      shown(help({ linkBy: 'admins', linked: INVOICES, isDefault: false, ...ADMIN })),
    ).toMatchInlineSnapshot(`
      "text: I file what’s shared here in Accounts › Invoices.
      /files – the files in this channel’s folder, newest first
      /files &lt;words&gt; – search this folder
      /files find &lt;words&gt; – search all your channels
      /files link – choose the folder for what’s shared in this channel
      /files unlink – unlink this channel; files already in the folder stay there
      /files settings – this channel’s folder, and how much I say here
      /files announce on – post when others add files to the folder
      /files status – files that are stuck, and what to do
      /folders – all projects and folders
      /files help – all commands
      | I file what’s shared here in *Accounts › Invoices*.
      | \`/files\` – the files in this channel’s folder, newest first
      | \`/files <words>\` – search this folder
      | \`/files find <words>\` – search all your channels
      | \`/files link\` – choose the folder for what’s shared in this channel
      | \`/files unlink\` – unlink this channel; files already in the folder stay there
      | \`/files settings\` – this channel’s folder, and how much I say here
      | \`/files announce on\` – post when others add files to the folder
      | \`/files status\` – files that are stuck, and what to do
      | \`/folders\` – all projects and folders
      | \`/files help\` – all commands"
    `);
  });

  it('says who can choose the folder once', () => {
    const guest = { ...ADMIN, mayLink: false, mayBrowse: false, isDefault: false };
    const times = (changes: object) => {
      const given = { linkBy: 'admins', linked: null, ...guest, ...changes } as const;
      return shown(help(given)).match(/^\| .*A workspace admin can/gm)?.length;
    };
    expect(times({})).toBe(1);
    expect(times({ isIn: false })).toBe(1);
    expect(times({ linked: INVOICES })).toBe(1);
  });

  it('says in a direct message between people that the bot cannot be added', () => {
    const given = { linked: INVOICES, isDefault: true, ...ADMIN, isIn: false };
    expect(shown(help({ linkBy: 'admins', ...given, isDirect: true }))).toContain(
      '| I can’t be added to this conversation. Share files in a channel, or with me directly.',
    );
  });

  it('distinguishes the default folder from no folder', () => {
    expect(shown(help({ linkBy: 'admins', linked: INBOX, isDefault: true, ...ADMIN }))).toContain(
      '*folder 12/1*, like those of all channels without',
    );
    expect(shown(help({ linkBy: 'admins', linked: null, isDefault: false, ...ADMIN }))).toContain(
      'has no folder yet',
    );
  });

  it('calls a direct message a conversation, not a channel', () => {
    const direct = { isDefault: false, ...ADMIN, isDirect: true };
    const member = { ...direct, mayLink: false };
    expect(shown(help({ linkBy: 'admins', linked: null, ...member }))).toContain(
      'Share a file in a channel with a folder, and I’ll file it.',
    );
    expect(shown(help({ linkBy: 'admins', linked: null, ...direct }))).toContain(
      'This conversation has no folder yet. You can choose one with `/files link`.',
    );
    const linked = shown(help({ linkBy: 'admins', linked: INVOICES, ...direct }));
    expect(linked).toContain('I file what’s shared here in *Accounts › Invoices*.');
    expect(linked).toContain('`/files unlink` – unlink this conversation;');
    expect(linked).not.toContain('this channel');
  });
});

describe('noUpload', () => {
  const said = (changes: Partial<Parameters<typeof noUpload>[0]> = {}) =>
    noUpload({
      ...{ linkBy: 'admins', mayLink: false, isDirect: false, isIn: true },
      ...{ linked: INVOICES, isDefault: false, ...changes },
    }).text;

  it('says where files that are shared there go', () => {
    expect(said()).toBe('I file what’s shared here in Accounts › Invoices.');
    expect(said({ isIn: false })).toMatch(/^I’m not in this channel.*\/invite/);
    expect(said({ heldFor: 'DESTINATION_GONE' })).toBe('Files are waiting: the folder is gone.');
  });

  it('promises nothing where there is no folder', () => {
    expect(said({ linked: null })).toBe(
      'This channel has no folder yet. A workspace admin can choose one with /files link.',
    );
    expect(said({ linked: null, isDirect: true })).toBe(
      'Share a file in a channel with a folder, and I’ll file it.',
    );
  });

  it('names the shortcut that saves files only to those who may use it', () => {
    expect(said({ mayLink: true })).toContain('choose “Save files to a folder”');
    expect(said()).not.toContain('Save files');
  });
});

it('noRenaming says where to rename a file, and where that shows', () => {
  expect(noRenaming().text).toBe(
    'I can’t rename or move files. Do it in the file service, and /files shows it.',
  );
});

describe('unknownVerb', () => {
  it('repeats the word, suggests the nearest command, and says how to search for the word', () => {
    expect(shown(unknownVerb({ typed: 'lnik', nearest: 'link' }))).toMatchInlineSnapshot(`
      "text: I don’t know lnik. Did you mean /files link? Or find files with /files find lnik.
      | I don’t know \`lnik\`. Did you mean \`/files link\`? Or find files with \`/files find lnik\`."
    `);
  });

  it('escapes what was typed, so that it pings nobody', () => {
    const view = unknownVerb({ typed: '<!channel> `*', nearest: 'status' });
    expect(view.text).toContain('&lt;!channel&gt;');
  });
});

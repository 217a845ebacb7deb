import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { noUpload } from '../src/surfaces/help/help.ts';
import { missingScopes } from '../src/surfaces/notices/operator-notices.ts';
import { sourceFiles } from './support/source-files.ts';

const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history'];
const READ = ['channels:read', 'groups:read', 'im:read', 'mpim:read'];

/**
 * The scopes that each method of the Web API requires (https://docs.slack.dev/reference/methods).
 */
const METHOD_SCOPES: Record<string, readonly string[]> = {
  'auth.test': [],
  'bookmarks.add': ['bookmarks:write'],
  'bookmarks.list': ['bookmarks:read'],
  'bookmarks.remove': ['bookmarks:write'],
  'bots.info': ['users:read'],
  'chat.delete': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.unfurl': ['links:write'],
  'chat.update': ['chat:write'],
  'conversations.history': HISTORY,
  'conversations.info': READ,
  'conversations.replies': HISTORY,
  'files.info': ['files:read'],
  'reactions.add': ['reactions:write'],
  'reactions.remove': ['reactions:write'],
  'users.conversations': READ,
  'users.info': ['users:read'],
  // Interactivity and the App Home need no scope.
  'views.open': [],
  'views.publish': [],
  'views.update': [],
};

/** The manifest's events for each event of the code, with the scopes that these require. */
const EVENT_SCOPES: Record<string, Record<string, readonly string[]>> = {
  message: {
    'message.channels': ['channels:history'],
    'message.groups': ['groups:history'],
    'message.im': ['im:history'],
    'message.mpim': ['mpim:history'],
  },
  app_home_opened: { app_home_opened: [] },
  channel_id_changed: { channel_id_changed: ['groups:read'] },
  file_deleted: { file_deleted: ['files:read'] },
  link_shared: { link_shared: ['links:read'] },
  member_joined_channel: { member_joined_channel: ['channels:read', 'groups:read'] },
};

const text = readFileSync(new URL('../manifest.yml', import.meta.url), 'utf8');
const manifest = parse(text);
const overHttp = parse(text.replaceAll('#http ', ''));
const withPreviews = parse(text.replaceAll('#links ', ''));
const code = sourceFiles().filter(({ room }) => room !== 'playground');

/** Returns what a pattern's first group matches in the product's sources, each once. */
function inCode(pattern: RegExp): string[] {
  const found = code.flatMap((file) =>
    [...file.text.matchAll(pattern)].map(([, name = '']) => name),
  );
  return [...new Set(found)].toSorted();
}

const methods = inCode(/\bclient\.([a-z]+\.[a-zA-Z]+)\(/g);
const events = inCode(/\bapp\.event\('([a-z_]+)'/g);
const eventScopes = events.map((event) => EVENT_SCOPES[event] ?? {});

describe('manifest.yml', () => {
  it('has the commands that the code handles', () => {
    const commands = manifest.features.slash_commands.map(
      ({ command }: { command: string }) => command,
    );
    expect(commands.toSorted()).toEqual(inCode(/\bonCommand\('(\/[a-z]+)', /g));
  });

  it('has the shortcuts that the code handles, within Slack’s limits', () => {
    const { shortcuts } = manifest.features;
    const ids = shortcuts.map(({ callback_id }: { callback_id: string }) => callback_id);
    const global = inCode(/\bFIND_FILES = '([a-z_]+)'/g);
    const onMessages = inCode(/\bonMessageShortcut\('([a-z_]+)', /g);
    expect(ids.toSorted()).toEqual([...global, ...onMessages].toSorted());
    for (const { name, type, description, callback_id } of shortcuts) {
      expect(name.length).toBeLessThanOrEqual(24);
      expect(description.length).toBeLessThanOrEqual(150);
      expect(type).toBe(global.includes(callback_id) ? 'global' : 'message');
    }
  });

  it('subscribes to the events that the code listens for', () => {
    expect(events.filter((event) => !(event in EVENT_SCOPES))).toEqual([]);
    const wanted = eventScopes.flatMap((scopes) => Object.keys(scopes));
    const { bot_events: subscribed } = withPreviews.settings.event_subscriptions;
    expect(subscribed.toSorted()).toEqual(wanted.toSorted());
  });

  it('has exactly the scopes that these events and the called methods require', () => {
    expect(methods.filter((method) => !(method in METHOD_SCOPES))).toEqual([]);
    const wanted = new Set([
      'commands',
      ...methods.flatMap((method) => METHOD_SCOPES[method] ?? []),
      ...eventScopes.flatMap((scopes) => Object.values(scopes).flat()),
    ]);
    expect(withPreviews.oauth_config.scopes.bot.toSorted()).toEqual([...wanted].toSorted());
  });

  it('has the scopes whose absence is reported at the start, beside optional ones', () => {
    const { bot, bot_optional } = manifest.oauth_config.scopes;
    expect(bot).toEqual([...Object.keys(missingScopes([])), ...bot_optional]);
    expect(bot_optional).toEqual(['bookmarks:read', 'bookmarks:write']);
  });

  it('gives the reason for each scope and event above it', () => {
    const lines = text.split('\n').map((line) => line.trim());
    const listed = [
      ...manifest.oauth_config.scopes.bot,
      ...manifest.settings.event_subscriptions.bot_events,
    ];
    const above = (entry: string) => lines[lines.indexOf(`- ${entry}`) - 1] ?? '';
    expect(listed.filter((entry: string) => !above(entry).startsWith('# '))).toEqual([]);
  });

  it('has no method in this test’s table that is not called', () => {
    expect(Object.keys(METHOD_SCOPES).toSorted()).toEqual(methods);
  });

  it('lets people press buttons, open the App Home, and write to the app', () => {
    expect(manifest.settings.interactivity.is_enabled).toBe(true);
    expect(manifest.features.app_home).toMatchObject({
      home_tab_enabled: true,
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    });
  });

  it('names the shortcut that an answer mentions', () => {
    const reader = { linkBy: 'admins', mayLink: true, isDirect: false } as const;
    const { text } = noUpload({ ...reader, linked: null, isDefault: false, isIn: true });
    const [, spoken] = /choose “(.+?)” in its message/.exec(text) ?? [];
    const names = manifest.features.shortcuts.map(({ name }: { name: string }) => name);
    expect(names).toContain(spoken);
  });

  it('keeps to Slack’s limits', () => {
    const { name, description, long_description } = manifest.display_information;
    expect(name.length).toBeLessThanOrEqual(35);
    expect(description.length).toBeLessThanOrEqual(140);
    expect(long_description.length).toBeGreaterThanOrEqual(174);
    expect(long_description.length).toBeLessThanOrEqual(4000);
    expect(manifest.features.bot_user.display_name).toMatch(/^[a-z0-9._-]{1,80}$/);
  });

  it('works unchanged for Socket Mode, as it has no address', () => {
    expect(manifest.settings.socket_mode_enabled).toBe(true);
    expect(JSON.stringify(manifest)).not.toContain('http');
  });

  it('asks for nothing of links, and names no domain, unless previews are turned on', () => {
    expect(JSON.stringify(manifest)).not.toMatch(/links|unfurl/);
    expect(withPreviews.features.unfurl_domains).toEqual(['files.example.com']);
  });

  it('has the app’s address wherever Slack calls it, once its marks are removed', () => {
    const { slash_commands } = overHttp.features;
    const { event_subscriptions, interactivity } = overHttp.settings;
    const addresses = [
      ...slash_commands.map(({ url }: { url: string }) => url),
      event_subscriptions.request_url,
      interactivity.request_url,
      interactivity.message_menu_options_url,
    ];
    expect(new Set(addresses)).toEqual(new Set(['https://pigeonhole.example.com/slack/events']));
    expect(addresses).toHaveLength(5);
  });
});

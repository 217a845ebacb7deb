import type { Emulator } from './emulator.ts';
import { isJson, type Json, objectOf, objectsOf, stringOf } from './slack-types.ts';
import { ACCOUNTS, APP, MEMBERS, PARTNER_TEAM_ID, TEAM } from './workspace-seed.ts';

/** Slack's identifiers, by account name and channel name. */
export interface Ids {
  team: string;
  app: string;
  /** The bot's user identifier; `botId` is its bot identifier. */
  bot: string;
  botId: string;
  users: Record<string, string>;
  /** `general`, `design`, `board` (private), `dm` (ben and the bot), `random` (no bot in it). */
  channels: Record<string, string>;
}

export interface Channel {
  id: string;
  name: string;
  /** As in an event's `channel_type`. */
  type: 'channel' | 'group' | 'im';
  members: readonly string[];
  /** Fields that override the emulator's, such as `is_ext_shared`. */
  extras: Json;
}

export type Directory = Awaited<ReturnType<typeof createDirectory>>;

/** Users and channels. `userId` and `channelId` take a name or an identifier; throw if unknown. */
export async function createDirectory(emulator: Emulator, botToken: string) {
  const ids = await arrangeWorkspace(emulator);
  const cache = new Map<string, Promise<Channel | undefined>>();
  const channelExtras = new Map<string, Json>();
  const userExtras = new Map<string, Json>([
    [lookUp(ids.users, 'ada'), { is_owner: true, is_primary_owner: true }],
    [
      lookUp(ids.users, 'dan'),
      { is_restricted: true, is_stranger: true, team_id: PARTNER_TEAM_ID },
    ],
    [lookUp(ids.users, 'eve'), { is_restricted: true }],
  ]);
  const accounts = Object.fromEntries(Object.entries(ids.users).map(([name, id]) => [id, name]));

  const channel = async (id: string) => {
    const known = cache.get(id) ?? readChannel(emulator, id);
    cache.set(id, known);
    const found = await known;
    return found && { ...found, extras: channelExtras.get(id) ?? {} };
  };
  const extrasOf = (userId: string) => userExtras.get(userId) ?? {};
  const account = (userId: string) => lookUp(accounts, userId);

  return {
    ids,
    userId: (ref: string) => (Object.hasOwn(accounts, ref) ? ref : lookUp(ids.users, ref)),
    channelId: (ref: string) => (/^[CDG][0-9A-Z]{8,}$/.test(ref) ? ref : lookUp(ids.channels, ref)),
    /** Returns the account name of a user identifier; throws if it is unknown. */
    account,
    accountOfToken: (token: string) => (token === botToken ? APP.account : undefined),
    channel,
    /** Resolves with an account that may read the channel; rejects if there is none. */
    readerOf: async (id: string) => {
      const members = (await channel(id))?.members ?? [];
      const reader = members.find((member) => Object.hasOwn(accounts, member));
      if (!reader) throw new Error(`Nobody known here is a member of ${id}`);
      return account(reader);
    },
    /** Clears the cached channels, after members or names have changed. */
    refresh: () => cache.clear(),
    userExtras: extrasOf,
    teamOf: (userId: string) => stringOf(extrasOf(userId), 'team_id') || TEAM.id,
    setChannel: (ref: string, extras: Json): void => {
      const id = ids.channels[ref] ?? ref;
      channelExtras.set(id, { ...channelExtras.get(id), ...extras });
    },
    setUser: (ref: string, extras: Json): void => {
      const id = ids.users[ref] ?? ref;
      userExtras.set(id, { ...extrasOf(id), ...extras });
    },
  };
}

async function readChannel(emulator: Emulator, id: string): Promise<Channel | undefined> {
  for (const account of ACCOUNTS) {
    const info = await emulator.call('conversations.info', { channel: id }, account);
    if (info.error === 'channel_not_found') return undefined;
    const channel = info['channel'];
    if (!isJson(channel)) continue;
    const listed = await emulator.call('conversations.members', { channel: id }, account);
    const members = Array.isArray(listed['members']) ? listed['members'].map(String) : [];
    return { id, name: stringOf(channel, 'name'), type: typeOf(channel), members, extras: {} };
  }
  return undefined;
}

function typeOf(channel: Json): Channel['type'] {
  if (channel['is_im'] === true) return 'im';
  return channel['is_private'] === true ? 'group' : 'channel';
}

/**
 * Sets the channels' members and returns the identifiers that the emulator assigned. Initially only
 * the emulator's administrator is in #general and #random; everybody is in #board.
 */
async function arrangeWorkspace(emulator: Emulator): Promise<Ids> {
  const people = await emulator.call('users.list', { limit: 1000 }, 'ada');
  const users = byName(objectsOf(people, 'members') ?? []);
  const types = 'public_channel,private_channel';
  const list = await emulator.call('conversations.list', { limit: 1000, types }, 'ada');
  const channels = byName(objectsOf(list, 'channels') ?? []);
  for (const account of ACCOUNTS) {
    await emulator.call('conversations.join', { channel: channels['general'] }, account);
  }
  for (const account of MEMBERS.filter((name) => name !== 'eve')) {
    await emulator.call('conversations.join', { channel: channels['random'] }, account);
  }
  for (const outsider of ['dan', 'eve', 'admin']) {
    const user = users[outsider];
    await emulator.call('conversations.kick', { channel: channels['board'], user }, 'ada');
  }
  for (const name of ['design', 'board']) {
    const invitation = { channel: channels[name], users: APP.userId };
    await emulator.call('conversations.invite', invitation, 'ada');
  }
  const dm = await emulator.call('conversations.open', { users: users['ben'] }, APP.account);
  channels['dm'] = stringOf(objectOf(dm, 'channel') ?? {}, 'id');
  const ours = Object.fromEntries(ACCOUNTS.map((name) => [name, lookUp(users, name)]));
  return { team: TEAM.id, app: APP.id, bot: APP.userId, botId: APP.botId, users: ours, channels };
}

function byName(list: Json[]): Record<string, string> {
  return Object.fromEntries(list.map((item) => [stringOf(item, 'name'), stringOf(item, 'id')]));
}

/** Returns the entry of that name; throws an error that lists the known names. */
function lookUp(table: Record<string, string>, name: string): string {
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found) return found;
  throw new Error(`There is no ${name}; there are ${Object.keys(table).join(', ')}`);
}

import type { Emulator } from './emulator.ts';
import { type Ids, lookUp, readIds } from './ids.ts';
import { ACCOUNTS, APP, PARTNER_TEAM_ID, TEAM } from './people.ts';
import { isJson, type Json, stringOf } from './slack-shapes.ts';

export interface Channel {
  id: string;
  name: string;
  /** As in an event's `channel_type`. */
  type: 'channel' | 'group' | 'im';
  members: readonly string[];
  /** Fields that override the emulator's, such as `is_ext_shared`. */
  extras: Json;
}

/** People and channels. `userId` and `channelId` take a name or an identifier; throw if unknown. */
export interface Directory {
  ids: Ids;
  userId(nameOrId: string): string;
  channelId(nameOrId: string): string;
  /** Returns the account name of a user identifier; throws if it is unknown. */
  account(userId: string): string;
  accountOfToken(token: string): string | undefined;
  channel(id: string): Promise<Channel | undefined>;
  /** Resolves with an account that may read the channel; rejects if there is none. */
  readerOf(channel: string): Promise<string>;
  /** Clears the cached channels, after members or names have changed. */
  refresh(): void;
  userExtras(userId: string): Json;
  teamOf(userId: string): string;
  setChannel(nameOrId: string, extras: Json): void;
  setUser(nameOrId: string, extras: Json): void;
}

export async function createDirectory(emulator: Emulator, botToken: string): Promise<Directory> {
  const ids = await readIds(emulator);
  const cache = new Map<string, Promise<Channel | undefined>>();
  const channelExtras = new Map<string, Json>();
  const userExtras = new Map<string, Json>([
    [lookUp(ids.users, 'ada'), { is_owner: true, is_primary_owner: true }],
    [
      lookUp(ids.users, 'dan'),
      { is_restricted: true, is_stranger: true, team_id: PARTNER_TEAM_ID },
    ],
  ]);
  const accounts = new Map(Object.entries(ids.users).map(([name, id]) => [id, name]));

  const channel = async (id: string) => {
    const known = cache.get(id) ?? readChannel(emulator, id);
    cache.set(id, known);
    const found = await known;
    return found && { ...found, extras: channelExtras.get(id) ?? {} };
  };
  const extrasOf = (userId: string) => userExtras.get(userId) ?? {};
  const account = (userId: string) => lookUp(Object.fromEntries(accounts), userId);

  return {
    ids,
    userId: (ref) => (accounts.has(ref) ? ref : lookUp(ids.users, ref)),
    channelId: (ref) => (/^[CDG][0-9A-Z]{8,}$/.test(ref) ? ref : lookUp(ids.channels, ref)),
    account,
    accountOfToken: (token) => (token === botToken ? APP.account : undefined),
    channel,
    readerOf: async (id) => {
      const members = (await channel(id))?.members ?? [];
      const reader = members.find((member) => accounts.has(member));
      if (!reader) throw new Error(`Nobody known here is a member of ${id}`);
      return account(reader);
    },
    refresh: () => cache.clear(),
    userExtras: extrasOf,
    teamOf: (userId) => stringOf(extrasOf(userId), 'team_id') || TEAM.id,
    setChannel: (ref, extras) => {
      const id = ids.channels[ref] ?? ref;
      channelExtras.set(id, { ...channelExtras.get(id), ...extras });
    },
    setUser: (ref, extras) => {
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
    const name = stringOf(channel, 'name');
    return { id, name, type: typeOf(channel), members, extras: {} };
  }
  return undefined;
}

function typeOf(channel: Json): Channel['type'] {
  if (channel['is_im'] === true) return 'im';
  return channel['is_private'] === true ? 'group' : 'channel';
}

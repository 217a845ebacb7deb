import type { Emulator } from './emulator.ts';
import { ACCOUNTS, APP, MEMBERS, TEAM } from './people.ts';
import { type Json, objectOf, objectsOf, stringOf } from './slack-shapes.ts';

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

/** Returns the entry of that name; throws an error that lists the known names. */
export function lookUp(table: Record<string, string>, name: string): string {
  const found = table[name];
  if (found) return found;
  throw new Error(`There is no ${name}; there are ${Object.keys(table).join(', ')}`);
}

/** Sets the channels' members and reads the identifiers that the emulator assigned. */
export async function readIds(emulator: Emulator): Promise<Ids> {
  const people = await emulator.call('users.list', { limit: 1000 }, 'ada');
  const users = byName(objectsOf(people, 'members') ?? []);
  await arrangeChannels(emulator, users);
  const types = 'public_channel,private_channel';
  const list = await emulator.call('conversations.list', { limit: 1000, types }, 'ada');
  const dm = await emulator.call('conversations.open', { users: users['ben'] }, APP.account);
  const channels = byName(objectsOf(list, 'channels') ?? []);
  channels['dm'] = stringOf(objectOf(dm, 'channel') ?? {}, 'id');
  const ours = Object.fromEntries(ACCOUNTS.map((name) => [name, lookUp(users, name)]));
  return { team: TEAM.id, app: APP.id, bot: APP.userId, botId: APP.botId, users: ours, channels };
}

function byName(list: Json[]): Record<string, string> {
  return Object.fromEntries(list.map((item) => [stringOf(item, 'name'), stringOf(item, 'id')]));
}

// Initially only the emulator's administrator is in #general and #random; everybody is in #board.
async function arrangeChannels(emulator: Emulator, users: Record<string, string>): Promise<void> {
  const types = 'public_channel,private_channel';
  const list = await emulator.call('conversations.list', { limit: 1000, types }, 'ada');
  const channels = byName(objectsOf(list, 'channels') ?? []);
  for (const account of ACCOUNTS) {
    await emulator.call('conversations.join', { channel: channels['general'] }, account);
  }
  for (const account of MEMBERS) {
    await emulator.call('conversations.join', { channel: channels['random'] }, account);
  }
  for (const outsider of ['dan', 'admin']) {
    const user = users[outsider];
    await emulator.call('conversations.kick', { channel: channels['board'], user }, 'ada');
  }
  for (const name of ['design', 'board']) {
    const invitation = { channel: channels[name], users: APP.userId };
    await emulator.call('conversations.invite', invitation, 'ada');
  }
}

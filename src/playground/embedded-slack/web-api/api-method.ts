import type { Channel, Directory } from '../directory.ts';
import { APP } from '../people.ts';
import { type Json, type SlackAnswer, stringOf } from '../slack-shapes.ts';

/** A call of the Web API, its token already told to be an account's. */
export interface ApiRequest {
  method: string;
  args: Json;
  account: string;
  userId: string;
  /** Done by Slack in the account's name: it need be no member. */
  isSlacks?: boolean;
}

export type ApiMethod = (request: ApiRequest) => Promise<SlackAnswer>;

/** Methods that the front answers itself; all others go to the emulator as they are. */
export type ApiMethods = Record<string, ApiMethod>;

/**
 * The channel that a call names, or the error that Slack gives: private ones do not exist for
 * outsiders, and a bot must be a member of public ones.
 */
export async function channelFor(
  directory: Directory,
  request: ApiRequest,
): Promise<Channel | string> {
  const channel = await directory.channel(stringOf(request.args, 'channel'));
  if (!channel) return 'channel_not_found';
  if (channel.members.includes(request.userId) || request.isSlacks) return channel;
  if (channel.type !== 'channel') return 'channel_not_found';
  return request.account === APP.account ? 'not_in_channel' : channel;
}

/** One page of a list, with the cursor to the next one as Slack writes it. */
export function pageOf<T>(items: readonly T[], args: Json, most: number) {
  const start = Number(decodeCursor(stringOf(args, 'cursor'), 'offset') ?? 0);
  const limit = limitOf(args, most);
  const next = start + limit < items.length ? encodeCursor('offset', String(start + limit)) : '';
  return { page: items.slice(start, start + limit), next_cursor: next };
}

export function limitOf(args: Json, most: number): number {
  const asked = Math.floor(Number(args['limit'] ?? 100));
  return Math.min(asked > 0 ? asked : 100, most);
}

export function encodeCursor(kind: string, value: string): string {
  return Buffer.from(`${kind}:${value}`).toString('base64');
}

/** The value of a cursor of this kind; undefined when it is none. */
export function decodeCursor(cursor: string, kind: string): string | undefined {
  const [found, value] = Buffer.from(cursor, 'base64').toString('utf8').split(':');
  return found === kind ? value : undefined;
}

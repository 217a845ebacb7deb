import type { IncomingMessage } from 'node:http';
import type { Channel, Directory } from '../directory.ts';
import { type Json, type SlackResponse, stringOf } from '../slack-types.ts';
import { APP } from '../workspace-seed.ts';

/** A Web API call, with its token resolved to an account. */
export interface ApiRequest {
  method: string;
  args: Json;
  account: string;
  userId: string;
  /** Slack itself acts for the account, which then need not be a member of the channel. */
  skipMembership?: boolean;
}

export type ApiMethod = (request: ApiRequest) => Promise<SlackResponse>;

/** Implemented methods, by name; all others go to the emulator unchanged. */
export type ApiMethods = Record<string, ApiMethod>;

/** Returns the token of a request's `Authorization` header, else ''. */
export function bearerToken(request: IncomingMessage): string {
  return (request.headers.authorization ?? '').replace(/^Bearer\s*/i, '');
}

/**
 * Resolves with the channel that a call names, or with Slack's error code: `channel_not_found` for
 * non-members of a private channel, `not_in_channel` if the bot is not in a public one.
 */
export async function channelFor(
  directory: Directory,
  request: ApiRequest,
): Promise<Channel | string> {
  const channel = await directory.channel(stringOf(request.args, 'channel'));
  if (!channel) return 'channel_not_found';
  if (channel.members.includes(request.userId) || request.skipMembership) return channel;
  if (channel.type !== 'channel') return 'channel_not_found';
  return request.account === APP.account ? 'not_in_channel' : channel;
}

/** Returns one page of a list, and Slack's cursor for the next page or ''. */
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

/** Returns the value of a cursor of this kind, else undefined. */
export function decodeCursor(cursor: string, kind: string): string | undefined {
  const [found, value] = Buffer.from(cursor, 'base64').toString('utf8').split(':');
  return found === kind ? value : undefined;
}

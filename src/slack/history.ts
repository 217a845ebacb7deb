import type { webApi } from '@slack/bolt';
import { FILED_MARK, type Share } from '../core/index.ts';
import { type MessageContext, parseShare, withFiles } from './objects.ts';
import { type Paces, pagesOf } from './paced-reads.ts';
import { isRefused, type SlackClient } from './web-api.ts';

/** The largest page that Slack gives: fewer calls leave more of its rate limit for others. */
const PAGE = 999;

// https://docs.slack.dev/reference/events/message/channel_join, and the like
const JOINS = new Set(['channel_join', 'group_join']);
const LEAVES = new Set(['channel_leave', 'group_leave']);

/** Which messages to read. */
export interface MessageRange {
  /** Ends the reading at once, without waiting for a running call. */
  signal: AbortSignal;
  /** Only messages after this one; '0' for all. */
  oldest: string;
  /** Only shares before this message, at the top level and in threads; absent for all. */
  latest?: string | undefined;
}

/** Which part of a channel's history to read. */
export interface HistoryRange extends MessageRange {
  /** The `readTo` of an earlier reading's last page, to continue there; absent to begin. */
  readTo?: string | undefined;
  /**
   * Threads that began after this message are read, too. Absent: no thread is read, since each costs
   * a call, and only messages after `oldest` are asked for.
   */
  threadsSince?: string | undefined;
}

type ReadOptions = { context: MessageContext; paces: Paces };

/** The bot joined the channel, or left it or was removed. */
export interface Move {
  kind: 'join' | 'leave';
  ts: string;
}

export interface HistoryPage {
  /** Shares at the channel's top level and in its threads, newest first. */
  shares: Share[];
  /** The threads with new replies that were not read, each by its first message, newest first. */
  skippedThreads: string[];
  /** The bot's joins and leaves, newest first. */
  moves: Move[];
  /** The oldest message read so far; absent for a page without messages. */
  readTo?: string | undefined;
  /** Whether there are older messages in the range. Default: false. */
  hasMore?: boolean;
}

/**
 * Yields a channel's shares after a message, page by page from the newest; with `threadsSince` also
 * new replies in older threads (https://docs.slack.dev/reference/methods/conversations.history). A
 * thread is read only if its last reply is new.
 */
export async function* readHistory(
  client: SlackClient,
  options: HistoryRange & ReadOptions,
): AsyncGenerator<HistoryPage> {
  const { channel } = options.context;
  const latest = options.readTo ?? options.latest;
  const range = { oldest: options.threadsSince ?? options.oldest, ...(latest && { latest }) };
  const query = { channel, ...range, limit: PAGE };
  const pacing = { pace: options.paces.history, signal: options.signal };
  const pages = pagesOf((at) => client.conversations.history({ ...query, ...at }), pacing);
  for await (const { messages = [], response_metadata } of pages)
    yield {
      ...(await readMessages(client, messages, options)),
      hasMore: !!response_metadata?.next_cursor,
    };
}

type HistoryMessage = NonNullable<webApi.ConversationsHistoryResponse['messages']>[number];

async function readMessages(
  client: SlackClient,
  messages: HistoryMessage[],
  options: HistoryRange & ReadOptions,
): Promise<HistoryPage> {
  const shares: Share[] = [];
  const moves = messages.flatMap((message) => moveIn(message, options.context) ?? []);
  const skippedThreads: string[] = [];
  for (const message of messages) {
    const isNew = message.ts && message.ts > options.oldest;
    const share = isNew ? shareIn(message, options.context) : null;
    if (share) shares.push(share);
    if (!hasNewReplies(message, options.oldest)) continue;
    if (options.threadsSince === undefined) skippedThreads.push(message.ts);
    else shares.push(...(await readThread(client, message.ts, options)));
  }
  return { shares, skippedThreads, moves, readTo: messages.at(-1)?.ts };
}

function moveIn({ user, subtype = '', ts }: HistoryMessage, context: MessageContext): Move | null {
  const kind = JOINS.has(subtype) ? 'join' : LEAVES.has(subtype) ? 'leave' : null;
  return kind && ts && user === context.botUserId ? { kind, ts } : null;
}

// A file that was deleted in Slack before it was read is not missed.
function shareIn(message: HistoryMessage, context: MessageContext): Share | null {
  const share = withFiles(parseShare(message, context), ({ mode }) => mode !== 'tombstone');
  return share && { ...share, isMarked: isMarked(message, context) };
}

// Slack may list only some of many users
// (https://docs.slack.dev/reference/methods/reactions.get): the bot may be among the others.
function isMarked({ reactions = [] }: HistoryMessage, { botUserId }: MessageContext): boolean {
  const mark = reactions.find(({ name }) => name === FILED_MARK);
  const { users = [], count = 0 } = mark ?? {};
  return users.includes(botUserId) || count > users.length;
}

function hasNewReplies(message: HistoryMessage, oldest: string): message is { ts: string } {
  if (!message.ts || !message.reply_count) return false;
  return message.latest_reply === undefined || message.latest_reply > oldest;
}

/** Returns the shares among a thread's replies, oldest first; `ts` is the thread's first message. */
export async function readThread(
  client: SlackClient,
  ts: string,
  options: MessageRange & ReadOptions,
): Promise<Share[]> {
  const { context, oldest, latest } = options;
  const query = { channel: context.channel, ts, oldest, limit: PAGE };
  const pacing = { pace: options.paces.replies, signal: options.signal };
  const pages = pagesOf((at) => client.conversations.replies({ ...query, ...at }), pacing);
  const shares: Share[] = [];
  try {
    for await (const { messages = [] } of pages)
      shares.push(...messages.flatMap((message) => shareIn(message, context) ?? []));
  } catch (error) {
    // A thread may be gone with its files if its first message was deleted meanwhile.
    if (!isRefused(error, 'thread_not_found')) throw error;
  }
  const isWanted = (share: Share) => share.ts > oldest && (!latest || share.ts < latest);
  return shares.filter((share) => share.ts !== ts && isWanted(share));
}

/**
 * Returns a time in epoch milliseconds in the form of Slack's timestamps, which all have one length
 * and so sort as text.
 */
export function slackTs(ms: number): string {
  return (ms / 1000).toFixed(6);
}

/**
 * By how much a message's timestamp may be earlier than our time when it arrives: events may be late,
 * and Slack's clock may be up to five minutes behind ours.
 */
const OVERLAP_MS = 6 * 60_000;

/** How far Slack's clock may be behind ours if both are right. */
const APART_MS = 2_000;

/** Returns a timestamp before that of any message sent at `ms` or later, if the clocks are right. */
export function slackTsFrom(ms: number): string {
  return slackTs(ms - APART_MS);
}

/** Returns a timestamp before that of any message sent at `ms` or later, whatever the clocks say. */
export function slackTsBefore(ms: number): string {
  return slackTs(ms - OVERLAP_MS);
}

import type { webApi } from '@slack/bolt';
import type { Clock } from '../base/index.ts';
import type { Share } from '../transfers/index.ts';
import { type MessageContext, parseShare } from './objects.ts';
import { callSlack, pagesOf, SlackCallError } from './web-api.ts';

/** The largest page that Slack gives: fewer calls leave more of its rate limit for others. */
const PAGE = 999;

// https://docs.slack.dev/reference/events/message/channel_join, and the like
const JOINS = new Set(['channel_join', 'group_join']);
const LEAVES = new Set(['channel_leave', 'group_leave']);

/** Which messages to read. */
export interface MessageRange {
  /** Only messages after this one; '0' for all. */
  oldest: string;
  /** Only shares before this message, at the top level and in threads; absent for all. */
  latest?: string | undefined;
}

/** Which part of a channel's history to read. */
export interface HistoryRange extends MessageRange {
  /** The `readTo` of an earlier reading's last page, to continue there; absent to begin. */
  readTo?: string | undefined;
  /** Threads that began before this message are not read. */
  threadsSince: string;
  /** True: threads are not read, since each costs a call. Default: they are read. */
  skipThreads?: boolean | undefined;
}

interface ReadOptions {
  context: MessageContext;
  /** Awaited before each call, to keep within Slack's limits. */
  pace: Pace;
}

type HistoryOptions = HistoryRange & ReadOptions;
type ThreadOptions = MessageRange & ReadOptions;

export interface HistoryPage {
  /** Shares at the channel's top level and in its threads, newest first. */
  shares: Share[];
  /** The threads that were not read, each by its first message, newest first. */
  skippedThreads: string[];
  /** When the bot last joined the channel, if the page says so. */
  joinedTs: string | null;
  /** When the bot last left the channel or was removed; absent if the page does not say. */
  leftTs?: string | undefined;
  /** The oldest message read so far; absent for a page without messages. */
  readTo?: string | undefined;
}

/**
 * Yields a channel's shares after a message, page by page from the newest, threads included, also new
 * replies in older threads (https://docs.slack.dev/reference/methods/conversations.history). A thread
 * is read only if its last reply is new.
 */
export async function* readHistory(
  client: webApi.WebClient,
  options: HistoryOptions,
): AsyncGenerator<HistoryPage> {
  const { context, threadsSince, pace } = options;
  const latest = options.readTo ?? options.latest;
  const query = {
    channel: context.channel,
    oldest: threadsSince,
    limit: PAGE,
    ...(latest ? { latest } : {}),
  };
  const pages = pagesOf((at) =>
    readSlack(
      'conversations.history',
      () => client.conversations.history({ ...query, ...at }),
      pace,
    ),
  );
  for await (const page of pages) yield await readMessages(client, page.messages ?? [], options);
}

interface HistoryMessage {
  ts?: string;
  subtype?: string;
  user?: string;
  reply_count?: number;
  latest_reply?: string;
}

async function readMessages(
  client: webApi.WebClient,
  messages: HistoryMessage[],
  options: HistoryOptions,
): Promise<HistoryPage> {
  const shares: Share[] = [];
  const own = messages.filter(({ user }) => user === options.context.botUserId);
  const joinedTs = own.find(({ subtype }) => JOINS.has(subtype ?? ''))?.ts ?? null;
  const leftTs = own.find(({ subtype }) => LEAVES.has(subtype ?? ''))?.ts;
  const skippedThreads: string[] = [];
  for (const message of messages) {
    const isNew = message.ts && message.ts > options.oldest;
    const share = isNew ? shareIn(message, options.context) : null;
    if (share) shares.push(share);
    if (!hasNewReplies(message, options.oldest)) continue;
    if (options.skipThreads) skippedThreads.push(message.ts);
    else shares.push(...(await readThread(client, message.ts, options)));
  }
  return { shares, skippedThreads, joinedTs, leftTs, readTo: messages.at(-1)?.ts };
}

// A file that was deleted in Slack before it was read is not missed.
function shareIn(message: HistoryMessage, context: MessageContext): Share | null {
  const share = parseShare(message, context);
  const files = share?.files.filter(({ mode }) => mode !== 'tombstone') ?? [];
  return share && files.length > 0 ? { ...share, files } : null;
}

function hasNewReplies(message: HistoryMessage, oldest: string): message is { ts: string } {
  if (!message.ts || !message.reply_count) return false;
  return message.latest_reply === undefined || message.latest_reply > oldest;
}

/** Returns the shares among a thread's replies, oldest first; `ts` is the thread's first message. */
export async function readThread(
  client: webApi.WebClient,
  ts: string,
  options: ThreadOptions,
): Promise<Share[]> {
  const { context, oldest, latest } = options;
  const shares: Share[] = [];
  for await (const message of repliesOf(client, ts, options)) {
    const share = message.ts && message.ts > oldest ? shareIn(message, context) : null;
    const wanted = share && share.ts !== ts && (!latest || share.ts < latest);
    if (wanted) shares.push(share);
  }
  return shares;
}

// A thread may be gone with its files if its first message was deleted meanwhile.
async function* repliesOf(
  client: webApi.WebClient,
  ts: string,
  { context, oldest, pace }: ThreadOptions,
): AsyncGenerator<HistoryMessage> {
  const query = { channel: context.channel, ts, oldest, limit: PAGE };
  const pages = pagesOf((at) =>
    readSlack(
      'conversations.replies',
      () => client.conversations.replies({ ...query, ...at }),
      pace,
    ),
  );
  try {
    for await (const { messages = [] } of pages) yield* messages;
  } catch (error) {
    if (!(error instanceof SlackCallError) || error.reason !== 'thread_not_found') throw error;
  }
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

/** Returns a timestamp before that of any message sent at `ms` or later, whatever the clocks say. */
export function slackTsBefore(ms: number): string {
  return slackTs(ms - OVERLAP_MS);
}

/**
 * Resolves when the next call may be sent, at the earliest in `atLeastMs` milliseconds (default: 0);
 * later callers wait for that too. Rejects with the reason of `signal`, which ends this wait only.
 */
export type Pace = (atLeastMs?: number, signal?: AbortSignal) => Promise<void>;

/**
 * Spaces calls of one kind: each waits until `everyMs` after the one before. A wait also rejects with
 * the reason of `stopping`.
 */
export function createPace(everyMs: number, clock: Clock, stopping: AbortSignal): Pace {
  let next = 0;
  return async (atLeastMs = 0, signal) => {
    const ends = signal ? AbortSignal.any([stopping, signal]) : stopping;
    ends.throwIfAborted();
    const at = Math.max(next, clock.now() + atLeastMs);
    next = at + everyMs;
    if (at > clock.now()) await clock.sleep(at - clock.now(), ends);
  };
}

/** The wait before each retry, in milliseconds, unless Slack names one. */
const PAUSES_MS = [1_000, 4_000, 15_000];
/** When Slack asks to wait longer than this, the caller decides, in milliseconds. */
const MAX_PAUSE_MS = 2 * 60_000;

/**
 * Makes one reading call, each try at the given pace. Retries transient failures, up to four tries in
 * all, after the wait that Slack asks for. Rejects with the last SlackCallError.
 */
export async function readSlack<T>(method: string, call: () => Promise<T>, pace: Pace): Promise<T> {
  let waitMs = 0;
  for (let tried = 1; ; tried += 1) {
    await pace(waitMs);
    try {
      return await callSlack(method, call);
    } catch (error) {
      const pauseMs = pauseAfter(error, tried);
      if (pauseMs === null) throw error;
      waitMs = pauseMs;
    }
  }
}

/** Returns the wait before a failed read is retried, in milliseconds; null if it is not retried. */
function pauseAfter(error: unknown, tried: number): number | null {
  const pauseMs = PAUSES_MS[tried - 1];
  if (pauseMs === undefined || !(error instanceof SlackCallError)) return null;
  if (error.code === 'SLACK_REFUSED') return null;
  const waitMs = error.retryAfterMs ?? pauseMs;
  return waitMs <= MAX_PAUSE_MS ? waitMs : null;
}

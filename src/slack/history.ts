import type { webApi } from '@slack/bolt';
import type { Share } from '../transfers/index.ts';
import { callSlack } from './call-slack.ts';
import { type MessageContext, parseShare } from './parse-share.ts';

/** Slack gives so many at the most; fewer calls leave more of its limit for others. */
const PAGE = 999;

export interface HistoryOptions {
  /** Messages after this one; '0' for all. */
  oldest: string;
  /** Messages before this one, to go on where an earlier reading ended; absent for all. */
  latest?: string | undefined;
  context: MessageContext;
  /** Awaited before each call, to keep within Slack's limits. */
  pace: () => Promise<void>;
}

export interface HistoryPage {
  /** Shares at the top of the channel and in its threads, newest first. */
  shares: Share[];
  /** When the bot joined the channel, if the page tells of that. */
  joinedTs: string | null;
  /** The oldest message that has been read; absent for a page without messages. */
  readTo?: string;
}

/**
 * A channel's shares after a message, page by page from the newest, threads too: also new replies
 * in threads that began before it (https://docs.slack.dev/reference/methods/conversations.history).
 * A thread is looked into when its last reply is new.
 */
export async function* readHistory(
  client: webApi.WebClient,
  options: HistoryOptions & { threadsSince: string },
): AsyncGenerator<HistoryPage> {
  const { channel } = options.context;
  let cursor: string | undefined;
  do {
    await options.pace();
    const page = await callSlack('conversations.history', () =>
      client.conversations.history({
        channel,
        oldest: options.threadsSince,
        limit: PAGE,
        ...(options.latest ? { latest: options.latest } : {}),
        ...(cursor ? { cursor } : {}),
      }),
    );
    const messages = page.messages ?? [];
    yield await readMessages(client, messages, options);
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor);
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
  const joined = messages.find((message) => isOwnJoin(message, options.context));
  for (const message of messages) {
    if (message.ts && isAfter(message.ts, options.oldest)) {
      const share = parseShare(message, options.context);
      if (share) shares.push(share);
    }
    if (hasNewReplies(message, options.oldest))
      shares.push(...(await readThread(client, message.ts, options)));
  }
  const readTo = messages.at(-1)?.ts;
  return { shares, joinedTs: joined?.ts ?? null, ...(readTo ? { readTo } : {}) };
}

function isOwnJoin({ subtype, user }: HistoryMessage, { botUserId }: MessageContext): boolean {
  return (subtype === 'channel_join' || subtype === 'group_join') && user === botUserId;
}

function hasNewReplies(message: HistoryMessage, oldest: string): message is { ts: string } {
  if (!message.ts || !message.reply_count) return false;
  return message.latest_reply === undefined || isAfter(message.latest_reply, oldest);
}

async function readThread(
  client: webApi.WebClient,
  ts: string,
  { context, oldest, pace }: HistoryOptions,
): Promise<Share[]> {
  const shares: Share[] = [];
  let cursor: string | undefined;
  do {
    await pace();
    const page = await callSlack('conversations.replies', () =>
      client.conversations.replies({
        channel: context.channel,
        ts,
        oldest,
        limit: PAGE,
        ...(cursor ? { cursor } : {}),
      }),
    );
    for (const message of page.messages ?? []) {
      const share = message.ts && isAfter(message.ts, oldest) ? parseShare(message, context) : null;
      if (share && share.ts !== ts) shares.push(share);
    }
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor);
  return shares;
}

// Slack's timestamps are of one length, so they sort as text.
function isAfter(ts: string, oldest: string): boolean {
  return ts > oldest;
}

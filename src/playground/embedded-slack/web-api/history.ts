import type { Directory } from '../directory.ts';
import type { Emulator } from '../emulator.ts';
import type { Messages } from '../messages.ts';
import {
  isTrue,
  type Json,
  microsOf,
  objectsOf,
  refusal,
  type SlackAnswer,
  type SlackMessage,
  stringOf,
} from '../slack-shapes.ts';
import {
  type ApiMethods,
  type ApiRequest,
  channelFor,
  decodeCursor,
  encodeCursor,
  limitOf,
} from './api-method.ts';

interface HistoryParts {
  emulator: Emulator;
  directory: Directory;
  messages: Messages;
  /** The largest page, in messages: 1,000, or 15 for apps sold outside the Marketplace. */
  pageLimit: number;
}

/**
 * `conversations.history` and `.replies` with bounds and cursors, which the emulator lacks
 * (https://docs.slack.dev/reference/methods/conversations.history).
 */
export function historyMethods(parts: HistoryParts): ApiMethods {
  return {
    'conversations.history': (request) => history(parts, request),
    'conversations.replies': (request) => replies(parts, request),
  };
}

async function history(parts: HistoryParts, request: ApiRequest): Promise<SlackAnswer> {
  const { args } = request;
  const channel = await channelFor(parts.directory, request);
  if (typeof channel === 'string') return refusal(channel);
  const bounds = boundsOf(args);
  if (typeof bounds === 'string') return refusal(bounds);
  const limit = limitOf(args, parts.pageLimit);
  const found = await newestFirst(parts, request, { bounds, count: limit + 1 });
  const next = found[limit];
  return {
    ok: true,
    ...pageAnswer(parts, channel.id, { args, page: found.slice(0, limit) }),
    has_more: next !== undefined,
    pin_count: 0,
    response_metadata: { next_cursor: next ? encodeCursor('next_ts', next.ts) : '' },
  };
}

// The first message is the thread's parent, on every page and whatever the bounds are.
async function replies(parts: HistoryParts, request: ApiRequest): Promise<SlackAnswer> {
  const { args, account } = request;
  const channel = await channelFor(parts.directory, request);
  if (typeof channel === 'string') return refusal(channel);
  const bounds = boundsOf({ ...args, cursor: '' });
  if (typeof bounds === 'string') return refusal(bounds);
  const thread = { channel: channel.id, ts: stringOf(args, 'ts') };
  const answer = await parts.emulator.call('conversations.replies', thread, account);
  const [parent, ...all] = messagesOf(answer);
  if (!parent) return refusal('thread_not_found');
  const from = microsOf(decodeCursor(stringOf(args, 'cursor'), 'next_ts') ?? '0');
  const wanted = all.filter(({ ts }) => isWithin(ts, bounds) && microsOf(ts) >= from);
  const limit = limitOf(args, parts.pageLimit);
  const next = wanted[limit];
  return {
    ok: true,
    ...pageAnswer(parts, channel.id, { args, page: [parent, ...wanted.slice(0, limit)] }),
    has_more: next !== undefined,
    response_metadata: { next_cursor: next ? encodeCursor('next_ts', next.ts) : '' },
  };
}

/** Microseconds, exclusive; `inclusive` moves each bound outward by 1. */
interface Bounds {
  oldest: number;
  latest: number;
}

function boundsOf(args: Json): Bounds | string {
  const edge = isTrue(args['inclusive']) ? 1 : 0;
  const cursor = stringOf(args, 'cursor');
  const resumed = decodeCursor(cursor, 'next_ts');
  if (cursor && !resumed) return 'invalid_cursor';
  const oldest = microsOf(stringOf(args, 'oldest') || '0') - edge;
  const latest = microsOf(stringOf(args, 'latest') || '9999999999') + edge;
  if (Number.isNaN(oldest)) return 'invalid_ts_oldest';
  if (Number.isNaN(latest)) return 'invalid_ts_latest';
  return { oldest, latest: resumed ? Math.min(latest, microsOf(resumed) + 1) : latest };
}

function isWithin(ts: string, { oldest, latest }: Bounds): boolean {
  const at = microsOf(ts);
  return at > oldest && at < latest;
}

// The bounds filter the messages; the cursor only saves reads, so an unknown one is harmless.
async function newestFirst(
  { emulator }: HistoryParts,
  { args, account }: ApiRequest,
  { bounds, count }: { bounds: Bounds; count: number },
): Promise<SlackMessage[]> {
  const found: SlackMessage[] = [];
  const channel = stringOf(args, 'channel');
  let cursor = decodeCursor(stringOf(args, 'cursor'), 'next_ts') ?? '';
  do {
    const query = { channel, limit: Math.min(count, 1000), cursor };
    const answer = await emulator.call('conversations.history', query, account);
    const page = messagesOf(answer);
    found.push(...page.filter(({ ts }) => isWithin(ts, bounds)));
    const isPast = page.some(({ ts }) => microsOf(ts) <= bounds.oldest);
    if (found.length >= count || isPast) break;
    cursor = nextCursorOf(answer);
  } while (cursor);
  return found.slice(0, count);
}

function pageAnswer(
  { messages }: HistoryParts,
  channel: string,
  { args, page }: { args: Json; page: SlackMessage[] },
) {
  const withMetadata = isTrue(args['include_all_metadata']);
  const shown = page.map((raw) => {
    const { metadata, ...message } = messages.present(channel, raw);
    return withMetadata && metadata ? { ...message, metadata } : message;
  });
  return { messages: shown };
}

function messagesOf(answer: SlackAnswer): SlackMessage[] {
  return (objectsOf(answer, 'messages') ?? []) as SlackMessage[];
}

function nextCursorOf(answer: SlackAnswer): string {
  const metadata = answer['response_metadata'];
  return stringOf((metadata ?? {}) as Json, 'next_cursor');
}

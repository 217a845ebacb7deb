import type { SlackContext } from '../context.ts';
import { historyPages, messagesIn } from '../messages.ts';
import {
  errorResponse,
  isTrue,
  type Json,
  microsOf,
  type SlackMessage,
  type SlackResponse,
  stringOf,
} from '../slack-types.ts';
import {
  type ApiMethods,
  type ApiRequest,
  channelFor,
  decodeCursor,
  encodeCursor,
  limitOf,
} from './api-method.ts';

/**
 * `conversations.history` and `.replies` with bounds and cursors, which the emulator lacks
 * (https://docs.slack.dev/reference/methods/conversations.history). `pageLimit`: the largest page,
 * in messages.
 */
export function historyMethods(context: SlackContext, pageLimit: number): ApiMethods {
  return {
    'conversations.history': (request) => history(context, request, pageLimit),
    'conversations.replies': (request) => replies(context, request, pageLimit),
  };
}

async function history(
  context: SlackContext,
  request: ApiRequest,
  pageLimit: number,
): Promise<SlackResponse> {
  const { args } = request;
  const channel = await channelFor(context.directory, request);
  if (typeof channel === 'string') return errorResponse(channel);
  const bounds = boundsOf(args);
  if (typeof bounds === 'string') return errorResponse(bounds);
  const limit = limitOf(args, pageLimit);
  const found = await newestFirst(context, request, { bounds, count: limit + 1 });
  const page = found.slice(0, limit);
  return {
    ...pageResponse(context, channel.id, { args, page, next: found[limit] }),
    pin_count: 0,
  };
}

// The first message is the thread's parent, on every page and whatever the bounds are.
async function replies(
  context: SlackContext,
  request: ApiRequest,
  pageLimit: number,
): Promise<SlackResponse> {
  const { args, account } = request;
  const channel = await channelFor(context.directory, request);
  if (typeof channel === 'string') return errorResponse(channel);
  const bounds = boundsOf({ ...args, cursor: '' });
  if (typeof bounds === 'string') return errorResponse(bounds);
  const thread = { channel: channel.id, ts: stringOf(args, 'ts') };
  const response = await context.emulator.call('conversations.replies', thread, account);
  const [parent, ...all] = messagesIn(response);
  if (!parent) return errorResponse('thread_not_found');
  const from = microsOf(decodeCursor(stringOf(args, 'cursor'), 'next_ts') ?? '0');
  const wanted = all.filter(({ ts }) => isWithin(ts, bounds) && microsOf(ts) >= from);
  const limit = limitOf(args, pageLimit);
  const page = [parent, ...wanted.slice(0, limit)];
  return pageResponse(context, channel.id, { args, page, next: wanted[limit] });
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
  { emulator }: SlackContext,
  { args, account }: ApiRequest,
  { bounds, count }: { bounds: Bounds; count: number },
): Promise<SlackMessage[]> {
  const found: SlackMessage[] = [];
  const cursor = decodeCursor(stringOf(args, 'cursor'), 'next_ts') ?? '';
  const query = { channel: stringOf(args, 'channel'), limit: Math.min(count, 1000), cursor };
  for await (const page of historyPages(emulator, account, query)) {
    found.push(...page.filter(({ ts }) => isWithin(ts, bounds)));
    const isPast = page.some(({ ts }) => microsOf(ts) <= bounds.oldest);
    if (found.length >= count || isPast) break;
  }
  return found.slice(0, count);
}

function pageResponse(
  { messages }: SlackContext,
  channel: string,
  { args, page, next }: { args: Json; page: SlackMessage[]; next: SlackMessage | undefined },
): SlackResponse {
  const withMetadata = isTrue(args['include_all_metadata']);
  const shown = page.map((raw) => {
    const { metadata, ...message } = messages.present(channel, raw);
    return withMetadata && metadata ? { ...message, metadata } : message;
  });
  return {
    ok: true,
    messages: shown,
    has_more: next !== undefined,
    response_metadata: { next_cursor: next ? encodeCursor('next_ts', next.ts) : '' },
  };
}

import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import type { Share } from '../../src/core/index.ts';
import { readHistory, readThread } from '../../src/slack/history.ts';
import { SlackClient, webClientOptions } from '../../src/slack/web-api.ts';
import { pacesOf } from '../support/paces.ts';
import { startServer } from '../support/start-server.ts';

const optionsFor = (slackApiUrl: string) =>
  webClientOptions({ slackApiUrl, logger: silentLogger, fetch });

const CONTEXT = { team: 'T1', channel: 'C1', botUserId: 'UBOT', botId: 'BBOT' };
const share = (ts: string, more: object = {}) => ({
  ts,
  user: 'U1',
  files: [{ id: `F${ts}`, name: 'a' }],
  ...more,
});

const MESSAGES = [
  share('9.0'),
  share('8.0', { user: 'UBOT' }),
  { ts: '7.0', user: 'U1', text: 'no file', reply_count: 2, latest_reply: '9.5' },
  share('5.0'),
  share('2.0', { reply_count: 1, latest_reply: '8.5' }),
  share('1.0', { reply_count: 1, latest_reply: '1.5' }),
];
const REPLIES: Record<string, object[]> = {
  '7.0': [
    MESSAGES[2] ?? {},
    share('7.5', { thread_ts: '7.0' }),
    share('9.5', { thread_ts: '7.0' }),
  ],
  '2.0': [MESSAGES[4] ?? {}, share('8.5', { thread_ts: '2.0' })],
  '1.0': [MESSAGES[5] ?? {}, share('1.5', { thread_ts: '1.0' })],
};

interface Range {
  oldest: string;
  latest?: string;
  readTo?: string;
  threadsSince?: string;
}
interface Trouble {
  status?: number;
  retryAfter?: string;
  error?: string;
}
/** Returns how the nth try of a call fails; undefined if it succeeds. */
type TroubleOf = (call: string, nth: number) => Trouble | undefined;

const { signal } = new AbortController();
const ALL: Range = { oldest: '0', threadsSince: '0' };

/** Starts a Slack with pages of two messages; `asked` has the calls, `waits` the waits before. */
async function startSlack(troubleOf: TroubleOf = () => undefined) {
  const asked: string[] = [];
  const waits: number[] = [];
  const origin = await startServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const args = Object.fromEntries(new URLSearchParams(body));
    const method = request.url?.replace('/api/conversations.', '') ?? '';
    const call = `${method} ${args['ts'] ?? args['cursor'] ?? 'first'}`;
    asked.push(call);
    response.setHeader('content-type', 'application/json');
    const trouble = troubleOf(call, asked.filter((one) => one === call).length);
    if (trouble) {
      const { status = 200, error = '', retryAfter } = trouble;
      if (retryAfter) response.setHeader('retry-after', retryAfter);
      response.writeHead(status).end(JSON.stringify({ ok: false, error }));
      return;
    }
    const all =
      method === 'replies'
        ? (REPLIES[args['ts'] ?? ''] ?? [])
        : MESSAGES.filter(({ ts }) => ts > (args['oldest'] ?? '') && ts < (args['latest'] ?? '99'));
    const from = Number(args['cursor'] ?? 0);
    const next_cursor = from + 2 < all.length ? String(from + 2) : '';
    const answer = {
      ok: true,
      messages: all.slice(from, from + 2),
      response_metadata: { next_cursor },
    };
    response.end(JSON.stringify(answer));
  });
  const client = new SlackClient('xoxb', optionsFor(`${origin}/api/`));
  const pace = async (atLeastMs = 0) => {
    waits.push(atLeastMs);
  };
  return { client, asked, waits, reading: { paces: pacesOf(pace), signal, context: CONTEXT } };
}

async function read(range: Range, troubleOf?: TroubleOf) {
  const { client, asked, waits, reading } = await startSlack(troubleOf);
  const found: string[] = [];
  const readTo: (string | undefined)[] = [];
  const skipped: string[][] = [];
  const readAll = async () => {
    for await (const page of readHistory(client, { ...range, ...reading })) {
      found.push(...page.shares.map(({ ts }) => ts));
      readTo.push(page.readTo);
      skipped.push(page.skippedThreads);
    }
  };
  const error = await readAll().catch((reason: unknown) => reason);
  return { asked, found, waits, readTo, skipped, error };
}

describe('readHistory', () => {
  it('finds every share once, in threads too, except the bot’s own', async () => {
    const { found, asked, waits, error } = await read(ALL);
    expect(found.toSorted()).toEqual(['1.0', '1.5', '2.0', '5.0', '7.5', '8.5', '9.0', '9.5']);
    expect(waits).toEqual(asked.map(() => 0));
    expect(error).toBeUndefined();
  });

  it('finds only shares after a given message, new replies in old threads included', async () => {
    const { found, asked } = await read({ oldest: '6.0', threadsSince: '1.5' });
    expect(found.toSorted()).toEqual(['7.5', '8.5', '9.0', '9.5']);
    expect(asked).not.toContain('replies 1.0');
  });

  it('returns the threads that it skips, and asks for none of their replies', async () => {
    const { found, asked, skipped } = await read({ oldest: '0' });
    expect(found.toSorted()).toEqual(['1.0', '2.0', '5.0', '9.0']);
    expect(asked.filter((call) => call.startsWith('replies'))).toEqual([]);
    expect(skipped).toEqual([[], ['7.0'], ['2.0', '1.0']]);
  });

  it('returns how far each page reached, and continues from there', async () => {
    const first = await read(ALL);
    expect(first.readTo).toEqual(['8.0', '5.0', '1.0']);
    const { found, asked } = await read({ oldest: '0', readTo: '5.0', threadsSince: '0' });
    expect(found.toSorted()).toEqual(['1.0', '1.5', '2.0', '8.5']);
    expect(asked).not.toContain('replies 7.0');
  });

  it('finds only shares before a given message, in threads and when it continues too', async () => {
    const range = { ...ALL, latest: '8.5' };
    const { found, asked } = await read(range);
    expect(found.toSorted()).toEqual(['1.0', '1.5', '2.0', '5.0', '7.5']);
    expect(asked.at(0)).toBe('history first');
    const rest = await read({ ...range, readTo: '5.0' });
    expect(rest.found.toSorted()).toEqual(['1.0', '1.5', '2.0']);
  });
});

it('readThread finds the shares of one thread in a range, without its first message', async () => {
  const { client, asked, reading } = await startSlack();
  const found = async (ts: string, latest?: string) => {
    const shares = await readThread(client, ts, { oldest: '0', latest, ...reading });
    return shares.map((one) => one.ts);
  };
  expect(await found('7.0')).toEqual(['7.5', '9.5']);
  expect(await found('7.0', '9.5')).toEqual(['7.5']);
  expect(await found('2.0')).toEqual(['8.5']);
  expect(new Set(asked)).toEqual(new Set(['replies 7.0', 'replies 2.0']));
});

it('readHistory skips deleted files, and messages and replies without other files', async () => {
  const gone = { id: 'FGONE', mode: 'tombstone' };
  const left = { id: 'FLEFT', name: 'left.txt' };
  const thread = { ts: '5.0', thread_ts: '5.0', user: 'U1', reply_count: 2, latest_reply: '7.0' };
  const reply = (ts: string, files: object[]) => share(ts, { thread_ts: '5.0', files });
  const replies = [thread, reply('6.0', [gone]), reply('7.0', [gone, left])];
  const messages = [share('9.0', { files: [gone] }), share('8.0', { files: [left, gone] }), thread];
  const origin = await startServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    const isThread = request.url?.endsWith('replies');
    response.end(JSON.stringify({ ok: true, messages: isThread ? replies : messages }));
  });
  const client = new SlackClient('xoxb', optionsFor(`${origin}/api/`));
  const options = {
    ...{ ...ALL, paces: pacesOf() },
    ...{ signal, context: CONTEXT },
  };
  const { value } = await readHistory(client, options).next();
  const shares: Share[] = value?.shares ?? [];
  expect(shares.map(({ ts, files }) => [ts, ...files.map(({ id }) => id)])).toEqual([
    ['8.0', 'FLEFT'],
    ['7.0', 'FLEFT'],
  ]);
});

it('readHistory returns each join and leave of the bot, newest first', async () => {
  const messages = [
    { ts: '9.0', user: 'U1', subtype: 'channel_leave' },
    { ts: '8.0', user: 'UBOT', subtype: 'channel_join' },
    { ts: '7.0', user: 'UBOT', subtype: 'channel_leave' },
    { ts: '6.0', user: 'UBOT', subtype: 'channel_topic' },
    { ts: '5.0', user: 'UBOT', subtype: 'group_join' },
    { ts: '4.0', user: 'UBOT', subtype: 'group_leave' },
  ];
  const origin = await startServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, messages }));
  });
  const client = new SlackClient('xoxb', optionsFor(`${origin}/api/`));
  const options = {
    ...{ ...ALL, paces: pacesOf() },
    ...{ signal, context: CONTEXT },
  };
  const { value } = await readHistory(client, options).next();
  expect(value?.moves).toEqual([
    { kind: 'join', ts: '8.0' },
    { kind: 'leave', ts: '7.0' },
    { kind: 'join', ts: '5.0' },
    { kind: 'leave', ts: '4.0' },
  ]);
});

describe('readHistory, when Slack fails', () => {
  const EVERY = ['1.0', '1.5', '2.0', '5.0', '7.5', '8.5', '9.0', '9.5'];

  it('retries only the failed call, after the wait that Slack asks for or a backoff', async () => {
    const { found, asked, waits, error } = await read(ALL, (call, nth) => {
      if (call === 'history 2' && nth === 1) return { status: 429, retryAfter: '30' };
      if (call === 'replies 2.0' && nth === 1) return { status: 503 };
      if (call === 'replies 2.0' && nth === 2) return { error: 'internal_error' };
      return undefined;
    });
    expect(error).toBeUndefined();
    expect(found.toSorted()).toEqual(EVERY);
    const again = asked.flatMap((call, i) => (waits[i] ? [[call, waits[i]]] : []));
    expect(again).toEqual([
      ['history 2', 30_000],
      ['replies 2.0', 1_000],
      ['replies 2.0', 4_000],
    ]);
  });

  it.each<[Trouble, number, object]>([
    [{ status: 500 }, 4, { code: 'SLACK_UNREACHABLE' }],
    [{ status: 429, retryAfter: '1' }, 4, { code: 'SLACK_RATE_LIMITED' }],
    [{ status: 429, retryAfter: '600' }, 1, { retryAfterMs: 600_000 }],
    [{ error: 'channel_not_found' }, 1, { reason: 'channel_not_found' }],
  ])('%j: gives up after %i tries', async (trouble, tries, expected) => {
    const { asked, error } = await read(ALL, () => trouble);
    expect(error).toMatchObject(expected);
    expect(asked).toHaveLength(tries);
  });

  it('continues without a thread that is gone', async () => {
    const { found, error } = await read(ALL, (call) =>
      call === 'replies 7.0' ? { error: 'thread_not_found' } : undefined,
    );
    expect(error).toBeUndefined();
    expect(found.toSorted()).toEqual(['1.0', '1.5', '2.0', '5.0', '8.5', '9.0']);
  });
});

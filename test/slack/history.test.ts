import { webApi } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { readHistory } from '../../src/slack/history.ts';
import { webClientOptions } from '../../src/slack/web-client-options.ts';
import { startServer } from '../support/start-server.ts';

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

/** Reads with pages of two messages; what was asked is in `asked`. */
async function read(range: { oldest: string; latest?: string; threadsSince: string }) {
  const asked: string[] = [];
  let paces = 0;
  const origin = await startServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const args = Object.fromEntries(new URLSearchParams(body));
    const method = request.url?.replace('/api/conversations.', '') ?? '';
    asked.push(`${method} ${args['ts'] ?? args['cursor'] ?? 'first'}`);
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
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  const client = new webApi.WebClient('xoxb', webClientOptions(`${origin}/api/`, silentLogger));
  const pace = async () => {
    paces += 1;
  };
  const found: string[] = [];
  const readTo: (string | undefined)[] = [];
  for await (const page of readHistory(client, { ...range, pace, context: CONTEXT })) {
    found.push(...page.shares.map(({ ts }) => ts));
    readTo.push(page.readTo);
  }
  return { asked, found, paces, readTo };
}

describe('readHistory', () => {
  it('finds every share, in threads too, each once, and none of the bot’s own', async () => {
    const { found, asked, paces } = await read({ oldest: '0', threadsSince: '0' });
    expect(found.toSorted()).toEqual(['1.0', '1.5', '2.0', '5.0', '7.5', '8.5', '9.0', '9.5']);
    expect(paces).toBe(asked.length);
  });

  it('after a message finds what is newer, new replies in old threads included', async () => {
    const { found, asked } = await read({ oldest: '6.0', threadsSince: '1.5' });
    expect(found.toSorted()).toEqual(['7.5', '8.5', '9.0', '9.5']);
    expect(asked).not.toContain('replies 1.0');
  });

  it('tells how far each page reached, and goes on from there', async () => {
    const first = await read({ oldest: '0', threadsSince: '0' });
    expect(first.readTo).toEqual(['8.0', '5.0', '1.0']);
    const { found, asked } = await read({ oldest: '0', latest: '5.0', threadsSince: '0' });
    expect(found.toSorted()).toEqual(['1.0', '1.5', '2.0', '8.5']);
    expect(asked).not.toContain('replies 7.0');
  });
});

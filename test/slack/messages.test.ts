import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { createMessages, type Mark } from '../../src/slack/messages.ts';
import { SlackClient, webClientOptions } from '../../src/slack/web-api.ts';
import { startServer } from '../support/start-server.ts';

const optionsFor = (slackApiUrl: string) =>
  webClientOptions({ slackApiUrl, logger: silentLogger, fetch });

interface Call {
  method: string;
  args: Record<string, string>;
}

type Answer = object | { status: number; headers?: Record<string, string> };

/** A Slack that answers as `answer` says; the calls it got are in `calls`. */
async function slackThat(answer: (call: Call) => Answer) {
  const calls: Call[] = [];
  const origin = await startServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const method = request.url?.replace('/api/', '') ?? '';
    const call = { method, args: Object.fromEntries(new URLSearchParams(body)) };
    calls.push(call);
    const given = answer(call);
    if ('status' in given && typeof given.status === 'number') {
      response.writeHead(given.status, 'headers' in given ? given.headers : {}).end();
      return;
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(given));
  });
  const options = optionsFor(`${origin}/api/`);
  return { calls, slack: createMessages(new SlackClient('xoxb-secret', options), OWN) };
}

const OWN = { team: 'T1', botUserId: 'UBOT', botId: 'BBOT' };
const PLACE = { channel: 'C1', threadTs: '1.1' };
const MARK: Mark = { kind: 'share', id: 7 };
const MESSAGE = { body: { text: 'hello', blocks: [] }, mark: MARK };

describe('a call to Slack', () => {
  it.each<[Answer, object]>([
    [
      { ok: false, error: 'channel_not_found' },
      { code: 'SLACK_REFUSED', reason: 'channel_not_found' },
    ],
    [
      { status: 429, headers: { 'retry-after': '3' } },
      { code: 'SLACK_RATE_LIMITED', retryAfterMs: 3_000 },
    ],
    [{ ok: false, error: 'internal_error' }, { code: 'SLACK_UNREACHABLE' }],
    [{ ok: false, error: 'ratelimited' }, { code: 'SLACK_RATE_LIMITED' }],
    [{ status: 500 }, { code: 'SLACK_UNREACHABLE' }],
    [{ status: 404 }, { code: 'SLACK_UNREACHABLE' }],
  ])('answered with %j fails with %j, after one try', async (answer, error) => {
    const { slack, calls } = await slackThat(() => answer);
    const posting = slack.post(PLACE, MESSAGE);
    await expect(posting).rejects.toMatchObject(error);
    await expect(posting).rejects.not.toThrow('xoxb-secret');
    expect(calls).toHaveLength(1);
  });

  it('without a response fails with an error that does not contain the request', async () => {
    const options = optionsFor('http://127.0.0.1:9/api/');
    const slack = createMessages(new SlackClient('xoxb-secret', options), OWN);
    const error = await slack.post(PLACE, MESSAGE).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'SLACK_UNREACHABLE' });
    expect(error).not.toHaveProperty('cause');
    expect(JSON.stringify(error)).not.toContain('secret');
  });
});

describe('messages', () => {
  it('are posted in their thread only, with their mark and without unfurling', async () => {
    const { slack, calls } = await slackThat(() => ({ ok: true, ts: '1.5' }));
    expect(await slack.post(PLACE, MESSAGE)).toBe('1.5');
    expect(calls[0]?.args).toMatchObject({
      channel: 'C1',
      thread_ts: '1.1',
      unfurl_links: 'false',
      unfurl_media: 'false',
      parse: 'none',
    });
    expect(calls[0]?.args).not.toHaveProperty('reply_broadcast');
    expect(JSON.parse(calls[0]?.args['metadata'] ?? '')).toEqual({
      event_type: 'pigeonhole_reply',
      event_payload: { kind: 'share', id: 7 },
    });
  });

  it('are deleted if Slack posts them at the top level because their thread is gone', async () => {
    const { slack, calls } = await slackThat(() => ({ ok: true, ts: '1.5', message: {} }));
    await expect(slack.post(PLACE, MESSAGE)).rejects.toMatchObject({ reason: 'thread_not_found' });
    expect(calls[1]).toMatchObject({ method: 'chat.delete', args: { channel: 'C1', ts: '1.5' } });
  });

  it.each(['ratelimited', 'service_unavailable', 'internal_error'])(
    'are not safe to post again while a misplaced one cannot be deleted (%s)',
    async (error) => {
      const { slack } = await slackThat(({ method }) =>
        method === 'chat.delete' ? { ok: false, error } : { ok: true, ts: '1.5', message: {} },
      );
      const kept = { code: 'SLACK_UNREACHABLE', hadNoEffect: false };
      await expect(slack.post(PLACE, MESSAGE)).rejects.toMatchObject(kept);
    },
  );

  it('are deleted from the channel’s top level if a search finds them there', async () => {
    const metadata = { event_type: 'pigeonhole_reply', event_payload: MARK };
    const { slack, calls } = await slackThat(({ method }) => {
      if (method === 'conversations.replies') return { ok: false, error: 'thread_not_found' };
      return { ok: true, messages: [{ user: OWN.botUserId, ts: '1.5', metadata }] };
    });
    const gone = { reason: 'thread_not_found' };
    await expect(slack.find(PLACE, { mark: MARK, oldest: '1' })).rejects.toMatchObject(gone);
    expect(calls.map(({ method, args: { ts } }) => [method, ts])).toEqual([
      ['conversations.replies', '1.1'],
      ['conversations.history', undefined],
      ['chat.delete', '1.5'],
    ]);
    const another = { mark: { ...MARK, id: 8 }, oldest: '1' };
    await expect(slack.find(PLACE, another)).rejects.toMatchObject(gone);
    expect(calls.filter(({ method }) => method === 'chat.delete')).toHaveLength(1);
  });

  it.each([
    ['the bot’s user', { user: OWN.botUserId }],
    ['the bot', { bot_id: OWN.botId }],
  ])(
    'are found by their mark and %s, on later pages too, and by nothing else',
    async (_, author) => {
      const marked = (kind: string, id: unknown, ts: string) => ({
        ...author,
        ts,
        metadata: { event_type: 'pigeonhole_reply', event_payload: { kind, id } },
      });
      const others = [
        { ts: '1', metadata: null },
        { ts: '2', metadata: { event_type: 'other', event_payload: { kind: 'share', id: 7 } } },
        marked('report', 7, '3'),
        marked('share', 8, '4'),
        { ...marked('share', 7, '4.1'), user: 'U1', bot_id: undefined },
        { ...marked('share', 7, '4.2'), user: 'U1', bot_id: 'BOTHER' },
        { ...marked('share', 7, '4.3'), user: undefined, bot_id: undefined },
      ];
      const { slack, calls } = await slackThat(({ args }) =>
        args['cursor']
          ? { ok: true, messages: [marked('share', 7, '5')] }
          : { ok: true, messages: others, response_metadata: { next_cursor: 'next' } },
      );
      const search = { mark: MARK, oldest: '0' };
      expect(await slack.find(PLACE, search)).toBe('5');
      expect(calls.map(({ method }) => method)).toEqual([
        'conversations.replies',
        'conversations.replies',
      ]);
      const report = { mark: { kind: 'report', id: 9 }, oldest: '0' } as const;
      expect(await slack.find({ channel: 'C1', threadTs: null }, report)).toBeNull();
      expect(calls.at(-1)?.method).toBe('conversations.history');
    },
  );
});

describe('a search for a message', () => {
  it.each([
    ['its thread', PLACE, 'conversations.replies'],
    ['its channel', { ...PLACE, threadTs: null }, 'conversations.history'],
  ])('reads %s only since it may exist', async (_, place, method) => {
    const { slack, calls } = await slackThat(() => ({ ok: true, messages: [] }));
    await slack.find(place, { mark: MARK, oldest: '1.4' });
    expect(calls).toMatchObject([{ method, args: { oldest: '1.4' } }]);
  });
});

describe('reactions', () => {
  const PUT = { name: 'white_check_mark', instead: 'hourglass_flowing_sand' };

  it('replace another one, and may be added twice', async () => {
    const { slack, calls } = await slackThat(({ method }) => ({
      ok: false,
      error: method === 'reactions.add' ? 'already_reacted' : 'no_reaction',
    }));
    await slack.react({ channel: 'C1', ts: '1' }, PUT);
    expect(calls.map(({ method, args }) => [method, args['name']])).toEqual([
      ['reactions.add', 'white_check_mark'],
      ['reactions.remove', 'hourglass_flowing_sand'],
    ]);
  });

  it('reject if Slack refuses them', async () => {
    const { slack } = await slackThat(() => ({ ok: false, error: 'message_not_found' }));
    await expect(slack.react({ channel: 'C1', ts: '1' }, PUT)).rejects.toMatchObject({
      reason: 'message_not_found',
    });
  });
});

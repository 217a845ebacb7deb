import { describe, expect, test } from 'vitest';
import type {
  EmbeddedSlack,
  Json,
  SlackMessage,
} from '../../../src/playground/embedded-slack/index.ts';
import { callApi, idOf, startedSlack } from './started-slack.ts';

async function sayMany(slack: EmbeddedSlack, count: number, threadTs?: string): Promise<string[]> {
  const posted = [];
  for (let n = 0; n < count; n += 1) {
    const thread = threadTs ? { threadTs } : {};
    posted.push(await slack.say({ channel: 'design', user: 'ben', text: `${n}`, ...thread }));
  }
  return posted.map(({ ts }) => ts);
}

interface Page extends Json {
  ok: boolean;
  error?: string;
  messages: SlackMessage[];
  has_more: boolean;
  response_metadata: { next_cursor: string };
}

async function history(slack: EmbeddedSlack, args: Record<string, string>): Promise<Page> {
  const channel = idOf(slack.ids.channels, 'design');
  return (await callApi(slack, 'conversations.history', {
    channel,
    ...args,
  })) as Page;
}

describe('conversations.history', () => {
  test('returns the messages between the bounds, newest first', async () => {
    const slack = await startedSlack();
    const [first = '', second = '', third = '', fourth = ''] = await sayMany(slack, 4);
    const between = await history(slack, { oldest: first, latest: fourth });
    expect(between.messages.map(({ ts }) => ts)).toEqual([third, second]);
    const inclusive = await history(slack, { oldest: first, latest: fourth, inclusive: 'true' });
    expect(inclusive.messages.map(({ ts }) => ts)).toEqual([fourth, third, second, first]);
    expect((await history(slack, { oldest: '0' })).messages).toHaveLength(4);
  });

  test('pages by cursor within the bounds, also past a message deleted meanwhile', async () => {
    const slack = await startedSlack();
    const posted = await sayMany(slack, 8);
    const query = { oldest: posted[0] ?? '', limit: '3' };
    const one = await history(slack, query);
    expect(one.has_more).toBe(true);
    const next = posted[4] ?? '';
    await slack.as('ben', 'chat.delete', { channel: slack.ids.channels['design'], ts: next });
    const two = await history(slack, { ...query, cursor: one.response_metadata.next_cursor });
    expect(two.has_more).toBe(false);
    const found = [...one.messages, ...two.messages].map(({ ts }) => ts);
    expect(found).toEqual([7, 6, 5, 3, 2, 1].map((n) => posted[n]));
  });

  test('refuses what Slack refuses', async () => {
    const slack = await startedSlack();
    const random = idOf(slack.ids.channels, 'random');
    expect(await history(slack, { oldest: 'yesterday' })).toMatchObject({
      error: 'invalid_ts_oldest',
    });
    expect(await history(slack, { cursor: 'x' })).toMatchObject({ error: 'invalid_cursor' });
    expect(await history(slack, { channel: random })).toMatchObject({ error: 'not_in_channel' });
    expect(await history(slack, { channel: 'C0NOBODY0' })).toMatchObject({
      error: 'channel_not_found',
    });
  });

  test('reports a thread on its parent, and leaves out the replies', async () => {
    const slack = await startedSlack();
    const [parent = ''] = await sayMany(slack, 1);
    const replies = await sayMany(slack, 3, parent);
    const channel = slack.ids.channels['design'];
    await slack.as('ben', 'chat.delete', { channel, ts: replies[2] });
    const { messages } = await history(slack, {});
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({
      thread_ts: parent,
      reply_count: 2,
      latest_reply: replies[1],
    });
  });

  test('returns metadata if asked for it', async () => {
    const slack = await startedSlack();
    const metadata = { event_type: 'filed', event_payload: { id: 7 } };
    const channel = idOf(slack.ids.channels, 'design');
    const message = { channel, text: 'Filed', metadata: JSON.stringify(metadata) };
    await callApi(slack, 'chat.postMessage', message);
    expect((await history(slack, {})).messages[0]).not.toHaveProperty('metadata');
    const { messages } = await history(slack, { include_all_metadata: 'true' });
    expect(messages[0]).toMatchObject({ metadata, bot_id: slack.ids.botId, user: slack.ids.bot });
  });

  test('returns smaller pages if the app is limited to them', async () => {
    const slack = await startedSlack({ historyPageLimit: 2 });
    await sayMany(slack, 3);
    expect((await history(slack, { limit: '200' })).messages).toHaveLength(2);
  });
});

describe('conversations.replies', () => {
  async function replies(slack: EmbeddedSlack, args: Record<string, string>): Promise<Page> {
    const channel = idOf(slack.ids.channels, 'design');
    return (await callApi(slack, 'conversations.replies', {
      channel,
      ...args,
    })) as Page;
  }

  test('begins every page with the parent', async () => {
    const slack = await startedSlack();
    const [ts = ''] = await sayMany(slack, 1);
    const posted = await sayMany(slack, 5, ts);
    const query = { ts, oldest: posted[0] ?? '', limit: '3' };
    const one = await replies(slack, query);
    expect(one.messages.map((message) => message.ts)).toEqual([ts, ...posted.slice(1, 4)]);
    expect(one.messages[1]).toMatchObject({ parent_user_id: slack.ids.users['ben'] });
    const two = await replies(slack, { ...query, cursor: one.response_metadata.next_cursor });
    expect(two.messages.map((message) => message.ts)).toEqual([ts, posted[4]]);
    expect(two.has_more).toBe(false);
  });

  test('returns an error for a message that does not exist', async () => {
    const slack = await startedSlack();
    expect(await replies(slack, { ts: '1.000001' })).toMatchObject({ error: 'thread_not_found' });
  });
});

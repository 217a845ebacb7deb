import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isJson, type Json } from '../../../src/playground/embedded-slack/slack-types.ts';
import { callApi, connectedApp, idOf, startedSlack } from './started-slack.ts';

interface Heard {
  headers: Record<string, unknown>;
  body: Json;
}

/**
 * An app that records its requests and responds with the given statuses, then with 200; 0 means no
 * response.
 */
async function recordingApp(statuses: number[] = []) {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await text(request));
    heard.push({ headers: request.headers, body: isJson(body) ? body : {} });
    const status = statuses.shift() ?? 200;
    if (status > 0) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const PLAN = { name: 'plan.pdf', bytes: 'bytes' };

describe('a share', () => {
  test('reaches a Bolt app as a message with files, which it can download', async () => {
    const slack = await startedSlack();
    const seen: unknown[] = [];
    await connectedApp(slack, (app) => {
      app.event('message', async ({ event, body }) => {
        seen.push(event, body);
      });
    });
    const { ts, fileIds, deliveries } = await slack.share({
      channel: 'design',
      user: 'ben',
      text: 'The plan',
      files: [PLAN, { name: 'b.txt', bytes: 'b' }],
    });
    expect(deliveries).toMatchObject([{ via: 'http', status: 200, retry: 0 }]);
    const channel = slack.ids.channels['design'];
    expect(seen[0]).toMatchObject({ subtype: 'file_share', text: 'The plan', ts, channel });
    expect(seen[0]).toMatchObject({ channel_type: 'channel', user: slack.ids.users['ben'] });
    expect(seen[0]).toMatchObject({ files: fileIds.map((id) => ({ id })) });
    expect(seen[1]).toMatchObject({
      type: 'event_callback',
      team_id: slack.ids.team,
      api_app_id: slack.ids.app,
      event_id: deliveries[0]?.eventId,
      is_ext_shared_channel: false,
      authorizations: [{ team_id: slack.ids.team, user_id: slack.ids.bot, is_bot: true }],
    });
  });

  test('can lack a subtype, in the event as in history', async () => {
    const slack = await startedSlack();
    const { heard, url } = await recordingApp();
    slack.connectApp(url);
    await slack.share({ channel: 'design', user: 'ben', files: [PLAN], subtype: 'none' });
    expect(heard[0]?.body['event']).not.toHaveProperty('subtype');
    expect((await slack.state('design'))[0]).not.toHaveProperty('subtype');
  });

  test('sends an event for a thread, a private channel and a direct message', async () => {
    const slack = await startedSlack();
    const { heard, url } = await recordingApp();
    slack.connectApp(url);
    const { ts } = await slack.say({ channel: 'board', user: 'ada', text: 'Plans?' });
    await slack.share({ channel: 'board', user: 'ben', files: [PLAN], threadTs: ts });
    await slack.share({ channel: 'dm', user: 'ben', files: [PLAN] });
    const events = heard.map(({ body }) => body['event']);
    expect(events[1]).toMatchObject({ channel_type: 'group', thread_ts: ts });
    expect(events[1]).toMatchObject({ parent_user_id: slack.ids.users['ada'] });
    expect(events[2]).toMatchObject({ channel_type: 'im' });
  });

  test('by a guest in a shared channel carries both workspaces', async () => {
    const slack = await startedSlack();
    const { heard, url } = await recordingApp();
    slack.connectApp(url);
    slack.setChannel('design', { is_ext_shared: true });
    await slack.share({ channel: 'design', user: 'dan', files: [PLAN] });
    expect(heard[0]?.body).toMatchObject({
      team_id: 'T0PARTNER01',
      context_team_id: slack.ids.team,
      is_ext_shared_channel: true,
      event: { user_team: 'T0PARTNER01' },
    });
  });

  test('sends no event if the app is away or not in the channel', async () => {
    const slack = await startedSlack();
    const { heard, url } = await recordingApp();
    slack.connectApp(url);
    await slack.share({ channel: 'design', user: 'ben', files: [PLAN], deliver: false });
    const outside = await slack.share({ channel: 'random', user: 'ben', files: [PLAN] });
    expect(outside.deliveries).toEqual([]);
    expect(heard).toEqual([]);
    expect(await slack.state('design')).toHaveLength(1);
  });

  test('sends a file_shared for each file to an app that subscribes to them', async () => {
    const slack = await startedSlack({ subscriptions: ['file_shared'] });
    const { heard, url } = await recordingApp();
    slack.connectApp(url);
    const { fileIds } = await slack.share({
      channel: 'design',
      user: 'ben',
      files: [PLAN, { ...PLAN, name: 'b.pdf' }],
    });
    await slack.settled();
    const ids = heard.map(({ body }) => isJson(body['event']) && body['event']['file_id']);
    expect(ids.sort()).toEqual([...fileIds].sort());
  });
});

describe('delivery', () => {
  test('is retried, with the reason, until the app acknowledges it', async () => {
    const slack = await startedSlack();
    const { heard, url } = await recordingApp([500, 503]);
    slack.connectApp(url);
    const { deliveries } = await slack.say({ channel: 'design', user: 'ben', text: 'Hi' });
    expect(deliveries.map(({ status, retry }) => [status, retry])).toEqual([
      [500, 0],
      [503, 1],
      [200, 2],
    ]);
    const headers = heard.map((one) => one.headers['x-slack-retry-num']);
    expect(headers).toEqual([undefined, '1', '2']);
    expect(heard[1]?.headers).toMatchObject({ 'x-slack-retry-reason': 'http_error' });
    expect(new Set(heard.map(({ body }) => body['event_id'])).size).toBe(1);
  });

  test('stops after three retries', async () => {
    const slack = await startedSlack();
    const tired = await recordingApp([500, 500, 500, 500, 500]);
    slack.connectApp(tired.url);
    await slack.say({ channel: 'design', user: 'ben', text: 'Hi' });
    expect(tired.heard).toHaveLength(4);
  });

  test('gives up after a timeout, and reports when no app is connected', async () => {
    const slack = await startedSlack({ responseTimeoutMs: 50, retryDelaysMs: [0] });
    const { url } = await recordingApp([0, 0]);
    slack.connectApp(url);
    const silent = await slack.say({ channel: 'design', user: 'ben', text: 'Hi' });
    expect(silent.deliveries.map(({ failure }) => failure)).toEqual([
      'http_timeout',
      'http_timeout',
    ]);
    slack.connectApp('http://127.0.0.1:1');
    const nobody = await slack.say({ channel: 'design', user: 'ben', text: 'Hi' });
    expect(nobody.deliveries[0]).toMatchObject({ status: 0, failure: 'connection_failed' });
  });

  test('can be repeated, also later', async () => {
    const slack = await startedSlack();
    const { heard, url } = await recordingApp();
    slack.connectApp(url);
    const said = await slack.say({ channel: 'design', user: 'ben', text: 'Hi', deliver: 3 });
    await slack.redeliver(said.deliveries[0]?.eventId ?? '');
    expect(heard).toHaveLength(4);
    expect(new Set(heard.map(({ body }) => body['event_id'])).size).toBe(1);
  });

  test('loses none of a hundred simultaneous shares', async () => {
    const slack = await startedSlack();
    const { heard, url } = await recordingApp();
    slack.connectApp(url);
    const shares = Array.from({ length: 100 }, (_, n) =>
      slack.share({ channel: 'design', user: 'ben', files: [{ name: `${n}.txt`, bytes: `${n}` }] }),
    );
    const posted = await Promise.all(shares);
    expect(new Set(heard.map(({ body }) => body['event_id'])).size).toBe(100);
    expect(new Set(posted.map(({ ts }) => ts)).size).toBe(100);
  });

  test.each(['wrong signature', 'old timestamp', 'no signature'] as const)(
    'with %s is rejected by Bolt',
    async (kind) => {
      const slack = await startedSlack();
      await connectedApp(slack, () => undefined);
      const payload = { type: 'event_callback', event: { type: 'message' } };
      expect(await slack.sendForged(kind, payload)).toMatchObject({ status: 401 });
    },
  );
});

describe('the embedded Slack', () => {
  test('sends events about people and about the app itself, nested and hidden', async () => {
    const slack = await startedSlack();
    const { heard, url } = await recordingApp();
    const channel = idOf(slack.ids.channels, 'design');
    const shared = await slack.share({ channel, user: 'ben', files: [PLAN], deliver: false });
    slack.connectApp(url);
    await slack.as('ben', 'chat.update', { channel, ts: shared.ts, text: 'Better' });
    await slack.as('ben', 'chat.delete', { channel, ts: shared.ts });
    await slack.settled();
    const own = await callApi(slack, 'chat.postMessage', { channel, text: 'Filed' });
    await callApi(slack, 'chat.update', { channel, ts: String(own['ts']), text: 'Two filed' });
    await slack.settled();
    const events = heard.map(({ body }) => body['event']);
    expect(events[0]).toMatchObject({ subtype: 'message_changed', hidden: true, channel });
    const ids = shared.fileIds.map((id) => ({ id }));
    expect(events[0]).toMatchObject({ message: { text: 'Better', files: ids } });
    expect(events[0]).not.toHaveProperty('user');
    expect(events[1]).toMatchObject({ subtype: 'message_deleted', deleted_ts: shared.ts });
    expect(events[1]).toMatchObject({ previous_message: { files: ids } });
    expect(events[2]).toMatchObject({ user: slack.ids.bot, bot_id: slack.ids.botId });
    expect(events[3]).toMatchObject({ message: { text: 'Two filed', bot_id: slack.ids.botId } });
  });

  test('shows threads, reactions and recent changes in the channel', async () => {
    const slack = await startedSlack();
    const channel = idOf(slack.ids.channels, 'design');
    const { ts } = await slack.say({ channel, user: 'ben', text: 'Hi' });
    await slack.say({ channel, user: 'ada', text: 'Hello', threadTs: ts });
    expect(await slack.state('design')).toMatchObject([{ replies: [{ text: 'Hello' }] }]);
    await callApi(slack, 'reactions.add', { channel, timestamp: ts, name: 'eyes' });
    const [message] = await slack.state('design');
    expect(message).toMatchObject({ reactions: [{ name: 'eyes', count: 1 }] });
    const again = await callApi(slack, 'reactions.add', { channel, timestamp: ts, name: 'eyes' });
    expect(again).toMatchObject({ error: 'already_reacted' });
  });

  test('can be awaited', async () => {
    const slack = await startedSlack();
    const waiting = slack.until(async () => (await slack.state('design'))[1]);
    await slack.say({ channel: 'design', user: 'ben', text: 'one' });
    await slack.say({ channel: 'design', user: 'ben', text: 'two' });
    expect(await waiting).toMatchObject({ text: 'two' });
    await expect(slack.until(() => false, AbortSignal.abort(new Error('enough')))).rejects.toThrow(
      'enough',
    );
  });
});

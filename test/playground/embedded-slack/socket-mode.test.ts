import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { EmbeddedSlack } from '../../../src/playground/embedded-slack/index.ts';
import { isJson, type Json } from '../../../src/playground/embedded-slack/slack-types.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { callApi, socketApp, startedSlack } from './started-slack.ts';

/** A client that acknowledges nothing by itself. */
async function bareClient(slack: EmbeddedSlack) {
  const { url } = await callApi(slack, 'apps.connections.open', {}, slack.appToken);
  const socket = new WebSocket(String(url));
  const heard: Json[] = [];
  const waiting: (() => void)[] = [];
  socket.on('message', (data) => {
    const message: unknown = JSON.parse(String(data));
    if (isJson(message)) heard.push(message);
    for (const wake of waiting.splice(0)) wake();
  });
  const until = async (count: number) => {
    while (heard.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  await until(1);
  const sendText = (text: string) => socket.send(text);
  return { heard, until, sendText, send: (message: Json) => sendText(JSON.stringify(message)) };
}

test('an app in Socket Mode gets events, commands and presses through its socket', async () => {
  const slack = await startedSlack();
  const seen: string[] = [];
  await socketApp(slack, (app) => {
    app.event('message', async () => {
      seen.push('message');
    });
    app.command('/files', async ({ ack }) => ack('Two files'));
    app.shortcut('file_this', async ({ ack }) => ack());
  });
  const file = { name: 'a.txt', bytes: 'a' };
  const shared = await slack.share({ channel: 'design', user: 'ben', files: [file] });
  expect(shared.deliveries).toMatchObject([{ via: 'socket', status: 200 }]);
  expect(seen).toEqual(['message']);
  const answer = await slack.command({ command: '/files', user: 'ben', channel: 'design' });
  expect(answer).toMatchObject({ via: 'socket', ephemerals: [{ text: 'Two files' }] });
  const message = { channel: 'design', ts: shared.ts };
  const started = await slack.shortcut({ callbackId: 'file_this', user: 'ben', message });
  expect(started).toMatchObject({ via: 'socket', status: 200 });
});

test('an app reconnects when Slack asks it to, and when its socket breaks', async () => {
  const slack = await startedSlack();
  const opened = () => slack.calls.filter(({ method }) => method === 'apps.connections.open');
  await socketApp(slack, (app) => app.event('message', async () => undefined));
  slack.socket.refresh();
  await slack.until(() => opened().length === 2);
  await slack.until(() => slack.socket.connections() === 1);
  slack.socket.drop();
  await slack.until(() => opened().length === 3);
  await slack.until(() => slack.socket.connections() === 1);
  const said = await slack.say({ channel: 'design', user: 'ben', text: 'Back?' });
  expect(said.deliveries.at(-1)).toMatchObject({ via: 'socket', status: 200 });
});

test.each(['no JSON', '[]', ''])(
  'a frame that acknowledges nothing is ignored: %j',
  async (text) => {
    const slack = await startedSlack();
    const client = await bareClient(slack);
    const said = slack.say({ channel: 'design', user: 'ben', text: 'Hi' });
    await client.until(2);
    client.sendText(text);
    client.send({ envelope_id: client.heard[1]?.['envelope_id'] });
    expect((await said).deliveries).toMatchObject([{ via: 'socket', status: 200 }]);
  },
);

test('an envelope that is not acknowledged in time is sent again as a new one', async () => {
  const clock = createFakeClock();
  const slack = await startedSlack({ clock });
  const client = await bareClient(slack);
  expect(client.heard[0]).toMatchObject({
    type: 'hello',
    num_connections: 1,
    connection_info: { app_id: slack.ids.app },
  });
  const saying = slack.say({ channel: 'design', user: 'ben', text: 'Hi' });
  await client.until(2);
  await clock.advance(3_000);
  await client.until(3);
  const [, first, second] = client.heard;
  client.send({ envelope_id: second?.['envelope_id'] });
  const { deliveries } = await saying;
  expect(deliveries.map(({ failure }) => failure)).toEqual(['timeout', undefined]);
  expect(first).toMatchObject({ type: 'events_api', retry_attempt: 0, retry_reason: '' });
  expect(second).toMatchObject({ retry_attempt: 1, retry_reason: 'timeout' });
  expect(second?.['payload']).toEqual(first?.['payload']);
  expect(second?.['envelope_id']).not.toBe(first?.['envelope_id']);
});

test('a connection needs an address that Slack issued, and each address works once', async () => {
  const slack = await startedSlack();
  const { url } = await callApi(slack, 'apps.connections.open', {}, slack.appToken);
  const refused = (address: string) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(address);
      socket.on('open', () => resolve('open'));
      socket.on('error', (error) => resolve(error.message));
    });
  expect(await refused(String(url))).toBe('open');
  expect(await refused(String(url))).toContain('401');
});

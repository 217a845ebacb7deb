import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { EmbeddedSlack } from '../../../src/playground/embedded-slack/index.ts';
import { isOwnOrigin } from '../../../src/playground/own-origin.ts';
import { callApi, startedSlack } from './started-slack.ts';

const HOST = '127.0.0.1:4100';

it('the embedded Slack gets new keys at every start, except those that it is given', async () => {
  const keys = { signingSecret: 'given' };
  const [one, two] = [await startedSlack({ keys }), await startedSlack()];
  for (const name of ['botToken', 'appToken'] as const) {
    expect(one[name].length).toBeGreaterThan(40);
    expect(one[name]).not.toBe(two[name]);
  }
  expect(one.signingSecret).toBe('given');
  expect(two.signingSecret).toHaveLength(36);
  expect(await callApi(one, 'auth.test', {}, two.botToken)).toMatchObject({ ok: false });
});

it.each([
  ['an app', { host: HOST }, true],
  ['an app that calls it localhost', { host: 'localhost:4100' }, true],
  ['a page elsewhere', { host: HOST, origin: 'https://evil.example' }, false],
  ['a page at another port', { host: HOST, origin: 'http://127.0.0.1:9999' }, false],
  ['a page without an origin', { host: HOST, origin: 'null' }, false],
  ['a picture on a page elsewhere', { host: HOST, 'sec-fetch-site': 'cross-site' }, false],
  ['a name that leads to this machine', { host: 'evil.example:4100' }, false],
  ['nobody', {}, false],
])('%s with the headers %j is accepted: %j', (_who, headers, expected) => {
  expect(isOwnOrigin(headers)).toBe(expected);
});

it('the embedded Slack refuses a web page, even with a valid token', async () => {
  const slack = await startedSlack();
  const page = { authorization: `Bearer ${slack.botToken}`, origin: 'https://evil.example' };
  const asked = await fetch(`${slack.apiUrl}auth.test`, { method: 'POST', headers: page });
  expect(asked.status).toBe(403);
  expect(await statusFor(slack, { host: 'evil.example' })).toBe(403);
});

it.each([
  ['from a page elsewhere', '/link/', 'Origin: https://evil.example', '403 Forbidden'],
  [
    'with an address that was not issued',
    '/link/?ticket=guessed',
    'Accept: */*',
    '401 Unauthorized',
  ],
  ['with an address that is none', '//', 'Accept: */*', '401 Unauthorized'],
])('a socket %s is refused, and does not delay the stop', async (_what, path, header, status) => {
  const slack = await startedSlack();
  const [answer] = await once(upgrading(slack, path, header), 'data');
  expect(String(answer)).toBe(`HTTP/1.1 ${status}\r\n\r\n`);
  await slack.stop();
});

it('a caller that asks for a socket and leaves at once does no harm', async () => {
  const slack = await startedSlack();
  for (const header of ['Accept: */*', 'Origin: https://evil.example']) {
    const socket = upgrading(slack, '/link/', header);
    await once(socket, 'connect');
    socket.resetAndDestroy();
  }
  expect(await callApi(slack, 'auth.test')).toMatchObject({ ok: true });
});

it('the embedded Slack leaves no port open to the emulator, which accepts any token from any page', async () => {
  const ports = new Set<number>();
  const note = (message: unknown) => {
    const { server } = message as { server: { address(): { port: number } } };
    ports.add(server.address().port);
  };
  subscribe('tracing:net.server.listen:asyncEnd', note);
  const slack = await startedSlack();
  unsubscribe('tracing:net.server.listen:asyncEnd', note);
  ports.delete(Number(new URL(slack.origin).port));
  expect(ports.size).toBe(1);
  for (const port of ports) await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
});

function statusFor({ origin }: EmbeddedSlack, headers: Record<string, string>) {
  const asked = Promise.withResolvers<number | undefined>();
  request(origin, { headers }, (answer) => {
    answer.resume();
    asked.resolve(answer.statusCode);
  }).end();
  return asked.promise;
}

/** Asks for a socket; `header` is one header line. The caller's side stays open. */
function upgrading({ origin }: EmbeddedSlack, path: string, header: string): Socket {
  const socket = connect({
    port: Number(new URL(origin).port),
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  onTestFinished(() => void socket.destroy());
  const lines = [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', header];
  socket.write(`${lines.join('\r\n')}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  return socket;
}

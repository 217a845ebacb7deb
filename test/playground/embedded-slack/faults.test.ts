import { expect, onTestFinished, test, vi } from 'vitest';
import { startEmulator } from '../../../src/playground/embedded-slack/emulator.ts';
import type { EmbeddedSlack } from '../../../src/playground/embedded-slack/index.ts';
import { callApi, idOf, startedSlack } from './started-slack.ts';

function raw(slack: EmbeddedSlack, method: string, args: Record<string, string> = {}) {
  const headers = { authorization: `Bearer ${slack.botToken}` };
  const body = new URLSearchParams(args);
  return fetch(slack.apiUrl + method, { method: 'POST', headers, body });
}

test('a method can be rate-limited for a given number of calls', async () => {
  const slack = await startedSlack();
  slack.rateLimit('users.info', 7, 2);
  const user = idOf(slack.ids.users, 'ben');
  const first = await raw(slack, 'users.info', { user });
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '7']);
  expect((await raw(slack, 'auth.test')).status).toBe(200);
  expect((await raw(slack, 'users.info', { user })).status).toBe(429);
  expect((await raw(slack, 'users.info', { user })).status).toBe(200);
});

test('a call can be refused with an error or a status, without taking effect', async () => {
  const slack = await startedSlack();
  const channel = idOf(slack.ids.channels, 'design');
  slack.fail('chat.postMessage', 'restricted_action');
  slack.fail('chat.postMessage', 503);
  expect(await callApi(slack, 'chat.postMessage', { channel, text: 'Hi' })).toMatchObject({
    error: 'restricted_action',
  });
  expect((await raw(slack, 'chat.postMessage', { channel, text: 'Hi' })).status).toBe(503);
  expect(await slack.state('design')).toEqual([]);
  slack.fail('*', 'token_revoked');
  expect(await callApi(slack, 'auth.test')).toMatchObject({ error: 'token_revoked' });
});

test('a call can take effect although its response is lost', async () => {
  const slack = await startedSlack();
  const channel = idOf(slack.ids.channels, 'design');
  slack.lose('chat.postMessage');
  await expect(raw(slack, 'chat.postMessage', { channel, text: 'Hi' })).rejects.toThrow();
  expect(await slack.state('design')).toMatchObject([{ text: 'Hi' }]);
});

test('every call is recorded with its caller and its result', async () => {
  const slack = await startedSlack();
  await callApi(slack, 'users.info', { user: 'U0NOBODY0' });
  await callApi(slack, 'auth.test', {}, 'nobody');
  expect(slack.calls).toMatchObject([
    { method: 'users.info', account: 'pigeonhole', ok: false, error: 'user_not_found' },
    { method: 'auth.test', ok: false, error: 'invalid_auth' },
  ]);
  expect(slack.calls[0]?.args).toEqual({ user: 'U0NOBODY0' });
});

test('calls rotate over many accepted tokens, as the emulator allows each 5,000 calls an hour', async () => {
  const emulator = await startEmulator();
  const made = vi.spyOn(globalThis, 'Request');
  onTestFinished(() => made.mockRestore());
  const calls = Array.from({ length: 200 }, () => emulator.call('auth.test', {}, 'ada'));
  expect((await Promise.all(calls)).every(({ ok }) => ok)).toBe(true);
  const tokens = made.mock.calls.map(([, init]) => new Headers(init?.headers).get('authorization'));
  expect(tokens).toHaveLength(200);
  expect(new Set(tokens).size).toBe(100);
});

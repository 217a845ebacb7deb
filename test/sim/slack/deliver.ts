import { createHmac } from 'node:crypto';
import type { RequestListener } from 'node:http';
import inject from 'light-my-request';
import { virtualNow } from '../kernel/virtual-time.ts';
import type { AppInstance } from '../world/machine.ts';
import type { Json } from './state.ts';

export const SIGNING_SECRET = 'simulated-signing-secret';

/** How long Slack waits for a response, in milliseconds. */
const PATIENCE_MS = 3_000;

export type Outgoing =
  | { kind: 'event'; payload: Json; retry: number }
  | { kind: 'interactive'; payload: Json }
  | { kind: 'command'; payload: Json };

/** The app's response to one request; null: no response in time. */
export type Answered = { status: number; body: string } | null;

/**
 * Sends one signed request to an instance of the app (null: none is up), and waits as long as Slack
 * does.
 */
export async function deliver(
  instance: AppInstance | null,
  message: Outgoing,
  sleep: (ms: number) => Promise<void>,
): Promise<Answered> {
  const listener = instance?.listener();
  if (!instance || !listener) return null;
  const { body, type } = encode(message);
  const headers = { 'content-type': type, ...signature(body), ...retryHeaders(message) };
  const answer = Promise.withResolvers<Answered>();
  const onLeaving = (status: number, text: string) => {
    answer.resolve({ status, body: text });
    if (message.kind === 'event' && status < 300) instance.answered();
  };
  const request = { method: 'POST', url: '/slack/events', headers, payload: body } as const;
  void (async () => {
    await instance.process.running();
    instance.process.run(() =>
      inject(overheard(listener, onLeaving), { ...request, validate: false }),
    );
  })();
  const death = new Promise<null>((resolve) => instance.process.onDeath(() => resolve(null)));
  return Promise.race([answer.promise, death, sleep(PATIENCE_MS).then(() => null)]);
}

/**
 * Reports each response at the moment it is sent, so that it reflects nothing that the process does
 * later.
 */
function overheard(
  listener: RequestListener,
  onLeaving: (status: number, text: string) => void,
): RequestListener {
  return (request, response) => {
    const { end } = response;
    response.end = (...args: unknown[]) => {
      const ended = Reflect.apply(end, response, args);
      onLeaving(response.statusCode, typeof args[0] === 'string' ? args[0] : '');
      return ended;
    };
    listener(request, response);
  };
}

function encode(message: Outgoing): { body: string; type: string } {
  if (message.kind === 'event')
    return { body: JSON.stringify(message.payload), type: 'application/json' };
  const fields =
    message.kind === 'interactive'
      ? { payload: JSON.stringify(message.payload) }
      : Object.fromEntries(Object.entries(message.payload).map(([k, v]) => [k, String(v)]));
  const body = new URLSearchParams(fields).toString();
  return { body, type: 'application/x-www-form-urlencoded' };
}

// https://docs.slack.dev/authentication/verifying-requests-from-slack
function signature(body: string): Record<string, string> {
  const at = String(Math.floor(virtualNow() / 1000));
  const digest = createHmac('sha256', SIGNING_SECRET).update(`v0:${at}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': at, 'x-slack-signature': `v0=${digest}` };
}

function retryHeaders(message: Outgoing): Record<string, string> {
  if (message.kind !== 'event' || message.retry === 0) return {};
  return { 'x-slack-retry-num': String(message.retry), 'x-slack-retry-reason': 'http_timeout' };
}

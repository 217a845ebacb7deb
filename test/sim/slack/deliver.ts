import { createHmac } from 'node:crypto';
import type { RequestListener } from 'node:http';
import inject from 'light-my-request';
import { virtualNow } from '../kernel/virtual-time.ts';
import type { AppInstance } from '../world/machine.ts';
import type { Json } from './state.ts';

export const SIGNING_SECRET = 'simulated-signing-secret';

/** How long Slack waits for a response, in milliseconds. */
const TIMEOUT_MS = 3_000;

/** A request of Slack to the app; `retry`: how often the event was sent before. */
export type SlackRequest =
  | { kind: 'event'; payload: Json; retry: number }
  | { kind: 'interactive' | 'command'; payload: Json };

/** The app's response to one request; null: no response in time. */
export type AppResponse = { status: number; body: string } | null;

/** Sends a signed request to an instance of the app (null: none is up), and awaits its response. */
export async function deliver(
  instance: AppInstance | null,
  message: SlackRequest,
  sleep: (ms: number) => Promise<void>,
): Promise<AppResponse> {
  const listener = instance?.listener();
  if (!instance || !listener) return null;
  const { body, type } = encode(message);
  const headers = { 'content-type': type, ...signature(body), ...retryHeaders(message) };
  const response = Promise.withResolvers<AppResponse>();
  const onSent = (status: number, text: string) => {
    response.resolve({ status, body: text });
    if (message.kind === 'event' && status < 300) instance.eventAcknowledged();
  };
  const request = { method: 'POST', url: '/slack/events', headers, payload: body } as const;
  void (async () => {
    await instance.process.running();
    instance.process.run(() =>
      inject(reportingTo(onSent, listener), { ...request, validate: false }),
    );
  })();
  const death = new Promise<null>((resolve) => instance.process.onDeath(() => resolve(null)));
  return Promise.race([response.promise, death, sleep(TIMEOUT_MS).then(() => null)]);
}

// Reports each response at the moment it is sent, so that it reflects nothing that the process does
// later.
function reportingTo(
  onSent: (status: number, text: string) => void,
  listener: RequestListener,
): RequestListener {
  return (request, response) => {
    const { end } = response;
    response.end = (...args: unknown[]) => {
      const ended = Reflect.apply(end, response, args);
      onSent(response.statusCode, typeof args[0] === 'string' ? args[0] : '');
      return ended;
    };
    listener(request, response);
  };
}

function encode({ kind, payload }: SlackRequest): { body: string; type: string } {
  if (kind === 'event') return { body: JSON.stringify(payload), type: 'application/json' };
  const fields =
    kind === 'interactive'
      ? { payload: JSON.stringify(payload) }
      : Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)]));
  const body = new URLSearchParams(fields).toString();
  return { body, type: 'application/x-www-form-urlencoded' };
}

// https://docs.slack.dev/authentication/verifying-requests-from-slack
function signature(body: string): Record<string, string> {
  const at = String(Math.floor(virtualNow() / 1000));
  const digest = createHmac('sha256', SIGNING_SECRET).update(`v0:${at}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': at, 'x-slack-signature': `v0=${digest}` };
}

function retryHeaders(message: SlackRequest): Record<string, string> {
  if (message.kind !== 'event' || message.retry === 0) return {};
  return { 'x-slack-retry-num': String(message.retry), 'x-slack-retry-reason': 'http_timeout' };
}

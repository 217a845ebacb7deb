import {
  request as forward,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { startHttpServer } from './loopback.ts';

/** Registers something to run when a test is over; each of several concurrent tests has its own. */
export type AtEnd = (stop: () => void | Promise<void>) => void;

/** Starts an HTTP server on the loopback that stops with the test; resolves with its origin. */
export async function startServer(
  listener: RequestListener,
  atEnd: AtEnd = onTestFinished,
): Promise<string> {
  const { url, stop } = await startHttpServer(listener);
  atEnd(stop);
  return url;
}

/** The service's response, before it is passed on. */
export interface ProxiedResponse {
  method: string;
  path: string;
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Returns the response to pass on instead; null to reset the connection without one. */
export type Change = (answer: ProxiedResponse) => ProxiedResponse | null;

export interface RewritingProxy {
  /** The account address for the app; it leads through the proxy. */
  accountUrl: string;
  /** Sets the account to forward to, which is known only once the service has started. */
  pointTo(accountUrl: string): void;
}

/** Starts a proxy between the app and a file service that changes the service's responses. */
export async function startRewritingProxy(change: Change, atEnd?: AtEnd): Promise<RewritingProxy> {
  let target = '';
  const origin = await startServer((request, response) => {
    void pass(request, response, { target, change }).catch(() => response.destroy());
  }, atEnd);
  return {
    accountUrl: `${origin}/acme`,
    pointTo: (accountUrl) => {
      target = new URL(accountUrl).origin;
    },
  };
}

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  { target, change }: { target: string; change: Change },
): Promise<void> {
  const { method = '', url = '', headers } = request;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const out = forward(`${target}${url}`, { method, headers }, resolve).on('error', reject);
    request.pipe(out);
  });
  const { headers: answered, statusCode: status = 500 } = answer;
  const passed = { method, path: url, status, headers: answered, text: await text(answer) };
  const changed = change(passed);
  if (!changed) return void request.socket.resetAndDestroy();
  const { 'content-length': _length, ...rest } = changed.headers;
  response.sendDate = false;
  response.writeHead(changed.status, rest);
  response.end(changed.text);
}

/** Applies a change to each file record in the response to a list or a create. */
export function changeRecords(
  answer: ProxiedResponse,
  change: (record: Record<string, unknown>) => object,
): ProxiedResponse {
  if (!/\/files$/.test(answer.path) || answer.text === '') return answer;
  const value: unknown = JSON.parse(answer.text);
  const isRecord = (one: unknown): one is Record<string, unknown> =>
    typeof one === 'object' && one !== null && 'byte_size' in one;
  const changed = (one: unknown) => (isRecord(one) ? change(one) : one);
  return {
    ...answer,
    text: JSON.stringify(Array.isArray(value) ? value.map(changed) : changed(value)),
  };
}

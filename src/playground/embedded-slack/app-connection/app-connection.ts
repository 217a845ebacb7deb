import { createHmac } from 'node:crypto';
import { type Clock, startDeadline } from '../../../base/index.ts';
import { isJson, type Json } from '../slack-types.ts';

/** A request from Slack to the app; `type` is Socket Mode's name for it. */
export interface AppRequest {
  type: 'events_api' | 'slash_commands' | 'interactive';
  payload: Json;
  /** Set on a retry: its number, and why the previous attempt failed. */
  retry?: { attempt: number; reason: string };
}

/** The outcome of one request to the app. */
export interface Attempt {
  via: 'http' | 'socket';
  /** The HTTP status; 200 for an envelope acknowledged in time, 0 without a response. */
  status: number;
  /** Milliseconds until the response or the timeout. */
  ms: number;
  /** The app's response: the JSON object, else the text. */
  body: unknown;
  /** Why the attempt failed, as in `x-slack-retry-reason`; absent if it succeeded. */
  failure?: string;
}

/** Sends requests to the app, over HTTP or through its socket. */
export interface AppConnection {
  send(request: AppRequest): Promise<Attempt>;
}

export interface AppConnectionOptions {
  clock: Clock;
  signingSecret: string;
  /** How long the app may take to respond, in milliseconds; Slack waits 3 s. */
  responseTimeoutMs: number;
  stopped: AbortSignal;
}

/** What is wrong with the signature of a forged request. */
export type Forgery = 'wrong signature' | 'old timestamp' | 'no signature';

/** Signs and encodes requests as Slack does, and posts them to the app's address. */
export interface HttpConnection extends AppConnection {
  /** Sets the app's address; a bare origin means its `/slack/events`. */
  connect(appUrl: string): void;
  /** Posts a badly signed request, which the app must refuse. */
  sendForged(kind: Forgery, payload: object): Promise<Attempt>;
}

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const TEN_MINUTES_MS = 10 * 60_000;

export function createHttpConnection(options: AppConnectionOptions): HttpConnection {
  const { clock, signingSecret } = options;
  let address: string | undefined;
  const post = async (body: string, headers: Record<string, string>): Promise<Attempt> =>
    address ? request(options, address, { body, headers }) : failed('connection_failed', 0);
  return {
    connect: (appUrl) => {
      const url = new URL(appUrl);
      if (url.pathname === '/') url.pathname = '/slack/events';
      address = url.href;
    },
    send: (message) => {
      const { body, type } = encode(message);
      const signature = signatureHeaders(signingSecret, body, clock.now());
      return post(body, { 'content-type': type, ...signature, ...retryHeaders(message) });
    },
    sendForged: (kind, payload) => {
      const body = JSON.stringify(payload);
      const secret = kind === 'wrong signature' ? 'another secret' : signingSecret;
      const at = clock.now() - (kind === 'old timestamp' ? TEN_MINUTES_MS : 0);
      const signature = kind === 'no signature' ? {} : signatureHeaders(secret, body, at);
      return post(body, { 'content-type': JSON_TYPE, ...signature });
    },
  };
}

/**
 * Returns the headers that prove to the app that Slack sent a request
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack). `at`: epoch milliseconds.
 */
export function signatureHeaders(secret: string, body: string, at: number): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest}` };
}

function encode({ type, payload }: AppRequest): { body: string; type: string } {
  if (type === 'events_api') return { body: JSON.stringify(payload), type: JSON_TYPE };
  const fields = type === 'interactive' ? { payload: JSON.stringify(payload) } : payload;
  const form = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) form.set(key, String(value));
  return { body: form.toString(), type: FORM };
}

function retryHeaders({ retry }: AppRequest): Record<string, string> {
  if (!retry) return {};
  return {
    'x-slack-retry-num': String(retry.attempt),
    'x-slack-retry-reason': retry.reason,
  };
}

async function request(
  { clock, responseTimeoutMs: timeoutMs, stopped }: AppConnectionOptions,
  address: string,
  { body, headers }: { body: string; headers: Record<string, string> },
): Promise<Attempt> {
  const startedAt = clock.now();
  const timedOut = () => new Error('The app took too long');
  const deadline = startDeadline({ clock, signal: stopped, timeoutMs, timedOut });
  try {
    const response = await fetch(address, {
      method: 'POST',
      body,
      headers: { 'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)', ...headers },
      redirect: 'manual',
      signal: deadline.signal,
    });
    const text = await response.text();
    const ms = clock.now() - startedAt;
    const attempt: Attempt = { via: 'http', status: response.status, ms, body: parse(text) };
    return response.ok ? attempt : { ...attempt, failure: 'http_error' };
  } catch {
    const failure = deadline.signal.aborted ? 'http_timeout' : 'connection_failed';
    return failed(failure, clock.now() - startedAt);
  } finally {
    deadline.stop();
  }
}

function failed(failure: string, ms: number): Attempt {
  return { via: 'http', status: 0, ms, body: '', failure };
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : text;
  } catch {
    return text;
  }
}

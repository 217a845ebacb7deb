import { type Clock, startDeadline } from '../../../base/index.ts';
import { isJson } from '../slack-shapes.ts';
import type { AppLine, Attempt, Outgoing } from './app-line.ts';
import { signatureHeaders } from './signing.ts';

const FORM = 'application/x-www-form-urlencoded';

interface HttpLineParts {
  clock: Clock;
  signingSecret: string;
  /** How long the app may take to respond, in milliseconds; Slack waits 3 s. */
  patienceMs: number;
  stopped: AbortSignal;
}

export interface HttpLine extends AppLine {
  /** Sets the app's address; a bare origin means its `/slack/events`. */
  connect(appUrl: string): void;
  /** Posts this body and these headers unsigned; adds only Slack's `user-agent`. */
  post(body: string, headers: Record<string, string>): Promise<Attempt>;
}

/** Creates the HTTP sender, which signs and encodes requests as Slack does. */
export function createHttpLine(parts: HttpLineParts): HttpLine {
  let address: string | undefined;
  const post: HttpLine['post'] = (body, headers) =>
    address ? request(parts, address, { body, headers }) : Promise.resolve(unreachable(0));
  return {
    connect: (appUrl) => {
      const url = new URL(appUrl);
      if (url.pathname === '/') url.pathname = '/slack/events';
      address = url.href;
    },
    isConnected: () => address !== undefined,
    send: (message) => {
      const { body, type } = encode(message);
      const signature = signatureHeaders(parts.signingSecret, body, parts.clock.now());
      return post(body, { 'content-type': type, ...signature, ...retryHeaders(message) });
    },
    post,
  };
}

function encode({ type, payload }: Outgoing): { body: string; type: string } {
  if (type === 'events_api') return { body: JSON.stringify(payload), type: 'application/json' };
  if (type === 'interactive') {
    return { body: form({ payload: JSON.stringify(payload) }), type: FORM };
  }
  const entries = Object.entries(payload).map(([key, value]) => [key, String(value)]);
  return { body: form(Object.fromEntries(entries)), type: FORM };
}

function form(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString();
}

function retryHeaders({ retry }: Outgoing): Record<string, string> {
  if (!retry) return {};
  return {
    'x-slack-retry-num': String(retry.attempt),
    'x-slack-retry-reason': retry.reason,
  };
}

async function request(
  { clock, patienceMs, stopped }: HttpLineParts,
  address: string,
  { body, headers }: { body: string; headers: Record<string, string> },
): Promise<Attempt> {
  const begun = clock.now();
  const timedOut = () => new Error('The app took too long');
  const deadline = startDeadline({ clock, signal: stopped, timeoutMs: patienceMs, timedOut });
  try {
    const answer = await fetch(address, {
      method: 'POST',
      body,
      headers: { 'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)', ...headers },
      redirect: 'manual',
      signal: deadline.signal,
    });
    return await readAnswer(answer, () => clock.now() - begun);
  } catch {
    const ms = clock.now() - begun;
    return {
      ...unreachable(ms),
      failure: deadline.signal.aborted ? 'http_timeout' : 'connection_failed',
    };
  } finally {
    deadline.stop();
  }
}

async function readAnswer(answer: Response, elapsed: () => number): Promise<Attempt> {
  const text = await answer.text();
  const attempt: Attempt = { via: 'http', status: answer.status, ms: elapsed(), body: parse(text) };
  if (answer.ok) return attempt;
  const noRetry = answer.headers.get('x-slack-no-retry') === '1';
  return { ...attempt, failure: 'http_error', noRetry };
}

function unreachable(ms: number): Attempt {
  return { via: 'http', status: 0, ms, body: '', failure: 'connection_failed' };
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : text;
  } catch {
    return text;
  }
}

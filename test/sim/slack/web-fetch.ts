import type { WebFetch } from '../../../src/slack/index.ts';
import type { Chance } from '../kernel/chance.ts';
import { never } from '../kernel/never.ts';
import type { SimProcess } from '../kernel/sim-process.ts';
import type { AppWatch } from './method.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { SlackFault, SlackFaults } from './slack-fault.ts';
import type { Json, SlackState } from './slack-state.ts';
import { callMethod } from './web-api.ts';
import { type WebResponse, webResponse } from './web-response.ts';

export const API_URL = 'https://slack.com/api/';
export const BOT_TOKEN = 'xoxb-simulated';

export interface SlackLine {
  state: SlackState;
  watch: AppWatch;
  responseUrls: ResponseUrls;
  faults: SlackFaults;
  chance: Chance;
  sleep(ms: number): Promise<void>;
  trace(text: string): void;
}

/** Carries one process's calls and responses to Slack, and applies the faults on the way. */
export function createWebFetch(process: SimProcess, line: SlackLine): WebFetch {
  return (input, init = {}) => {
    const url = String(input);
    const body = String(init.body ?? '');
    return process.edge(() =>
      unlessAborted(init.signal, () => carry(process, { url, body }, line)),
    );
  };
}

async function carry(
  process: SimProcess,
  { url, body }: { url: string; body: string },
  line: SlackLine,
): Promise<WebResponse> {
  await line.sleep(line.chance.whole(5, 30));
  const method = url.startsWith(API_URL) ? url.slice(API_URL.length) : 'response_url';
  const fault = line.faults(method);
  const title = `${process.name} → Slack ${method}${shownPlace(method, body)}`;
  if (fault) line.trace(`${title}: ${fault.kind}`);
  const early = fault ? await beforeEffect(fault) : null;
  if (early) return early;
  const answer =
    method === 'response_url' ? line.responseUrls.respond(url, body, line.watch) : null;
  const result: Json = answer ? { ok: answer.ok } : callApi(method, body, line);
  line.trace(`${title}: ${result['ok'] ? 'ok' : result['error']}`);
  const done = answer ?? jsonResponse(200, result);
  if (fault) return afterEffect(fault, done, line);
  await line.sleep(line.chance.whole(5, 60));
  return done;
}

function callApi(method: string, body: string, line: SlackLine): Json {
  const args = Object.fromEntries(new URLSearchParams(body));
  return callMethod({ method, args }, line.state, line.watch);
}

async function beforeEffect(fault: SlackFault): Promise<WebResponse | null> {
  switch (fault.kind) {
    case 'status-before':
      return jsonResponse(fault.status, {});
    case 'limited':
      return jsonResponse(429, {}, { 'retry-after': String(fault.retryAfter) });
    case 'refused-before':
      return jsonResponse(200, { ok: false, error: fault.error });
    case 'reset-before':
      throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
    case 'silent-before':
      return never();
    default:
      return null;
  }
}

async function afterEffect(
  fault: SlackFault,
  done: WebResponse,
  line: SlackLine,
): Promise<WebResponse> {
  if (fault.kind === 'reset-after')
    throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
  if (fault.kind === 'silent-after') return never();
  if (fault.kind === 'status-after') return jsonResponse(fault.status, {});
  if (fault.kind === 'late-answer') await line.sleep(fault.ms);
  return done;
}

// Returns what a call is about, as far as that makes a trace readable.
function shownPlace(method: string, body: string): string {
  if (method === 'response_url') return '';
  const args = new URLSearchParams(body);
  const places = ['channel', 'ts', 'timestamp', 'thread_ts', 'user', 'name', 'file', 'text'];
  const shown = places.flatMap((place) => args.get(place)?.slice(0, MAX_TEXT_LENGTH) ?? []);
  return shown.length === 0 ? '' : ` ${shown.join(' ')}`;
}

const MAX_TEXT_LENGTH = 120;

function jsonResponse(status: number, value: Json, headers = {}): WebResponse {
  return webResponse(status, JSON.stringify(value), {
    'content-type': 'application/json',
    ...headers,
  });
}

// A call that is aborted before it begins is never sent.
async function unlessAborted<T>(
  signal: AbortSignal | null | undefined,
  begin: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const work = begin();
  if (!signal) return work;
  const aborted = Promise.withResolvers<never>();
  const leave = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', leave);
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', leave);
    work.catch(() => undefined);
  }
}

import { createHmac } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import inject from 'light-my-request';
import type { FileAnswer, GetFile } from '../../../src/slack/download.ts';
import type { WebFetch } from '../../../src/slack/index.ts';
import { never, type SimProcess, unlessAborted } from '../kernel/process.ts';
import type { Rng } from '../kernel/random.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import type { DownloadFault, DownloadFaults, SlackFault, SlackFaults } from '../plan/faults.ts';
import type { AppInstance } from '../world/machine.ts';
import type { ResponseUrls } from './interactions.ts';
import type { AppObserver, Json, SlackFile, SlackState } from './state.ts';
import { callMethod } from './web-api.ts';

const API_URL = 'https://slack.com/api/';
export const BOT_TOKEN = 'xoxb-simulated';

interface TransportOptions {
  state: SlackState;
  rng: Rng;
  sleep(ms: number): Promise<void>;
  trace(text: string): void;
}

interface WebTransportOptions extends TransportOptions {
  observer: AppObserver;
  responseUrls: ResponseUrls;
  faults: SlackFaults;
}

/** Carries one process's calls and responses to Slack, and applies the faults on the way. */
export function createWebFetch(process: SimProcess, options: WebTransportOptions): WebFetch {
  return (input, init = {}) => {
    const message = { url: String(input), body: String(init.body ?? '') };
    const begin = () => call(process, message, options);
    return process.effect(() => unlessAborted(init.signal, begin));
  };
}

async function call(
  process: SimProcess,
  { url, body }: { url: string; body: string },
  { state, observer, responseUrls, faults, rng, sleep, trace }: WebTransportOptions,
): Promise<WebResponse> {
  await sleep(rng.int(5, 30));
  const isApi = url.startsWith(API_URL);
  const method = isApi ? url.slice(API_URL.length) : 'response_url';
  const fault = faults(method);
  const title = `${process.name} → Slack ${method}${isApi ? shownArguments(body) : ''}`;
  if (fault) trace(`${title}: ${fault.kind}`);
  const early = fault ? await responseWithoutEffect(fault) : null;
  if (early) return early;
  const args = Object.fromEntries(new URLSearchParams(body));
  const error = isApi ? null : responseUrls.respond(url, body, observer);
  const result = isApi ? callMethod({ method, args }, state, observer) : { ok: !error, error };
  trace(`${title}: ${result['ok'] ? 'ok' : result['error']}`);
  if (fault?.kind === 'reset-after') throw connectionReset();
  if (fault?.kind === 'silent-after') return never();
  if (fault?.kind === 'status-after') return jsonResponse(fault.status, {});
  if (fault?.kind === 'late-response') await sleep(fault.ms);
  if (!fault) await sleep(rng.int(5, 60));
  return isApi ? jsonResponse(200, result) : webResponse(error ? 404 : 200, error ?? 'ok');
}

async function responseWithoutEffect(fault: SlackFault): Promise<WebResponse | null> {
  if (fault.kind === 'status-before') return jsonResponse(fault.status, {});
  if (fault.kind === 'rate-limited')
    return jsonResponse(429, {}, { 'retry-after': String(fault.retryAfter) });
  if (fault.kind === 'refused-before') return jsonResponse(200, { ok: false, error: fault.error });
  if (fault.kind === 'reset-before') throw connectionReset();
  return fault.kind === 'silent-before' ? never() : null;
}

function connectionReset(): TypeError {
  return new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
}

const MAX_TEXT_LENGTH = 120;
const SHOWN = ['channel', 'ts', 'timestamp', 'thread_ts', 'user', 'name', 'file', 'text'];

// Returns what a call is about, as far as that makes a trace readable.
function shownArguments(body: string): string {
  const args = new URLSearchParams(body);
  const shown = SHOWN.flatMap((name) => args.get(name)?.slice(0, MAX_TEXT_LENGTH) ?? []);
  return shown.length === 0 ? '' : ` ${shown.join(' ')}`;
}

/** As much of a `Response` as the app's calls to Slack read. */
type WebResponse = Awaited<ReturnType<WebFetch>>;

function jsonResponse(status: number, value: Json, headers = {}): WebResponse {
  const all = { 'content-type': 'application/json', ...headers };
  return webResponse(status, JSON.stringify(value), all);
}

// A response of fetch itself would take a fortieth of a world's processor time.
function webResponse(
  status: number,
  text: string,
  headers: Record<string, string> = {},
): WebResponse {
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: '',
    url: '',
    headers: {
      get: (name) => headers[name.toLowerCase()] ?? null,
      entries: () => Object.entries(headers),
    },
    text: async () => text,
    json: async () => JSON.parse(text),
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
  };
}

interface DownloadOptions extends TransportOptions {
  faults: DownloadFaults;
}

/** Returns the download function for Slack's files, for one process. */
export function createGetFile(process: SimProcess, options: DownloadOptions): GetFile {
  return (url, { headers, signal }) => {
    const token = headers['authorization'];
    const begin = () => download(process, { url, token, signal }, options);
    return process.effect(() => unlessAborted(signal, begin));
  };
}

async function download(
  process: SimProcess,
  { url, token, signal }: { url: URL; token: string | undefined; signal: AbortSignal },
  { state, faults, rng, sleep, trace }: DownloadOptions,
): Promise<FileAnswer> {
  await sleep(rng.int(5, 40));
  const id = /^\/files-pri\/\w+-(\w+)\//.exec(url.pathname)?.[1] ?? '';
  const file = state.files.get(id);
  const fault = faults();
  trace(`${process.name} → Slack file ${id}${fault ? `: ${fault.kind}` : ''}`);
  if (token !== `Bearer ${BOT_TOKEN}`)
    return fileResponse(302, { location: 'https://slack.com/signin' });
  if (!file || file.deleted || virtualNow() < file.visibleAt) return fileResponse(404, {});
  if (fault?.kind === 'silent') return never();
  if (fault?.kind === 'status') return fileResponse(fault.status, {});
  if (fault?.kind === 'page')
    return fileResponse(200, { 'content-type': 'text/html' }, Readable.from([WEB_PAGE]));
  // A stream that is destroyed waits for nothing: else a stop would wait for its next bytes.
  const drip = (ms: number) => unlessAborted(signal, () => sleep(ms));
  const content = Readable.from(contentOf(file, fault, drip), { objectMode: false });
  return fileResponse(200, contentHeaders(file), content);
}

const WEB_PAGE = Buffer.from('<!doctype html><title>Sign in</title>');

function contentHeaders({ bytes }: SlackFile): Record<string, string> {
  const length = String(bytes.length);
  return { 'content-type': 'application/octet-stream', 'content-length': length };
}

function fileResponse(
  statusCode: number,
  headers: Record<string, string>,
  body: Readable = Readable.from([]),
): FileAnswer {
  return Object.assign(body, { statusCode, headers });
}

async function* contentOf(
  { bytes }: SlackFile,
  fault: DownloadFault | null,
  drip: (ms: number) => Promise<void>,
): AsyncGenerator<Buffer> {
  const half = Math.floor(bytes.length / 2);
  const isIncomplete = fault?.kind === 'short' || fault?.kind === 'cut';
  const parts = [bytes.subarray(0, half), ...(isIncomplete ? [] : [bytes.subarray(half)])];
  for (const part of parts.filter(({ length }) => length > 0)) {
    if (fault?.kind === 'drip') await drip(fault.ms);
    yield part;
  }
  if (fault?.kind === 'drip') await drip(fault.ms);
  if (fault?.kind === 'cut') throw new Error('aborted');
}

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
  const reporting = reportingTo(onSent, listener);
  void (async () => {
    await instance.process.running();
    instance.process.run(() => inject(reporting, { ...request, validate: false }));
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

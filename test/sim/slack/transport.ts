import { Readable } from 'node:stream';
import type { FileAnswer, GetFile } from '../../../src/slack/download.ts';
import type { WebFetch } from '../../../src/slack/index.ts';
import { never, type SimProcess, unlessAborted } from '../kernel/process.ts';
import type { Rng } from '../kernel/random.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import type { DownloadFault, DownloadFaults, SlackFault, SlackFaults } from '../plan/faults.ts';
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
    const url = String(input);
    const body = String(init.body ?? '');
    return process.effect(() =>
      unlessAborted(init.signal, () => call(process, { url, body }, options)),
    );
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
    return process.effect(() =>
      unlessAborted(signal, () => download(process, { url, token }, options)),
    );
  };
}

async function download(
  process: SimProcess,
  { url, token }: { url: URL; token: string | undefined },
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
    return fileResponse(200, { 'content-type': 'text/html' }, { parts: [WEB_PAGE] });
  return fileResponse(200, contentHeaders(file), { parts: partsOf(file, fault), fault, sleep });
}

const WEB_PAGE = Buffer.from('<!doctype html><title>Sign in</title>');

function contentHeaders({ bytes }: SlackFile): Record<string, string> {
  const length = String(bytes.length);
  return { 'content-type': 'application/octet-stream', 'content-length': length };
}

function partsOf({ bytes }: SlackFile, fault: DownloadFault | null): Buffer[] {
  const half = Math.floor(bytes.length / 2);
  const isIncomplete = fault?.kind === 'short' || fault?.kind === 'cut';
  return [bytes.subarray(0, half), ...(isIncomplete ? [] : [bytes.subarray(half)])];
}

interface FileBody {
  parts: Buffer[];
  fault?: DownloadFault | null;
  sleep?(ms: number): Promise<void>;
}

function fileResponse(
  statusCode: number,
  headers: Record<string, string>,
  { parts: all, fault, sleep }: FileBody = { parts: [] },
): FileAnswer {
  const parts = all.filter(({ length }) => length > 0);
  const readable = new Readable({
    read() {
      const waited = fault?.kind === 'drip' ? sleep?.(fault.ms) : undefined;
      void (waited ?? Promise.resolve()).then(() => {
        const next = parts.shift();
        if (next !== undefined) this.push(next);
        else if (fault?.kind === 'cut') this.destroy(new Error('aborted'));
        else this.push(null);
      });
    },
  });
  return Object.assign(readable, { statusCode, headers });
}

import { Readable } from 'node:stream';
import type { FileAnswer, GetFile } from '../../../src/slack/download.ts';
import type { WebFetch } from '../../../src/slack/index.ts';
import { never, type SimProcess } from '../kernel/process.ts';
import type { Chance } from '../kernel/random.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import type { DownloadFault, DownloadFaults, SlackFault, SlackFaults } from '../plan/faults.ts';
import type { ResponseUrls } from './interactions.ts';
import type { AppWatch, Json, SlackFile, SlackState } from './state.ts';
import { callMethod } from './web-api.ts';

const API_URL = 'https://slack.com/api/';
export const BOT_TOKEN = 'xoxb-simulated';

interface SlackLine {
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
  const isReply = method === 'response_url';
  const error = isReply ? line.responseUrls.respond(url, body, line.watch) : null;
  const result = isReply ? { ok: error === null, error } : callApi(method, body, line);
  line.trace(`${title}: ${result['ok'] ? 'ok' : result['error']}`);
  const done = isReply ? webResponse(error ? 404 : 200, error ?? 'ok') : jsonResponse(200, result);
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

/** As much of a `Response` as the app's calls to Slack read. */
export type WebResponse = Awaited<ReturnType<WebFetch>>;

/** Creates a response; one of fetch itself would take a fortieth of a world's processor time. */
export function webResponse(
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

interface FileHost {
  state: SlackState;
  faults: DownloadFaults;
  chance: Chance;
  sleep(ms: number): Promise<void>;
  trace(text: string): void;
}

/** Returns the download function for Slack's files, for one process. */
export function createGetFile(process: SimProcess, host: FileHost): GetFile {
  return (url, { headers, signal }) =>
    process.edge(async () => {
      const answer = answerFor(process, { url, token: headers['authorization'] }, host);
      const aborted = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
      answer.catch(() => undefined);
      return Promise.race([aborted.promise, answer]);
    });
}

async function answerFor(
  process: SimProcess,
  { url, token }: { url: URL; token: string | undefined },
  host: FileHost,
): Promise<FileAnswer> {
  await host.sleep(host.chance.whole(5, 40));
  const id = /^\/files-pri\/\w+-(\w+)\//.exec(url.pathname)?.[1] ?? '';
  const file = host.state.files.get(id);
  const fault = host.faults();
  host.trace(`${process.name} → Slack file ${id}${fault ? `: ${fault.kind}` : ''}`);
  if (token !== `Bearer ${BOT_TOKEN}`)
    return toAnswer(302, { location: 'https://slack.com/signin' });
  if (!file || file.deleted) return toAnswer(404, {});
  if (virtualNow() < file.visibleAt) return toAnswer(404, {});
  if (fault?.kind === 'silent') return never();
  if (fault?.kind === 'status') return toAnswer(fault.status, {});
  if (fault?.kind === 'page') return toAnswer(200, { 'content-type': 'text/html' }, PAGE);
  return stream(file, fault, host);
}

const PAGE = Buffer.from('<!doctype html><title>Sign in</title>');

function stream(file: SlackFile, fault: DownloadFault | null, host: FileHost): FileAnswer {
  const half = Math.floor(file.bytes.length / 2);
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(file.bytes.length),
  };
  const parts =
    fault?.kind === 'short' || fault?.kind === 'cut'
      ? [file.bytes.subarray(0, half)]
      : [file.bytes.subarray(0, half), file.bytes.subarray(half)];
  const waitMs = fault?.kind === 'drip' ? fault.ms : 0;
  const broken = fault?.kind === 'cut' ? new Error('aborted') : null;
  return toAnswer(200, headers, parts, { waitMs, broken, sleep: host.sleep });
}

interface Flow {
  waitMs: number;
  broken: Error | null;
  sleep(ms: number): Promise<void>;
}

function toAnswer(
  statusCode: number,
  headers: Record<string, string>,
  body: Buffer | Buffer[] = [],
  flow?: Flow,
): FileAnswer {
  const parts = [body].flat().filter(({ length }) => length > 0);
  const readable = new Readable({
    read() {
      const wait = flow && flow.waitMs > 0 ? flow.sleep(flow.waitMs) : Promise.resolve();
      void wait.then(() => {
        const next = parts.shift();
        if (next !== undefined) this.push(next);
        else if (flow?.broken) this.destroy(flow.broken);
        else this.push(null);
      });
    },
  });
  return Object.assign(readable, { statusCode, headers });
}

import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Readable, Transform } from 'node:stream';
import { believedWait } from '../base/index.ts';
import type { SharedFile } from '../transfers/index.ts';
import { SlackFileError, type SlackFileErrorCode } from './objects.ts';

const MAX_REDIRECTS = 3;
/** Longer than an upload may stall: Slack is not to blame while the service takes no bytes. */
const IDLE_MS = 90_000;

/** A response whose body is still to be read. */
export type FileAnswer = Readable & Pick<IncomingMessage, 'statusCode' | 'headers'>;

/** Requests an address once, without following redirects; rejects if there is no response. */
export type GetFile = (
  url: URL,
  options: { headers: Record<string, string>; signal: AbortSignal },
) => Promise<FileAnswer>;

/** Sends the request over the network. */
export const getFile: GetFile = (url, { headers, signal }) => {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, signal, timeout: IDLE_MS }, resolve);
    outgoing.on('timeout', () => outgoing.destroy(new Error('no byte came for 90 s')));
    outgoing.on('error', reject);
    outgoing.end();
  });
};

interface DownloadOptions {
  token: string;
  slackApiUrl: string;
  signal: AbortSignal;
  get: GetFile;
}

export interface Download {
  /** Fails with SlackFileError if the number of bytes is not what Slack says. */
  stream: Readable;
  /** Bytes. */
  size: number;
}

/**
 * Opens a stream of a Slack file's bytes from the start. Rejects with SlackFileError. Checks that the
 * response is the file and no sign-in page, and counts its bytes to the end.
 */
export async function openDownload(file: SharedFile, options: DownloadOptions): Promise<Download> {
  if (file.url === null) throw fail('SLACK_FILE_UNAVAILABLE', file, 'Slack gave no address');
  const response = await follow(file, parseAddress(file, file.url), options);
  try {
    checkAnswer(file, response);
    const size = expectedSize(file, response);
    return { stream: counted(response, { file, size, signal: options.signal }), size };
  } catch (error) {
    response.destroy();
    throw error;
  }
}

async function follow(
  file: SharedFile,
  first: URL,
  { token, slackApiUrl, signal, get }: DownloadOptions,
): Promise<FileAnswer> {
  let url = first;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const rule = judgeHost(url, slackApiUrl);
    if (rule === 'sign-in') throw fail('SLACK_FILE_DENIED', file, 'Slack asks to sign in');
    if (rule === 'foreign') throw fail('SLACK_FILE_FOREIGN_HOST', file, `it leads to ${url.host}`);
    const headers = rule === 'send-token' ? { authorization: `Bearer ${token}` } : {};
    const response = await get(url, { headers, signal }).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : broken(file, error);
    });
    const { statusCode = 0, headers: answered } = response;
    const { location } = answered;
    if (statusCode < 300 || statusCode >= 400 || !location) return response;
    response.destroy();
    url = parseAddress(file, location, url);
  }
  throw fail('SLACK_FILE_UNAVAILABLE', file, 'too many redirects');
}

/** Slack's file hosts, which need the bot's token (Slack's file object, "Authentication"). */
const FILE_HOSTS = new Set(['files.slack.com', 'files-origin.slack.com']);
const SLACK_API_HOST = 'slack.com';

/** How an address that a download leads to may be requested. */
type HostRule = 'send-token' | 'no-token' | 'sign-in' | 'foreign';

/**
 * Decides how the address of a download, or of its redirect, may be requested. The token goes to
 * Slack's two file hosts and, if the Web API's address is not Slack's own, to that address's origin;
 * nowhere else. Addresses on Slack's edge network are pre-signed and need no token.
 */
export function judgeHost(url: URL, slackApiUrl: string): HostRule {
  const api = new URL(slackApiUrl);
  if (api.hostname !== SLACK_API_HOST && url.origin === api.origin)
    return isSignIn(url) ? 'sign-in' : 'send-token';
  if (url.protocol !== 'https:') return 'foreign';
  if (FILE_HOSTS.has(url.hostname) && url.port === '') return 'send-token';
  if (url.hostname.endsWith('.slack-edge.com')) return 'no-token';
  if (url.hostname === SLACK_API_HOST || url.hostname.endsWith('.slack.com')) return 'sign-in';
  return 'foreign';
}

function isSignIn(url: URL): boolean {
  return url.searchParams.has('redir') || url.pathname.startsWith('/signin');
}

function checkAnswer(file: SharedFile, { statusCode = 0, headers }: FileAnswer): void {
  const said = `Slack answered ${statusCode}`;
  const waitMs = Number(headers['retry-after'] || Number.NaN) * 1000;
  if (statusCode === 401 || statusCode === 403) throw fail('SLACK_FILE_DENIED', file, said);
  if (statusCode === 404) throw fail('SLACK_FILE_NOT_FOUND', file, said);
  if (statusCode === 410) throw fail('SLACK_FILE_DELETED', file, said);
  if (statusCode !== 200)
    throw new SlackFileError('SLACK_FILE_UNAVAILABLE', `${file.id}: ${said}`, believedWait(waitMs));
  if (/text\/html/i.test(headers['content-type'] ?? '') && !isWebPage(file))
    throw fail('SLACK_FILE_SIGN_IN_PAGE', file, 'a web page came');
}

// Whether the file itself is a web page.
function isWebPage({ mimetype, filetype }: SharedFile): boolean {
  return /html/i.test(mimetype ?? '') || /^x?html?$/i.test(filetype ?? '');
}

function expectedSize(file: SharedFile, { headers }: FileAnswer): number {
  const announced = headers['content-length'] ? Number(headers['content-length']) : null;
  const size = file.size ?? announced;
  if (size === null)
    throw fail('SLACK_FILE_UNAVAILABLE', file, 'Slack did not say how large it is');
  if (announced !== null && announced !== size) throw sizeMismatch(file, announced);
  return size;
}

function counted(
  response: FileAnswer,
  { file, size, signal }: { file: SharedFile; size: number; signal: AbortSignal },
): Readable {
  let count = 0;
  const counter = new Transform({
    highWaterMark: 256 * 1024,
    transform(chunk: Buffer, _encoding, next) {
      count += chunk.length;
      next(count > size ? sizeMismatch(file, count) : null, chunk);
    },
    flush: (next) => next(count === size ? null : sizeMismatch(file, count)),
  });
  // The reader gets our error: node's own pipeline would report the raw one first.
  const end = (error: unknown) => void counter.destroy(readError(file, error, signal));
  const abort = () => end(signal.reason);
  response.on('error', end);
  signal.addEventListener('abort', abort, { once: true });
  counter.once('close', () => {
    signal.removeEventListener('abort', abort);
    response.destroy();
  });
  return response.pipe(counter);
}

function readError(file: SharedFile, error: unknown, signal: AbortSignal): Error {
  if (signal.aborted && signal.reason instanceof Error) return signal.reason;
  return error instanceof SlackFileError ? error : broken(file, error);
}

function parseAddress(file: SharedFile, address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (!url) throw fail('SLACK_FILE_UNAVAILABLE', file, 'the address cannot be read');
  return url;
}

function fail(code: SlackFileErrorCode, { id }: SharedFile, why: string): SlackFileError {
  return new SlackFileError(code, `${id}: ${why}`);
}

function sizeMismatch(file: SharedFile, came: number): SlackFileError {
  return fail('SLACK_FILE_SIZE_MISMATCH', file, `${came} bytes came, Slack says ${file.size}`);
}

function broken(file: SharedFile, error: unknown): SlackFileError {
  const why = error instanceof Error ? error.message : String(error);
  return fail('SLACK_FILE_UNAVAILABLE', file, `the download broke: ${why}`);
}

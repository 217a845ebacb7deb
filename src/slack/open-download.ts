import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Readable, Transform } from 'node:stream';
import { believedWait } from '../base/index.ts';
import type { SharedFile } from '../transfers/index.ts';
import { judgeHost } from './file-hosts.ts';
import { SlackFileError } from './slack-error.ts';
import { isWebPage } from './slack-file.ts';

const MAX_REDIRECTS = 3;
const IDLE_MS = 60_000;

/** An answer with its bytes still to come. */
export type FileAnswer = Readable & Pick<IncomingMessage, 'statusCode' | 'headers'>;

/** Asks for an address, once, and follows no redirect; rejects when no answer comes. */
export type GetFile = (
  url: URL,
  options: { headers: Record<string, string>; signal: AbortSignal },
) => Promise<FileAnswer>;

export interface DownloadOptions {
  token: string;
  slackApiUrl: string;
  signal: AbortSignal;
  /** Default: over the machine's network. */
  get?: GetFile | undefined;
}

export interface Download {
  /** Fails with SlackFileError when the bytes are not as many as Slack says. */
  stream: Readable;
  /** Bytes. */
  size: number;
}

/**
 * Opens a Slack file's bytes from their start, to be streamed. Rejects with SlackFileError; what
 * came is a file and no sign-in page, and its count is checked at the end.
 */
export async function openDownload(file: SharedFile, options: DownloadOptions): Promise<Download> {
  if (file.url === null) throw unavailable(file, 'Slack gave no address');
  const response = await follow(file, parseAddress(file, file.url), options, MAX_REDIRECTS);
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
  url: URL,
  options: DownloadOptions,
  hopsLeft: number,
): Promise<FileAnswer> {
  const rule = judgeHost(url, options.slackApiUrl);
  if (rule === 'sign-in') throw denied(file, 'Slack asks to sign in');
  if (rule === 'foreign')
    throw new SlackFileError('SLACK_FILE_FOREIGN_HOST', `${file.id} leads to ${url.host}`, {
      retry: 'never',
    });
  const headers = rule === 'send-token' ? { authorization: `Bearer ${options.token}` } : {};
  const { signal, get = getFile } = options;
  const response = await get(url, { headers, signal }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : broken(file, error);
  });
  const { statusCode = 0 } = response;
  const { location } = response.headers;
  if (statusCode < 300 || statusCode >= 400 || !location) return response;
  response.destroy();
  if (hopsLeft === 0) throw unavailable(file, 'too many redirects');
  return follow(file, parseAddress(file, location, url), options, hopsLeft - 1);
}

/** Over the machine's network. */
export const getFile: GetFile = (url, { headers, signal }) => {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, signal, timeout: IDLE_MS }, resolve);
    outgoing.on('timeout', () => outgoing.destroy(new Error('no byte came for a minute')));
    outgoing.on('error', reject);
    outgoing.end();
  });
};

function checkAnswer(file: SharedFile, { statusCode = 0, headers }: FileAnswer): void {
  const said = `Slack answered ${statusCode}`;
  if (statusCode === 401 || statusCode === 403) throw denied(file, said);
  if (statusCode === 404)
    throw new SlackFileError('SLACK_FILE_NOT_FOUND', `${file.id}: ${said}`, { retry: 'later' });
  if (statusCode === 410)
    throw new SlackFileError('SLACK_FILE_DELETED', `${file.id}: ${said}`, { retry: 'never' });
  if (statusCode !== 200) throw unavailable(file, said, retryAfter(headers['retry-after']));
  if (/text\/html/i.test(headers['content-type'] ?? '') && !isWebPage(file))
    throw new SlackFileError('SLACK_FILE_SIGN_IN_PAGE', `${file.id}: a web page came`, {
      retry: 'never',
    });
}

function expectedSize(file: SharedFile, { headers }: FileAnswer): number {
  const announced = headers['content-length'] ? Number(headers['content-length']) : null;
  const size = file.size ?? announced;
  if (size === null) throw unavailable(file, 'Slack did not say how large it is');
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
  // What fails reaches whoever reads the counter, in our words; node's own pipeline would be first.
  const fail = (error: unknown) => void counter.destroy(readError(file, error, signal));
  const abort = () => fail(signal.reason);
  response.on('error', fail);
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
  try {
    return new URL(address, base);
  } catch {
    throw unavailable(file, 'the address cannot be read');
  }
}

function retryAfter(header: string | undefined): number | undefined {
  return header ? believedWait(Number(header) * 1000) : undefined;
}

function unavailable(file: SharedFile, why: string, retryAfterMs?: number): SlackFileError {
  return new SlackFileError('SLACK_FILE_UNAVAILABLE', `${file.id}: ${why}`, {
    retry: 'later',
    retryAfterMs,
  });
}

function broken(file: SharedFile, error: unknown): SlackFileError {
  const why = error instanceof Error ? error.message : String(error);
  return unavailable(file, `the download broke: ${why}`);
}

function denied(file: SharedFile, why: string): SlackFileError {
  return new SlackFileError('SLACK_FILE_DENIED', `${file.id}: ${why}`, { retry: 'never' });
}

function sizeMismatch(file: SharedFile, came: number): SlackFileError {
  const message = `${file.id}: ${came} bytes came, Slack says ${file.size}`;
  return new SlackFileError('SLACK_FILE_SIZE_MISMATCH', message, { retry: 'later' });
}

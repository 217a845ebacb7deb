import type { IncomingMessage } from 'node:http';
import { addAbortSignal, type Readable } from 'node:stream';
import { cappedWait, messageOf } from '../base/index.ts';
import type { SharedFile } from '../core/index.ts';
import { SlackFileError, type SlackFileErrorCode } from './objects.ts';
import { sendRequest } from './web-api.ts';
import { bodyUnlessPage } from './web-page.ts';

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
export const getFile: GetFile = (url, { headers, signal }) =>
  sendRequest(url, { headers, signal, timeout: IDLE_MS });

export interface DownloadOptions {
  botToken: string;
  slackApiUrl: string;
  getFile: GetFile;
}

export interface Download {
  /** The response's body: it fails with Node's own errors, and its bytes are not counted. */
  stream: Readable;
  /** How many bytes should come. */
  size: number;
  /** Whether it is a web page, as far as looked into: not if it has the stated size. Default: no. */
  isPage?: boolean;
}

/**
 * Returns the function that opens a stream of a Slack file's bytes from the start. It rejects with
 * SlackFileError, and checks that the response is the file and no sign-in page. The stream is
 * destroyed when the signal aborts.
 */
export function createDownload(options: DownloadOptions) {
  return async (file: SharedFile, signal: AbortSignal): Promise<Download> => {
    if (file.url === null) throw fail('SLACK_FILE_UNAVAILABLE', file, 'Slack gave no address');
    const response = await follow(file, parseAddress(file, file.url), { ...options, signal });
    // The stream may break before its reader listens; an unheard error event would end the process.
    response.on('error', () => undefined);
    addAbortSignal(signal, response);
    try {
      checkAnswer(file, response);
      const body = await bodyUnlessPage(file, response);
      if (body === null) throw fail('SLACK_FILE_SIGN_IN_PAGE', file, 'a web page came');
      return { ...body, size: expectedSize(file, response) };
    } catch (error) {
      response.destroy();
      throw error instanceof SlackFileError ? error : broken(file, error, signal);
    }
  };
}

function broken(file: SharedFile, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  return fail('SLACK_FILE_UNAVAILABLE', file, `the download broke: ${messageOf(error)}`);
}

async function follow(
  file: SharedFile,
  first: URL,
  options: DownloadOptions & { signal: AbortSignal },
): Promise<FileAnswer> {
  const { botToken, slackApiUrl, signal } = options;
  let url = first;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const rule = judgeHost(url, slackApiUrl);
    if (rule === 'sign-in') throw fail('SLACK_FILE_DENIED', file, 'Slack asks to sign in');
    if (rule === 'foreign') throw fail('SLACK_FILE_FOREIGN_HOST', file, `it leads to ${url.host}`);
    const headers = rule === 'send-token' ? { authorization: `Bearer ${botToken}` } : {};
    const response = await options.getFile(url, { headers, signal }).catch((error: unknown) => {
      throw broken(file, error, signal);
    });
    const { statusCode = 0, headers: answered } = response;
    const { location } = answered;
    if (statusCode < 300 || statusCode >= 400 || !location) return response;
    response.destroy();
    url = parseAddress(file, location, url);
  }
  throw fail('SLACK_FILE_UNAVAILABLE', file, 'too many redirects');
}

/** How an address that a download leads to may be requested. */
type HostRule = 'send-token' | 'no-token' | 'sign-in' | 'foreign';

/**
 * The hosts of one of Slack's clouds, each with its rule; the first that matches counts. The token
 * goes to exactly these two (Slack's file object, "Authentication"). The others match with all their
 * subdomains: two serve signed addresses, which need no token, and whatever else is Slack's leads to
 * its sign-in page.
 */
const COMMERCIAL: readonly (readonly [host: string, rule: HostRule])[] = [
  ['files.slack.com', 'send-token'],
  ['files-origin.slack.com', 'send-token'],
  ['slack-files.com', 'no-token'],
  ['slack-edge.com', 'no-token'],
  ['slack.com', 'sign-in'],
];

/** For public authorities; no data passes between the two (https://api.slack-gov.com/gov-slack/about). */
const GOVERNMENT: typeof COMMERCIAL = [
  ['files.slack-gov.com', 'send-token'],
  ['files-origin.slack-gov.com', 'send-token'],
  ['slack-files-gov.com', 'no-token'],
  ['slack-edge-gov.com', 'no-token'],
  ['slack-gov.com', 'sign-in'],
];

/** By the host of the Web API. */
const CLOUDS = new Map([
  ['slack.com', COMMERCIAL],
  ['slack-gov.com', GOVERNMENT],
]);

/**
 * Decides how the address of a download, or of its redirect, may be requested. The token goes to the
 * file hosts of the Web API's cloud and, if that address is not Slack's own, to its origin; nowhere
 * else.
 */
export function judgeHost(url: URL, slackApiUrl: string): HostRule {
  const api = new URL(slackApiUrl);
  const own = CLOUDS.get(api.hostname);
  if (!own && url.origin === api.origin) return isSignIn(url) ? 'sign-in' : 'send-token';
  if (url.protocol !== 'https:') return 'foreign';
  const matches = ([host, rule]: readonly [string, HostRule]) => {
    if (rule !== 'sign-in' && url.port !== '') return false;
    return url.hostname === host || (rule !== 'send-token' && url.hostname.endsWith(`.${host}`));
  };
  const [, rule = 'foreign'] = (own ?? COMMERCIAL).find(matches) ?? [];
  return rule === 'send-token' && isSignIn(url) ? 'sign-in' : rule;
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
    throw new SlackFileError('SLACK_FILE_UNAVAILABLE', `${file.id}: ${said}`, {
      retryAfterMs: cappedWait(waitMs),
    });
  if (String(headers['x-slack-meta']).includes('acl_fail'))
    throw fail('SLACK_FILE_DENIED', file, 'Slack does not let the app see it');
}

function expectedSize(file: SharedFile, { headers }: FileAnswer): number {
  const announced = headers['content-length'] ? Number(headers['content-length']) : null;
  const size = file.size ?? announced;
  if (size === null)
    throw fail('SLACK_FILE_UNAVAILABLE', file, 'Slack did not say how large it is');
  if (announced !== null && announced !== size)
    throw fail('SLACK_FILE_SIZE_MISMATCH', file, `Slack sends ${announced} bytes, not ${size}`);
  return size;
}

function parseAddress(file: SharedFile, address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (!url) throw fail('SLACK_FILE_UNAVAILABLE', file, 'the address cannot be read');
  return url;
}

function fail(code: SlackFileErrorCode, { id }: SharedFile, why: string): SlackFileError {
  return new SlackFileError(code, `${id}: ${why}`);
}

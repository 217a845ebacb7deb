import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A response that is not sent yet. */
export interface ResponseData {
  status: number;
  headers: OutgoingHttpHeaders;
  /** A string is sent with its `Content-Length`; null is an empty body. */
  body: string | Readable | null;
  /** The code of an error that is reported with status 200. */
  errorCode?: number;
}

/**
 * The formats of an error that is reported with status 200; they differ in which failure markers
 * stand beside its code and message (service interface, appendix 2, R3).
 */
const ERROR_FORMATS = {
  'all-markers': (error: ErrorBody) => ({ success: false, status: false, ...error }),
  'success-only': (error: ErrorBody) => ({ success: false, ...error }),
  'status-only': (error: ErrorBody) => ({ status: false, ...error }),
  'code-alone': (error: ErrorBody) => ({ ...error, response_code: error.code }),
};

interface ErrorBody {
  code: number;
  message: string;
}

/** How errors are reported: by status, or with status 200 in these formats in turn (at least one). */
export type ErrorReporting = 'by-status' | readonly (keyof typeof ERROR_FORMATS)[];

/** The form of a 429's `Retry-After`; both forms round up to whole seconds. */
export type RetryAfter = 'seconds' | 'http-date' | 'none';

/**
 * Codes of errors reported with status 200, by the HTTP status that means the same (service
 * interface, appendix 2, R3). 1401, 1404 and 1429 are our own: no code for these has been seen.
 */
const CODES = new Map([
  [400, 1301],
  [401, 1001],
  [403, 1401],
  [404, 1404],
  [415, 1202],
  [429, 1429],
]);

/** Thrown to refuse a request with `status`, or with status 200 and `code`. */
export class HttpError extends Error {
  readonly status: number;
  /** Undefined for a failure of the service, which every account reports by its status. */
  readonly code: number | undefined;

  constructor(status: number, message: string, code = CODES.get(status)) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.code = code;
  }
}

export function jsonResponse(status: number, value: unknown): ResponseData {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(value),
  };
}

/** Success without a body (204). */
export const noContent: ResponseData = { status: 204, headers: {}, body: null };

/** Returns an error by status. Its body is our own choice: the interface shows none. */
export function errorResponse(status: number, message: string): ResponseData {
  return jsonResponse(status, { code: status, message });
}

/** Returns an error as the account reports it; `turn` selects one of several formats. */
export function reportError(
  { status, code, message }: HttpError,
  reporting: ErrorReporting,
  turn: number,
): ResponseData {
  if (reporting === 'by-status' || code === undefined) return errorResponse(status, message);
  const format = reporting[turn % reporting.length] ?? 'all-markers';
  return { ...jsonResponse(200, ERROR_FORMATS[format]({ code, message })), errorCode: code };
}

/** Returns a 429 (service interface, section 7). The wait is in whole seconds, at least 1. */
export function tooManyRequests(
  now: number,
  { ms, retryAfter }: { ms: number; retryAfter: RetryAfter },
): ResponseData {
  const response = errorResponse(429, 'Too many requests: wait before you ask again.');
  if (retryAfter === 'none') return response;
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  // HTTP dates have whole seconds: rounded up, so that no caller retries too early.
  const date = new Date((Math.ceil(now / 1000) + seconds) * 1000).toUTCString();
  const value = retryAfter === 'seconds' ? seconds : date;
  return { ...response, headers: { ...response.headers, 'Retry-After': value } };
}

/** Sends a response; waits until a streamed body is sent or the caller disconnects. */
export async function sendResponse(
  response: ServerResponse,
  { status, headers, body }: ResponseData,
): Promise<void> {
  if (body !== null && typeof body !== 'string') {
    response.writeHead(status, headers);
    // A caller that disconnects half-way is not an error of the service.
    return pipeline(body, response).catch(() => undefined);
  }
  const bytes = Buffer.from(body ?? '');
  const length = status === 204 ? {} : { 'Content-Length': bytes.length };
  response.writeHead(status, { ...headers, ...length });
  response.end(bytes);
}

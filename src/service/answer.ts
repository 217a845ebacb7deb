import { cappedWait } from '../base/index.ts';
import { ServiceError, type ServiceErrorCode } from './errors.ts';
import { entriesOf, type Identifier, isRateLimit, isWebPage, readFailure } from './json.ts';

/** A kind of request, with what is needed to interpret its response. */
export interface Operation {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the account address. */
  path: string;
  /** Its name in error messages. */
  name: string;
  /** Whether doing it twice is the same as doing it once. */
  repeatable: boolean;
  identifier: Identifier;
}

/** The service's response to one request. */
export interface Answer {
  operation: Operation;
  status: number;
  text: string;
  /** Our clock when the request was sent, in milliseconds since the epoch. */
  askedAt: number;
  /** The service's `Date` header, in milliseconds since the epoch; null when it sent none. */
  serviceTime: number | null;
  /** The `Retry-After` header. */
  retryAfter: string | undefined;
  location: string | undefined;
  /** The `Content-Type` header. */
  contentType: string | undefined;
  /** The key that was sent; error messages redact it if the response repeats it. */
  apiKey: string;
}

/**
 * Returns the error that a response other than a success stands for: the body decides first, then
 * the status. SERVICE_REFUSED for a 2xx whose body gives no known code. No error proves that the
 * request had no effect (appendix 2): `sent` is `unknown` only where the effect may still come, as
 * after a gateway's timeout.
 */
export function refusalError(answer: Answer): ServiceError {
  const code = codeInBody(answer) ?? codeByStatus(answer.status, answer.operation);
  return errorOf(answer, isBetween(answer) ? codeBetween(answer, code) : code);
}

/** Returns the error for a 2xx response whose body is not what the interface specifies. */
export function badAnswer(answer: Answer, problem: string): ServiceError {
  return errorOf(answer, 'SERVICE_BAD_ANSWER', ` with ${problem}`);
}

// Appendix 2, R3.
const KEY_CODE = 1001;
const REQUEST_CODES: ReadonlySet<number> = new Set([1201, 1202, 1301]);

function codeInBody({ operation, status, text }: Answer): ServiceErrorCode | undefined {
  const { codes, words } = readFailure(entriesOf(text)[0]);
  if (codes.includes(KEY_CODE)) return 'SERVICE_UNAUTHORIZED';
  if (codes.some((code) => REQUEST_CODES.has(code))) return 'SERVICE_BAD_REQUEST';
  if (isRateLimit(words)) return 'SERVICE_RATE_LIMITED';
  if (status < 200 || status > 299) return undefined;
  const inner = codes.find((code) => code >= 400 && code < 600);
  return inner === undefined ? 'SERVICE_REFUSED' : codeByStatus(inner, operation);
}

type CodeByStatus = Partial<Record<number, ServiceErrorCode>>;

const CODE_BY_STATUS: CodeByStatus = {
  401: 'SERVICE_UNAUTHORIZED',
  403: 'SERVICE_FORBIDDEN',
  404: 'SERVICE_NOT_FOUND',
  408: 'SERVICE_TIMEOUT',
  409: 'SERVICE_REFUSED',
  410: 'SERVICE_NOT_FOUND',
  // Somebody in between does not know the question that askFirst asks.
  417: 'SERVICE_BAD_ANSWER',
  423: 'SERVICE_REFUSED',
  429: 'SERVICE_RATE_LIMITED',
};

/** An upload carries a file to a project: these statuses are about the one or the other. */
const CODE_OF_UPLOAD: CodeByStatus = {
  402: 'SERVICE_FULL',
  403: 'SERVICE_UPLOAD_FORBIDDEN',
  413: 'SERVICE_TOO_LARGE',
  415: 'SERVICE_WRONG_TYPE',
  451: 'SERVICE_UNLAWFUL',
  507: 'SERVICE_FULL',
};

function codeByStatus(status: number, { identifier }: Operation): ServiceErrorCode {
  const ofUpload = identifier === 'file_id' ? CODE_OF_UPLOAD[status] : undefined;
  const known = ofUpload ?? CODE_BY_STATUS[status];
  if (known) return known;
  if (status >= 400 && status < 500) return 'SERVICE_BAD_REQUEST';
  return status >= 500 ? 'SERVICE_FAILED' : 'SERVICE_BAD_ANSWER';
}

/** Whether something between us and the service answered in its place. */
function isBetween({ status, text, contentType }: Answer): boolean {
  return status === PROXY_ASKS_FOR_SIGN_IN || isWebPage(text, contentType);
}

const PROXY_ASKS_FOR_SIGN_IN = 407;

/** What only the service knows: whose key it is, what that may do, what exists, what it makes of it. */
const KNOWN_TO_SERVICE: readonly ServiceErrorCode[] = [
  'SERVICE_UNAUTHORIZED',
  'SERVICE_FORBIDDEN',
  'SERVICE_UPLOAD_FORBIDDEN',
  'SERVICE_NOT_FOUND',
  'SERVICE_BAD_REQUEST',
  'SERVICE_REFUSED',
];

// Others are as true of a proxy: too large, too many, too late. A request without a body holds
// nothing that a firewall could object to, so its refusal is one of all requests.
function codeBetween({ operation }: Answer, code: ServiceErrorCode): ServiceErrorCode {
  if (!KNOWN_TO_SERVICE.includes(code)) return code;
  return operation.method === 'POST' ? 'SERVICE_BLOCKED' : 'SERVICE_BAD_ANSWER';
}

const TRANSIENT: readonly ServiceErrorCode[] = [
  'SERVICE_RATE_LIMITED',
  'SERVICE_TIMEOUT',
  'SERVICE_FAILED',
  'SERVICE_FULL',
  'SERVICE_BAD_ANSWER',
];

function errorOf(answer: Answer, code: ServiceErrorCode, problem = ''): ServiceError {
  const { operation, status, serviceTime } = answer;
  const words = isBetween(answer) ? null : readFailure(entriesOf(answer.text)[0]).words;
  const message = `${operation.name} was answered ${status}${problem}${excerptOf(answer)}`;
  return new ServiceError(code, message, {
    retry: TRANSIENT.includes(code) ? 'later' : 'never',
    sent: mayStillCome(code, operation) ? 'unknown' : 'yes',
    status,
    said: words === null ? undefined : shorten(words, answer.apiKey),
    serviceTime: serviceTime ?? undefined,
    retryAfterMs: retryAfterOf(answer, code),
  });
}

function mayStillCome(code: ServiceErrorCode, { repeatable }: Operation): boolean {
  if (code === 'SERVICE_TIMEOUT') return true;
  return !repeatable && (code === 'SERVICE_FAILED' || code === 'SERVICE_BAD_ANSWER');
}

function retryAfterOf(answer: Answer, code: ServiceErrorCode): number | undefined {
  const { status, retryAfter, serviceTime, askedAt } = answer;
  const isAsked = code === 'SERVICE_RATE_LIMITED' || (status >= 500 && retryAfter !== undefined);
  return isAsked ? parseRetryAfter(retryAfter, serviceTime ?? askedAt) : undefined;
}

const DEFAULT_RETRY_AFTER_MS = 10_000;

/**
 * Returns the wait that a `Retry-After` header asks for, in milliseconds: seconds (service
 * interface, section 8) or an HTTP date (RFC 9110, 10.2.3), counted from `answeredAt`. At most ten
 * minutes; 10 s, the account's window, if the header is unreadable or in the past.
 */
export function parseRetryAfter(value: string | undefined, answeredAt: number): number {
  const text = value?.trim() ?? '';
  const isSeconds = /^\d+(\.\d+)?$/.test(text);
  // Only HTTP's date formats: Date.parse reads almost any number as a year.
  const isDate = /^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/.test(text);
  const dateMs = isDate ? Date.parse(text) - answeredAt : Number.NaN;
  const waitMs = isSeconds ? Math.ceil(Number(text) * 1000) : dateMs;
  return cappedWait(waitMs) ?? DEFAULT_RETRY_AFTER_MS;
}

function excerptOf({ status, location, text, contentType, apiKey }: Answer): string {
  if (status >= 300 && status < 400) {
    // Only the origin: a redirect's address may contain a session token.
    const origin = location ? (URL.parse(location)?.origin ?? 'the same host') : 'nowhere';
    return ` that points to ${origin}`;
  }
  const excerpt = isWebPage(text, contentType) ? 'a web page' : shorten(text, apiKey);
  return excerpt && `: ${excerpt}`;
}

const MAX_EXCERPT_LENGTH = 200;
/** The most characters of a text that an excerpt is made from. */
const MAX_READ_LENGTH = 10_000;

// One line, with the key redacted. A long text is cut, and the cut may split the key, so as many
// characters as the key has are dropped from the end.
function shorten(text: string, apiKey: string): string {
  const beginning = text.slice(0, MAX_READ_LENGTH).replaceAll(apiKey, '[secret]');
  const known = text.length > MAX_READ_LENGTH ? beginning.slice(0, -apiKey.length) : beginning;
  const folded = known.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return folded.length > MAX_EXCERPT_LENGTH
    ? `${folded.slice(0, MAX_EXCERPT_LENGTH - 1)}…`
    : folded;
}

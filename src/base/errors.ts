/**
 * Every error code and its meaning. A test checks this table against the code, both ways.
 *
 * `SERVICE_*` come from the file service's client, `SLACK_FILE_*` from reading a Slack file,
 * `LEDGER_*` from the database, `CONFIG_*` from the settings.
 */
export const ERROR_CODES = {
  CONFIG_INVALID: 'One or more settings are missing or wrong; the message lists them all.',

  LEDGER_UNAVAILABLE: 'The database cannot be read or written just now: locked, full, or away.',
  LEDGER_UNRECORDABLE:
    'The database refuses the data itself, as it would again: too long, or of a kind that it does not take.',
  LEDGER_CORRUPT: 'The database is damaged, is no database, or is another program’s.',
  LEDGER_IN_USE: 'Another process has the embedded database open.',
  LEDGER_TOO_NEW: 'The database was written by a newer Pigeonhole.',
  LEDGER_TOO_OLD: 'The database was written before the first release, and cannot be carried over.',
  LEDGER_NEW:
    'The ledger is new where a used one is at hand, or where the disk does not last; --new-ledger accepts it.',
  LEDGER_CONFLICT:
    'Another transfer holds what this one asks for: the same record, or the same name and size on its way into the same folder.',
  LEASE_LOST: 'Another worker has taken the transfer over; whoever held it must stop.',

  SERVICE_BAD_REQUEST:
    'The service refused the request as malformed (400, other 4xx, codes 1201, 1202, 1301).',
  SERVICE_REFUSED:
    'The service said that it did not do it, for a reason of its own (409, 423, an error within a 2xx).',
  SERVICE_BLOCKED:
    'An upload or a create was answered with a web page or 407: a proxy or firewall refused it.',
  SERVICE_TOO_LARGE: 'The service does not take files of this size (413 of an upload).',
  SERVICE_WRONG_TYPE: 'The service does not take files of this type (415 of an upload).',
  SERVICE_UNLAWFUL: 'The service may not take the file, for legal reasons (451 of an upload).',
  SERVICE_FULL: 'The account has no room left, or is not paid for (402, 507 of an upload).',
  SERVICE_UNAUTHORIZED: 'The service does not accept the API key (401, code 1001).',
  SERVICE_FORBIDDEN: 'The key may not do this in that folder (403).',
  SERVICE_UPLOAD_FORBIDDEN: 'The key may not upload to that project (403 of an upload).',
  SERVICE_NOT_FOUND:
    'The project, folder or file is not there, or the account lacks the call (404, 410).',
  SERVICE_RATE_LIMITED: 'The service asks to wait (429, or words to that effect).',
  SERVICE_LIMIT_AWAY:
    'This process may send nothing now: Redis, which shares the rate limit, cannot be used, or another process sends; the request was not sent.',
  SERVICE_FAILED: 'The service failed on its side (5xx).',
  SERVICE_UNREACHABLE: 'No connection to the service, or it broke.',
  SERVICE_TIMEOUT: 'The service did not answer in time.',
  SERVICE_BAD_ANSWER:
    'The answer is not what the interface says, as a web page of a proxy or firewall.',
  SERVICE_STOPPED: 'The client is being stopped; the request was not sent.',

  SLACK_FILE_UNAVAILABLE: 'Slack does not hand the file out yet, or not now.',
  SLACK_FILE_NOT_FOUND: 'Slack does not know the file, or not yet.',
  SLACK_FILE_EXTERNAL: 'A link to a file elsewhere; Slack has no bytes of it.',
  SLACK_FILE_DELETED: 'The file was deleted in Slack.',
  SLACK_FILE_HIDDEN: 'The file is hidden by the history limit of the Slack plan.',
  SLACK_FILE_DENIED: 'Slack does not let the app read the file.',
  SLACK_FILE_UNAUTHORIZED:
    'Slack does not accept the bot’s token, or the token may not read any file (no files:read).',
  SLACK_FILE_UNSUPPORTED: 'A canvas, list or other thing that has no bytes to download.',
  SLACK_FILE_EMAIL: 'An email: Slack gives its text and some attachments, but no file of it all.',
  SLACK_FILE_SIGN_IN_PAGE: 'Slack answered with a web page in place of the file.',
  SLACK_FILE_SIZE_MISMATCH: 'The bytes that came are not as many as Slack says the file has.',
  SLACK_FILE_FOREIGN_HOST: 'The download leads to a host that is not one of Slack’s file hosts.',

  SLACK_RATE_LIMITED: 'Slack asks to wait before the next call of this method.',
  SLACK_REFUSED: 'Slack answered a call with an error of its own.',
  SLACK_UNREACHABLE:
    'No answer from Slack, none that can be read, or one that tells of a trouble of its own.',

  RECORD_UNSEEN:
    'A create has no answer, and the key may not look into the folder for its record (403).',
  RECORD_SIZE_MISMATCH: 'The service records another size than was sent.',
  RECORD_UNCLEAR:
    'Whether a create without an answer took effect cannot be told from what its folder shows.',
  RECORD_UNCONFIRMED:
    'Three creates of a file had no answer and left no record to see; a person is asked before a fourth.',
  FILED_BEFORE:
    'A file from history bears the mark of one that was filed, and its folder does not show it; a person is asked before it is filed again.',
  TWIN_UNCONFIRMED:
    'Whether an identical file, sent before to the same folder, arrived is not known; this one waits for it.',
  DESTINATION_GONE: 'The folder for the channel’s files is gone.',
  STOPPED: 'The app is being stopped.',
  UNEXPECTED: 'A fault of Pigeonhole itself; the log tells more.',
  ATTEMPTS_EXHAUSTED: 'Tried for days without success.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ErrorDetails {
  /** `later`: a retry after a wait may succeed; `never`, the default: a retry fails again. */
  retry?: 'later' | 'never';
  /** How long the other side asked us to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/**
 * Whether no retry can succeed. A rejected key is not final: the operator can replace it, and files
 * wait for that.
 */
export function isFinal(error: unknown): boolean {
  const isPermanent = error instanceof PigeonholeError && error.retry === 'never';
  return isPermanent && error.code !== 'SERVICE_UNAUTHORIZED';
}

/** Returns how long the other side asked us to wait, in milliseconds; null if it did not ask. */
export function askedToWaitMs(error: unknown): number | null {
  return error instanceof PigeonholeError ? (error.retryAfterMs ?? null) : null;
}

/**
 * The base of every error that Pigeonhole throws on purpose. `code` is stable and documented above;
 * `message` is for the log; the surfaces turn `code` into the text for people.
 */
export class PigeonholeError extends Error {
  readonly code: ErrorCode;
  readonly retry: NonNullable<ErrorDetails['retry']>;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const { cause, retry = 'never', retryAfterMs } = details;
    super(message, cause === undefined ? {} : { cause });
    this.name = new.target.name;
    this.code = code;
    this.retry = retry;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Whether it is an error of ours with this code. */
export function hasCode(error: unknown, code: ErrorCode): error is PigeonholeError {
  return error instanceof PigeonholeError && error.code === code;
}

/** Resolves like `promise`; to null if it rejects with an error that `isExpected` accepts. */
export function orNull<T>(
  promise: Promise<T>,
  isExpected: (error: unknown) => boolean,
): Promise<T | null> {
  return promise.catch((error: unknown) => {
    if (isExpected(error)) return null;
    throw error;
  });
}

const CONNECT_CALLS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);
// Node's error codes for a rejected certificate. Any other TLS failure may come after the server took
// the request.
const CERTIFICATE_CODE =
  /^(CERT_|CRL_|ERROR_IN_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$)/;

/** Whether a request that failed with this error was surely not sent, for want of a connection. */
export function wasNotSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (CERTIFICATE_CODE.test(codeIn(error))) return true;
  // For a host with several addresses, Node reports the failures of all that it tried.
  if (error instanceof AggregateError) return error.errors.every(wasNotSent);
  if (error.cause instanceof Error) return wasNotSent(error.cause);
  return 'syscall' in error && CONNECT_CALLS.has(error.syscall);
}

/** Returns what is thrown as words for the log. */
export function messageOf(error: unknown): string {
  // A failed connection to a host with several addresses has a code and no message.
  return error instanceof Error ? error.message || codeIn(error) : String(error);
}

/** Returns the code that Node, or a library, gives an error; empty if there is none. */
export function codeIn(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

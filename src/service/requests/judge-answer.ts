import { readFileId } from './answer-schemas.ts';
import { type Operation, sentUnlessRepeatable } from './operation.ts';
import { isJsonObject } from './parse-json.ts';
import { type FailureReport, isRateLimit, readFailure } from './read-failure.ts';
import type { ServiceErrorCode } from './service-error.ts';

/** What an answer means, when it is no success. */
export interface Verdict {
  code: ServiceErrorCode;
  retry: 'later' | 'never';
  sent: 'no' | 'yes' | 'unknown';
  /** The service's own words; null when it said none. */
  words: string | null;
}

export interface Answered {
  operation: Operation;
  /** HTTP status. */
  status: number;
  /** The parsed JSON of the body, or the text of one that is none. */
  body: unknown;
}

type Ruling = Omit<Verdict, 'words'>;

// Appendix 2, R3.
const KEY_CODE = 1001;
const REQUEST_CODES: ReadonlySet<number> = new Set([1201, 1202, 1301]);

/**
 * Whether an answer is a success (null), or which error: the one place that decides, for every
 * operation. An error may come in any status (service interface, section 7; appendix 2, R3): what
 * the body says of it comes first, then the status. A 2xx is an error when its body has the marks of
 * one and lacks the identifier that the operation is answered with; with marks that nobody knows it
 * is SERVICE_REFUSED. None of them proves that nothing was done (appendix 2, the evidence below it):
 * `sent` tells only whether something may still come, as where a gateway has given up.
 */
export function judgeAnswer({ operation, status, body }: Answered): Verdict | null {
  const report = readFailure(body);
  const { words } = report;
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && (!report.failed || carriesIdentifier(body, operation))) return null;
  const told = ruleByReport(report, { operation, status });
  if (told) return { ...told, words };
  if (!isSuccess) return { ...ruleByStatus(status, operation), words };
  return { code: 'SERVICE_REFUSED', retry: 'never', sent: 'yes', words };
}

function carriesIdentifier(body: unknown, { identifier }: Operation): boolean {
  if (identifier === 'file_id') return readFileId(body) !== null;
  const records: unknown[] = Array.isArray(body) ? body : [body];
  return identifier === 'id' && records.some((one) => isJsonObject(one) && Boolean(one['id']));
}

function ruleByReport(
  { codes, words, failed }: FailureReport,
  { operation, status }: Omit<Answered, 'body'>,
): Ruling | null {
  if (codes.includes(KEY_CODE))
    return { code: 'SERVICE_UNAUTHORIZED', retry: 'never', sent: 'yes' };
  if (codes.some((code) => REQUEST_CODES.has(code)))
    return { code: 'SERVICE_BAD_REQUEST', retry: 'never', sent: 'yes' };
  if (words !== null && isRateLimit(words))
    return { code: 'SERVICE_RATE_LIMITED', retry: 'later', sent: 'yes' };
  const inner =
    failed && status < 300 ? codes.find((code) => code >= 400 && code < 600) : undefined;
  return inner === undefined ? null : ruleByStatus(inner, operation);
}

function ruleByStatus(status: number, operation: Operation): Ruling {
  switch (status) {
    case 401:
      return { code: 'SERVICE_UNAUTHORIZED', retry: 'never', sent: 'yes' };
    case 403:
      return { code: 'SERVICE_FORBIDDEN', retry: 'never', sent: 'yes' };
    case 404:
      return { code: 'SERVICE_NOT_FOUND', retry: 'never', sent: 'yes' };
    case 408:
      return { code: 'SERVICE_TIMEOUT', retry: 'later', sent: 'unknown' };
    case 429:
      return { code: 'SERVICE_RATE_LIMITED', retry: 'later', sent: 'yes' };
  }
  if (status >= 400 && status < 500)
    return { code: 'SERVICE_BAD_REQUEST', retry: 'never', sent: 'yes' };
  const code = status >= 500 ? 'SERVICE_FAILED' : 'SERVICE_BAD_ANSWER';
  return { code, retry: 'later', sent: sentUnlessRepeatable(operation) };
}

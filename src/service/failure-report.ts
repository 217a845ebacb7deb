import { isJsonObject } from './json.ts';

/** What an answer's body says of a failure. */
export interface FailureReport {
  /** Whether it says that the request failed, whatever the status says. */
  failed: boolean;
  /** The numbers that it gives for what happened. */
  codes: readonly number[];
  /** The service's own words; null when there are none. */
  words: string | null;
}

const SILENT: FailureReport = { failed: false, codes: [], words: null };
const NO: ReadonlySet<unknown> = new Set([false, 0, 'false', 'error', 'fail', 'failed', 'failure']);
const YES: ReadonlySet<unknown> = new Set([true, 'true', 'ok', 'success']);
const CODE_FIELDS = ['code', 'response_code', 'error_code'];
const WORD_FIELDS = ['message', 'error', 'errors'];
const RATE_LIMIT =
  /\brate[\s_-]*limit\w*\W.*\bexceed|\bexceed\w*\W.*\brate[\s_-]*limit|\btoo many requests\b/i;

/**
 * Reads the markers of failure that answers carry in any status (service interface, appendix 2, R3):
 * `success` or `status` that says no, numbers with a message, an `error`. Which of them are there
 * varies. `body` is the parsed JSON, or the text of an answer that is none.
 */
export function readFailure(body: unknown): FailureReport {
  const value = Array.isArray(body) && body.length === 1 ? body[0] : body;
  if (typeof value === 'string') return { ...SILENT, failed: isRateLimit(value), words: value };
  if (!isJsonObject(value)) return SILENT;
  const inner = isJsonObject(value['error']) ? value['error'] : {};
  const codes = [value, inner]
    .flatMap((one) => CODE_FIELDS.map((field) => one[field]))
    .filter((code) => /^\d{1,9}$/.test(String(code ?? '')))
    .map(Number);
  const words = WORD_FIELDS.map((field) => wordsOf(value[field])).find((one) => one) ?? null;
  return { failed: saysFailed(value, codes, words), codes, words };
}

/** Whether words ask to slow down: the limit is told by its text (appendix 2, R3 and R10). */
export function isRateLimit(words: string | null): boolean {
  return words !== null && RATE_LIMIT.test(words.slice(0, 500));
}

function saysFailed(
  { success, status, error }: Record<string, unknown>,
  codes: readonly number[],
  words: string | null,
): boolean {
  if (NO.has(success) || NO.has(status) || isRateLimit(words)) return true;
  if (YES.has(success) || YES.has(status)) return false;
  // Some services number success too.
  const isNumbered = codes.some((code) => code !== 0 && (code < 200 || code > 299));
  return wordsOf(error) !== null || (words !== null && isNumbered);
}

function wordsOf(value: unknown): string | null {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  const text: unknown = isJsonObject(one) ? one['message'] : one;
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}

import { decodeHtml } from '../core/index.ts';

/** The most of each in one text: several times as many as 32 MB of records have. */
const MOST = { '{': 1_000_000, '[': 1_000_000, ',': 5_000_000 };
/**
 * Returns the value of a JSON text; undefined if it is not valid JSON, or has so many parts that
 * they would fill the memory and stop the process for long.
 */
export function parseJson(text: string): unknown {
  try {
    return isCrowded(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isCrowded(text: string): boolean {
  return Object.entries(MOST).some(([mark, most]) => {
    let at = text.indexOf(mark);
    for (let found = 1; at >= 0 && found <= most; found += 1) at = text.indexOf(mark, at + 1);
    return at >= 0;
  });
}

/** Whether a JSON value is an object and not an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a whole number of at least 0, also from digits in a string; null for anything else. */
export function asWholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** Reads a record from a JSON value; null if a vital field is missing or unusable. */
export type ReadRecord<T> = (value: unknown) => T | null;

export type FileRecord = NonNullable<ReturnType<ReturnType<typeof fileReader>>>;
export type Project = NonNullable<ReturnType<typeof readProject>>;

/**
 * Returns the reader of an account's file records (service interface, section 2.1): null without an
 * identifier and a name; other fields get null or 0 if missing or unusable. Written by hand for
 * speed: folders hold tens of thousands.
 */
export function fileReader(accountUrl: string) {
  const { origin } = new URL(accountUrl);
  return (value: unknown) => {
    if (!isJsonObject(value)) return null;
    const [id, name] = [asWholeNumber(value['id']), asName(value['name'])];
    if (id === null || name === null) return null;
    const { byte_size, created_at, approved_count, file_type, proof_count, url, creator } = value;
    return {
      id,
      name,
      /** Bytes. */
      byteSize: asWholeNumber(byte_size),
      /** Milliseconds since the epoch. */
      createdAt: asTime(created_at),
      approvedCount: asWholeNumber(approved_count) ?? 0,
      fileType: asWord(file_type),
      proofCount: asWholeNumber(proof_count) ?? 0,
      /** Where to open it: an address of the account's own origin, safe to show as a link. */
      url: pickAddress(url, origin),
      creatorId: asWholeNumber(isJsonObject(creator) ? creator['id'] : creator),
    };
  };
}

/** Reads a project (service interface, appendix) and decodes its title's HTML (appendix 2, R6). */
export function readProject(value: unknown) {
  if (!isJsonObject(value)) return null;
  const [id, title] = [asWholeNumber(value['id']), asName(value['title'])];
  if (id === null || title === null) return null;
  return { id, title: decodeHtml(title), archived: value['archived'] === true };
}

/** Reads a person (service interface, appendix); null without an identifier and a name. */
export function readPerson(value: unknown) {
  if (!isJsonObject(value)) return null;
  const parts = [value['first_name'], value['last_name']].map((part) => asText(part)?.trim() ?? '');
  const [id, name] = [asWholeNumber(value['id']), asName(parts.join(' ').trim())];
  return id === null || name === null ? null : { id, name: decodeHtml(name) };
}

/**
 * Returns the `file_id` of an upload's response (service interface, section 4.4: "contains
 * `file_id`"): at the top, one level down, or in an array of one. Null if there is none or it is 0.
 */
export function readFileId(answer: unknown): number | null {
  const top = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer;
  if (!isJsonObject(top)) return null;
  const candidates = [top, ...Object.values(top)].filter(isJsonObject);
  return candidates.map((one) => asWholeNumber(one['file_id'])).find(Boolean) ?? null;
}

/** Room for a name of 255 characters, each of which the service may write as `&#128206;`. */
const MAX_NAME_LENGTH = 4_096;
const MAX_WORD_LENGTH = 128;
const MAX_ADDRESS_LENGTH = 4_096;

/**
 * Returns a name, cut to 4,096 characters; null if there is none. A cut name is a copy, so that the
 * long text can be freed; half a character at the cut becomes a replacement character.
 */
export function asName(value: unknown): string | null {
  const text = asText(value);
  if (text === null || text.length <= MAX_NAME_LENGTH) return text;
  return Buffer.from(text.slice(0, MAX_NAME_LENGTH)).toString();
}

function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function asWord(value: unknown): string | null {
  const text = asText(value);
  return text !== null && text.length <= MAX_WORD_LENGTH ? text : null;
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

// ISO 8601 with an offset: a time without one is ambiguous.
function asTime(value: unknown): number | null {
  const text = (asWord(value) ?? '').toUpperCase().replace(' ', 'T');
  const iso = text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  const time = ISO_TIME.test(iso) ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/**
 * The fields that may hold a link to the file, best first (appendix 2, R7): the page that shows it,
 * which the reader's own sign-in opens; the bytes, which may need a key that no browser sends; the
 * largest picture.
 */
const ADDRESSES = ['view', 'download', 'share', 'proofing', 'full_image', 'image', 'thumbnail'];

// A response is not trusted to link people to other hosts.
function pickAddress(url: unknown, origin: string): string | null {
  const addresses = isJsonObject(url) ? ADDRESSES.map((key) => url[key]) : [url];
  const texts = addresses.filter((one) => typeof one === 'string');
  const usable = texts.find(
    (one) => one.length <= MAX_ADDRESS_LENGTH && URL.parse(one)?.href.startsWith(`${origin}/`),
  );
  return usable ?? null;
}

/** No error body is longer, in characters. */
const MAX_REFUSAL_LENGTH = 64 * 1024;

/**
 * Returns the entries of a body that may be an error, or the body itself if it is no array; text
 * that is no JSON as it is. None for a web page, and for a body longer than any error: the list's
 * reader parses a long list, so it is not parsed twice.
 */
export function entriesOf(text: string): unknown[] {
  if (text.length > MAX_REFUSAL_LENGTH || isWebPage(text) || text.trim() === '') return [];
  const body = parseJson(text) ?? text;
  return Array.isArray(body) ? body : [body];
}

/**
 * Whether a body is a web page, as of a proxy in between. The type alone is no proof: many services
 * send their JSON, or nothing, as `text/html`.
 */
export function isWebPage(text: string, contentType = ''): boolean {
  if (/^\s*</.test(text)) return true;
  if (!/^text\/html\b/i.test(contentType) || text.trim() === '') return false;
  return text.length > MAX_REFUSAL_LENGTH || parseJson(text) === undefined;
}

/** The field that marks a successful response; null if it needs none. */
export type Identifier = 'id' | 'file_id' | null;

/** Whether one entry of a response is an error; a create has one entry for each attachment. */
export function isRefusal(entry: unknown, identifier: Identifier): boolean {
  if (!readFailure(entry).failed) return false;
  if (identifier === 'file_id') return readFileId(entry) === null;
  return identifier === null || !(isJsonObject(entry) && entry[identifier]);
}

const NO: ReadonlySet<unknown> = new Set([false, 0, 'false', 'error', 'fail', 'failed', 'failure']);
const YES: ReadonlySet<unknown> = new Set([true, 'true', 'ok', 'success']);
const CODE_FIELDS = ['code', 'response_code', 'error_code'];
const WORD_FIELDS = ['message', 'error', 'errors'];

/**
 * Reads the failure that an entry reports, whatever the HTTP status. Which markers are present varies
 * (appendix 2, R3): a negative `success` or `status`, codes with a message, an `error`.
 */
export function readFailure(entry: unknown) {
  const words = wordsIn(entry);
  if (!isJsonObject(entry)) return { failed: isRateLimit(words), codes: [], words };
  const inner = isJsonObject(entry['error']) ? entry['error'] : {};
  const codes = [entry, inner]
    .flatMap((one) => CODE_FIELDS.map((field) => one[field]))
    .filter((code) => /^\d{1,9}$/.test(String(code ?? '')))
    .map(Number);
  return { failed: saysFailed(entry, codes, words), codes, words };
}

function saysFailed(
  { success, status, error }: Record<string, unknown>,
  codes: readonly number[],
  words: string | null,
): boolean {
  if (NO.has(success) || NO.has(status) || isRateLimit(words)) return true;
  if (YES.has(success) || YES.has(status)) return false;
  // Some services give success a code too.
  const isNumbered = codes.some((code) => code !== 0 && (code < 200 || code > 299));
  return wordsOf(error) !== null || (words !== null && isNumbered);
}

function wordsIn(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return null;
  return WORD_FIELDS.map((field) => wordsOf(value[field])).find((one) => one !== null) ?? null;
}

function wordsOf(value: unknown): string | null {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  const text: unknown = isJsonObject(one) ? one['message'] : one;
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}

const RATE_LIMIT =
  /\brate[\s_-]*limit\w*\W.*\bexceed|\bexceed\w*\W.*\brate[\s_-]*limit|\btoo many requests\b/i;

/** Whether words of a body tell of a rate limit: only its text does (appendix 2, R3 and R10). */
export function isRateLimit(words: string | null): boolean {
  return words !== null && RATE_LIMIT.test(words.slice(0, 500));
}

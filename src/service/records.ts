import { isSafeAddress } from '../base/index.ts';
import { decodeHtml } from '../transfers/index.ts';
import { asWholeNumber, isJsonObject } from './json.ts';

/** Reads a record from a JSON value; null where what is vital is missing or odd. */
export type ReadRecord<T> = (value: unknown) => T | null;

export type FileRecord = NonNullable<ReturnType<ReturnType<typeof fileReader>>>;
export type Project = NonNullable<ReturnType<typeof readProject>>;

/** How the files of an account are read: an address of theirs counts on the account's own host alone. */
export function fileReader(accountUrl: string) {
  const host = URL.parse(accountUrl)?.hostname;
  return (value: unknown) => readFile(value, host);
}

/**
 * A file in a folder (service interface, section 2.1): without an identifier and a name it is none,
 * and what else is missing or odd is null. Written by hand, as folders hold tens of thousands.
 */
function readFile(value: unknown, host: string | undefined) {
  if (!isJsonObject(value)) return null;
  const field = (key: string) => value[key];
  const [id, name] = [asWholeNumber(field('id')), asName(field('name'))];
  if (id === null || name === null) return null;
  const creator = field('creator');
  return {
    id,
    name,
    /** Bytes. */
    byteSize: asWholeNumber(field('byte_size')),
    /** Milliseconds since the epoch. */
    createdAt: asTime(field('created_at')),
    updatedAt: asTime(field('updated_at')),
    source: asWord(field('source')),
    approvedByMe: field('approved_by_me') === true,
    approvedCount: asWholeNumber(field('approved_count')) ?? 0,
    fileType: asWord(field('file_type')),
    proofCount: asWholeNumber(field('proof_count')) ?? 0,
    /** Where to open it: an address of the account's host, which people may be sent to. */
    url: pickAddress(field('url'), host),
    creatorId: asWholeNumber(isJsonObject(creator) ? creator['id'] : creator),
  };
}

/** A project (service interface, appendix), its title without HTML escapes (appendix 2, R6). */
export function readProject(value: unknown) {
  if (!isJsonObject(value)) return null;
  const [id, title] = [asWholeNumber(value['id']), asName(value['title'])];
  if (id === null || title === null) return null;
  return { id, title: decodeHtml(title), archived: value['archived'] === true };
}

/** A person (service interface, appendix); without a name the record is of no use. */
export function readPerson(value: unknown) {
  if (!isJsonObject(value)) return null;
  const parts = [value['first_name'], value['last_name']].map((part) => asText(part)?.trim() ?? '');
  const [id, name] = [asWholeNumber(value['id']), asName(parts.join(' ').trim())];
  return id === null || name === null ? null : { id, name: decodeHtml(name) };
}

/**
 * The `file_id` of an upload's answer (service interface, section 4.4: "contains `file_id`"): at
 * the top, one level down, or in an array of one. Null when there is none: 0 is none.
 */
export function readFileId(answer: unknown): number | null {
  const top = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer;
  if (!isJsonObject(top)) return null;
  const candidates = [top, ...Object.values(top)].filter(isJsonObject);
  return candidates.map((one) => asWholeNumber(one['file_id'])).find(Boolean) ?? null;
}

const LONGEST_NAME = 1_024;
const LONGEST_WORD = 128;
const LONGEST_ADDRESS = 4_096;

/**
 * A name, cut, in memory of its own: the long text that it came from can go. Half a character at the cut
 * becomes a replacement character. Null for no name.
 */
export function asName(value: unknown): string | null {
  const text = asText(value);
  if (text === null || text.length <= LONGEST_NAME) return text;
  return Buffer.from(text.slice(0, LONGEST_NAME)).toString();
}

function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function asWord(value: unknown): string | null {
  const text = asText(value);
  return text !== null && text.length <= LONGEST_WORD ? text : null;
}

const ISO_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)$/i;

// ISO 8601 with an offset: without one nobody knows which time is meant.
function asTime(value: unknown): number | null {
  const match = ISO_TIME.exec(asWord(value) ?? '');
  if (!match) return null;
  const [, day, clock, offset = ''] = match;
  const zone = offset.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2').toUpperCase();
  const time = Date.parse(`${day}T${clock}${zone}`);
  return Number.isNaN(time) ? null : time;
}

/**
 * Where a link gets to the file, best first (appendix 2, R7): the page that shows it, which the reader's
 * own sign-in opens; the bytes, which may ask for a key that no browser sends; the largest picture.
 */
const ADDRESSES = ['view', 'download', 'share', 'proofing', 'full_image', 'image', 'thumbnail'];

function pickAddress(url: unknown, host: string | undefined): string | null {
  const addresses = isJsonObject(url) ? ADDRESSES.map((key) => url[key]) : [url];
  const usable = (one: unknown): one is string => isAddressOn(host, one);
  return addresses.find(usable) ?? null;
}

// An answer is not trusted to send people elsewhere.
function isAddressOn(host: string | undefined, address: unknown): boolean {
  if (typeof address !== 'string' || address.length > LONGEST_ADDRESS) return false;
  const url = URL.parse(address);
  return url !== null && url.hostname === host && isSafeAddress(url);
}

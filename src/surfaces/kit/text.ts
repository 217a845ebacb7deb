import { CONTROLS, type FolderRef, folderNumber, VISIBLE } from '../../core/index.ts';

// Marks that change the writing direction of the text after them; invisible characters follow.
const DIRECTION_MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const INVISIBLE =
  /[\u00AD\u180E\u200B\u2060-\u2064\u206A-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
// Many combining marks on one letter would cover the lines above and below.
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/**
 * Returns text from a person as one line that hides nothing: no line breaks, controls, direction
 * marks, invisible characters or lone surrogates, and no space at either end. May be empty.
 */
export function cleanText(raw: string): string {
  return raw
    .toWellFormed()
    .replace(CONTROLS, ' ')
    .replace(DIRECTION_MARKS, '')
    .replace(INVISIBLE, '')
    .replace(STACKED_MARKS, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns text from a person for display: one clean line of at most `max` characters. */
export function shownText(raw: string, max = 60): string {
  return cut(cleanText(raw), max);
}

/**
 * Returns `text`, or its beginning when it is longer than `max`. Length is counted in UTF-16 units,
 * the largest count that Slack's limits may use; no code point is split.
 */
export function beginning(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '');
}

/** The same, ending in `…` when text was left out; never longer than `max`. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${beginning(text, max - 1).trimEnd()}…`;
}

const MAX_EXTENSION_LENGTH = 12;
const RIGHT_TO_LEFT =
  /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
const ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

/**
 * Returns the name of a file, a folder or a person for display: one clean line of at most `max`
 * characters (default: 60), shortened in its middle so that the extension stays, or `unnamed` when
 * nothing in it is visible. A name in a right-to-left script is isolated from the text around it.
 *
 * Safe in `plain_text` and `rich_text` elements; mrkdwn needs `escapeMrkdwn` as well.
 */
export function shownName(
  raw: string,
  { unnamed = 'unnamed file', max = 60 }: { unnamed?: string; max?: number | undefined } = {},
): string {
  const clean = cleanText(raw);
  if (!VISIBLE.test(clean)) return unnamed;
  const name = shortenMiddle(clean, max);
  return RIGHT_TO_LEFT.test(name) ? `${ISOLATE}${name}${POP_ISOLATE}` : name;
}

function shortenMiddle(name: string, max: number): string {
  const characters = Array.from(name);
  if (characters.length <= max) return name;
  const extension = characters.length - characters.lastIndexOf('.');
  const kept = (extension <= MAX_EXTENSION_LENGTH ? extension : 0) + 8;
  const tail = Math.min(kept, Math.floor(max / 2));
  const head = characters.slice(0, max - tail - 1).join('');
  return `${head.trimEnd()}…${characters.slice(-tail).join('').trimStart()}`;
}

/**
 * Returns a folder's whole path (without one, its number) for display, after its project if known:
 * each name of at most `max` characters; of a path over `length`, only the beginning and the end.
 */
export function shownFolder(folder: FolderRef, max = 60, length = 4 * max): string {
  const { projectTitle, folderName } = folder;
  const unnamed = `folder ${folderNumber(folder)}`;
  const names = (folderName ?? '').split(' › ').map((name) => shownName(name, { unnamed, max }));
  const project =
    projectTitle === null ? [] : [shownName(projectTitle, { unnamed: 'unnamed project', max })];
  return shownPath([...project, ...names], length);
}

/** Joins the names of a path, if need be without some of those between its first and its last. */
export function shownPath(names: readonly string[], max: number): string {
  const [first = '', ...rest] = names;
  for (const left of rest.keys()) {
    const kept = left === 0 ? names : [first, '…', ...rest.slice(left)];
    const path = kept.join(' › ');
    if (path.length <= max || left === rest.length - 1) return path;
  }
  return first;
}

/**
 * Text with mrkdwn's three control characters escaped, so that it makes no link, mention or
 * broadcast (https://docs.slack.dev/messaging/formatting-message-text).
 */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

// Characters that start mrkdwn formatting or an emoji, or end a link.
const FORMATTED = /[*~`|<>:]|(?<![\p{L}\p{N}])_/u;

/** Whether mrkdwn shows a text unchanged once it is escaped. */
export function isPlainInMrkdwn(name: string): boolean {
  return !FORMATTED.test(name);
}

/**
 * The most characters of an address. Leaves room for a label: Slack allows 3,000 characters in an
 * element. As a path, it has room for seven names of 255 characters.
 */
export const MAX_ADDRESS_LENGTH = 2_000;

/**
 * Returns an address normalized for a link in rich text; null when it is not http or https, holds a
 * user name or password, or is longer than `max`.
 */
export function webAddress(address: string, max = MAX_ADDRESS_LENGTH): string | null {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return null;
  return url.username || url.password || url.href.length > max ? null : url.href;
}

/** Whether `id` is the Slack ID of a person, and not other text. */
export function isUserId(id: string | null): id is string {
  return id !== null && /^[UW][A-Z0-9]{1,30}$/.test(id);
}

/** Whether `id` is the Slack ID of a channel, and not of a direct message or other text. */
export function isChannelId(id: string): boolean {
  return /^[CG][A-Z0-9]{1,30}$/.test(id);
}

const NUMBERS = new Intl.NumberFormat('en-GB');

export function shownNumber(count: number): string {
  return NUMBERS.format(count);
}

/** A number with its noun: `1 file`, `2 files`, `4,000 files`. */
export function counted(count: number, noun: string): string {
  return `${shownNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const SEVERAL = {
  ...{ they: 'they', them: 'them', their: 'their', theyAre: 'they’re' },
  ...{ these: 'these', those: 'those', files: 'files' },
  ...{ are: 'are', were: 'were', have: 'have', go: 'go', stay: 'stay' },
};
const ONE: typeof SEVERAL = {
  ...{ they: 'it', them: 'it', their: 'its', theyAre: 'it’s' },
  ...{ these: 'this', those: 'that', files: 'file' },
  ...{ are: 'is', were: 'was', have: 'has', go: 'goes', stay: 'stays' },
};

/** Returns the words of a sentence that agree with a number, by their plurals. */
export function agreeing(count: number): typeof SEVERAL {
  return count === 1 ? ONE : SEVERAL;
}

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };

/** A place in an order: `1st`, `2nd`, `1,000th`. */
export function ordinal(place: number): string {
  return `${shownNumber(place)}${ENDINGS[ORDINALS.select(place)] ?? 'th'}`;
}

/** Joins the parts that are not null. */
export function joined(parts: readonly (string | null)[], between = ' · '): string {
  return parts.filter((part) => part !== null).join(between);
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Bytes in decimal units, with one digit after the point below ten: `812 B`, `1.2 MB`, `37 MB`. */
export function shownSize(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (unit < UNITS.length - 1 && Math.round(value) >= 1000) {
    value /= 1000;
    unit += 1;
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in milliseconds, in its largest unit: `4 s`, `2 min`, `3 h`, `2 days`. */
export function shownSpan(ms: number): string {
  if (ms < MINUTE) return `${Math.max(1, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return counted(Math.floor(ms / DAY), 'day');
}

// Created on first use: that takes longer than all other views together.
let dateFormat: Intl.DateTimeFormat | undefined;

/** The day in UTC. */
export function shownDate(at: number): string {
  if (!isTime(at)) return 'an unknown date';
  dateFormat ??= new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return dateFormat.format(at);
}

/** How long ago `at` was, both in epoch milliseconds; the date (UTC) when over a week. */
export function shownAge(at: number, now: number): string {
  const age = now - at;
  if (age < MINUTE) return 'just now';
  if (age < 7 * DAY) return `${shownSpan(age)} ago`;
  return shownDate(at);
}

/** The time of day in UTC, for where Slack cannot show the reader's local time. */
export function shownClock(at: number): string {
  return `${new Date(isTime(at) ? at : 0).toISOString().replace(/^.*T(\d\d:\d\d).*$/, '$1')} UTC`;
}

/** The day and the time of day in UTC. */
export function shownMoment(at: number): string {
  return `${shownDate(at)}, ${shownClock(at)}`;
}

function isTime(at: number): boolean {
  return !Number.isNaN(new Date(at).getTime());
}

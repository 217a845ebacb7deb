const LINE_BREAKS_AND_CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
// Marks that turn the direction of what follows, and characters that nobody sees.
const DIRECTION_MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const INVISIBLE =
  /[\u00AD\u180E\u200B\u2060-\u2064\u206A-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
// A stack of marks on one letter covers the lines above and below.
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/**
 * Text from a person as one line that shows as what it is: no line breaks, controls, direction
 * marks or invisible characters, no half characters, and no space at its ends. May be empty.
 */
export function cleanText(raw: string): string {
  return raw
    .toWellFormed()
    .replace(LINE_BREAKS_AND_CONTROLS, ' ')
    .replace(DIRECTION_MARKS, '')
    .replace(INVISIBLE, '')
    .replace(STACKED_MARKS, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * `text`, or its beginning and `…` when it is longer than `max`. Length is counted in UTF-16 units,
 * the most that Slack's limits may count; no character is cut in half.
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  let kept = '';
  for (const character of text) {
    if (kept.length + character.length > max - 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

const LONGEST_EXTENSION = 12;
const RIGHT_TO_LEFT =
  /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
// Not in it: characters that take up room, or none, and show nothing.
const VISIBLE = /[^\s\p{M}\p{Cf}\u115F\u1160\u2800\u3164\uFFA0]/u;
const ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

/**
 * The name of a file, a folder or a person as it is shown: one clean line of at most `max`
 * characters, shortened in its middle so that the extension stays, or `unnamed` when nothing of it
 * can be seen. A name in a right-to-left script is isolated from the text around it.
 *
 * It is safe in `plain_text` and `rich_text` elements; mrkdwn needs `escapeMrkdwn` as well.
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
  const kept = (extension <= LONGEST_EXTENSION ? extension : 0) + 8;
  const tail = Math.min(kept, Math.floor(max / 2));
  const head = characters.slice(0, max - tail - 1).join('');
  return `${head.trimEnd()}…${characters.slice(-tail).join('').trimStart()}`;
}

/**
 * Text with mrkdwn's three control characters escaped, so that it makes no link, mention or
 * broadcast (https://docs.slack.dev/messaging/formatting-message-text).
 */
export function escapeMrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

// Openers of its formatting, its emoji, and what ends a link.
const FORMATTED = /[*~`|<>:]|(?<![\p{L}\p{N}])_/u;

/** Whether mrkdwn shows a name as it is, once it is escaped. */
export function staysAsItIs(name: string): boolean {
  return !FORMATTED.test(name);
}

/** Slack takes 3,000 characters in an element. */
const LONGEST_ADDRESS = 2_000;

/**
 * An address as a link in mrkdwn takes it, so that nothing in it ends the link or begins another;
 * null for one that is no web address, or too long.
 */
export function linkAddress(address: string): string | null {
  const url = webAddress(address);
  const escaped = url && escapeMrkdwn(url.replace(/[|<>]/g, encodeURIComponent));
  return escaped && escaped.length <= LONGEST_ADDRESS ? escaped : null;
}

/** An address as a link in rich text takes it; null for one that is no web address, or too long. */
export function webAddress(address: string): string | null {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return null;
  return url.username || url.password || url.href.length > LONGEST_ADDRESS ? null : url.href;
}

/** Whether it is Slack's identifier of a person, and no other text. */
export function isUserId(id: string | null): id is string {
  return id !== null && /^[UW][A-Z0-9]{1,30}$/.test(id);
}

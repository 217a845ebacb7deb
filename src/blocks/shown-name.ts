import { cleanText } from './clean-text.ts';

/** The longest that a name is shown, in characters. */
export const SHOWN_NAME_LENGTH = 60;

const LONGEST_EXTENSION = 12;
const RIGHT_TO_LEFT =
  /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
// Not in it: characters that take up room, or none, and show nothing.
const VISIBLE = /[^\s\p{M}\p{Cf}\u115F\u1160\u2800\u3164\uFFA0]/u;
const ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

/**
 * The name of a file, a folder or a person as it is shown: one clean line of `max` characters at
 * the most, shortened in its middle so that the extension stays, or `unnamed` when nothing of it
 * can be seen. A name in a right-to-left script is isolated from the text around it.
 *
 * It is safe in `plain_text` and `rich_text` elements; mrkdwn needs `escapeMrkdwn` besides.
 */
export function shownName(raw: string, options: { unnamed?: string; max?: number } = {}): string {
  const { unnamed = 'unnamed file', max = SHOWN_NAME_LENGTH } = options;
  const clean = cleanText(raw);
  if (!VISIBLE.test(clean)) return unnamed;
  const name = shortenMiddle(clean, max);
  return RIGHT_TO_LEFT.test(name) ? `${ISOLATE}${name}${POP_ISOLATE}` : name;
}

function shortenMiddle(name: string, max: number): string {
  const characters = Array.from(name);
  if (characters.length <= max) return name;
  const tail = Math.min(extensionLength(characters) + 8, Math.floor(max / 2));
  const head = max - tail - 1;
  return `${characters.slice(0, head).join('').trimEnd()}…${characters.slice(-tail).join('').trimStart()}`;
}

function extensionLength(characters: readonly string[]): number {
  const length = characters.length - characters.lastIndexOf('.');
  return length <= LONGEST_EXTENSION ? length : 0;
}

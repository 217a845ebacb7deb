import type { types } from '@slack/bolt';
import { type FolderRef, folderNumber } from '../transfers/index.ts';
import { type Block, buttonRow } from './layout.ts';
import { spokenText } from './spoken-text.ts';
import {
  cleanText,
  cut,
  isChannelId,
  isUserId,
  shownClock,
  shownName,
  webAddress,
} from './text.ts';

/** Returns a folder's name (without one, its number) for display, after its project's if known. */
export function shownFolder(folder: FolderRef, max?: number): string {
  const { projectTitle, folderName } = folder;
  const name = shownName(folderName ?? '', { unnamed: `folder ${folderNumber(folder)}`, max });
  if (projectTitle === null) return name;
  return `${shownName(projectTitle, { unnamed: 'unnamed project', max })} › ${name}`;
}

/**
 * A piece of a sentence. Strings are our own words; text from a person is a piece of another kind,
 * so that it is always cleaned.
 */
type Piece =
  | string
  /** A file's name, linked to `url` if given. */
  | { file: string; url?: string | null }
  | { folder: FolderRef }
  /** A command to type, in our words. */
  | { command: string }
  /** Something that a person typed. */
  | { typed: string }
  /** Somebody outside Slack, by an e-mail address, a web address or a name. */
  | { contact: string }
  /** A person, by Slack ID; null when unknown. */
  | { person: string | null }
  /** A channel, by Slack ID; Slack shows its name to those who may see it. */
  | { channel: string }
  /** A time at most hours away, epoch milliseconds; shown as the reader's time of day. */
  | { time: number };

export type Line = readonly Piece[];

/** Builds a line from a template whose placeholders take pieces and other lines. */
export function line(words: readonly string[], ...places: readonly (Piece | Line)[]): Line {
  const pieces = words.flatMap((text, index) => [text, ...[places[index] ?? ''].flat()]);
  return pieces.filter((piece) => piece !== '');
}

/**
 * The operator, as members can contact them: the Slack ID of a member, an e-mail address, a web
 * address or a name; null when not set.
 */
export type Operator = string | null;

/** Returns the operator's Slack ID; null when `operator` is not one. */
export function operatorMember(operator: Operator): string | null {
  return isUserId(operator) ? operator : null;
}

/** Returns one of our sentences with the operator in place of `{operator}`. */
export function withOperator(sentence: string, operator: Operator): Line {
  const [before = '', after] = sentence.split('{operator}');
  return after === undefined ? [before] : line`${before}${operatorPiece(operator)}${after}`;
}

function operatorPiece(operator: Operator): Piece {
  if (operator === null) return 'the person who runs Pigeonhole';
  return isUserId(operator) ? { person: operator } : { contact: operator };
}

/** For text about a channel that may be read outside it. */
export interface AboutChannel {
  /** The channel, when the text is read outside it and has to name it. */
  elsewhere?: string | undefined;
}

/** Returns the words for where files are shared: `here`, or `in` the channel. */
export function placed({ elsewhere: channel }: AboutChannel): Line {
  return channel === undefined ? ['here'] : line`in ${{ channel }}`;
}

/** One message to Slack, or the response to a command or a button. */
export interface View {
  /** Read by notifications and screen readers: see spokenText. */
  text: string;
  /** The visible content. Names from people are in `plain_text`, `rich_text` or escaped links. */
  blocks: Block[];
}

/** A view of a few lines. */
export function say(...lines: readonly Line[]): View {
  const blocks = [prose(...lines)];
  return { text: spokenText(blocks), blocks };
}

/** A view of a few lines with buttons under them. */
export function ask(lines: readonly Line[], buttons: readonly (types.Button | null)[]): View {
  const { text, blocks } = say(...lines);
  return { text, blocks: [...blocks, ...buttonRow(buttons)] };
}

/** Lines of text as one block; text from a person never becomes formatting, a link or a mention. */
export function prose(...lines: readonly Line[]): types.RichTextBlock {
  const elements = limited(lines, 3000).map(toElement);
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

// Joins lines with line breaks, up to `max` characters in all.
function limited(lines: readonly Line[], max: number): Piece[] {
  const pieces = lines.flatMap((one, index) => (index === 0 ? one : ['\n', ...one]));
  const kept: Piece[] = [];
  let left = max - 1;
  for (const piece of pieces) {
    const length = wordsOf(piece).length;
    if (length > left) return [...kept, typeof piece === 'string' ? cut(piece, left + 1) : '…'];
    if (length > 0) kept.push(piece);
    left -= length;
  }
  return kept;
}

function wordsOf(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  if ('file' in piece) return shownName(piece.file);
  if ('folder' in piece) return shownFolder(piece.folder);
  if ('command' in piece) return piece.command;
  if ('typed' in piece) return cut(cleanText(piece.typed), 60) || ' ';
  if ('time' in piece) return shownClock(piece.time);
  if ('contact' in piece) return cut(cleanText(piece.contact), 200);
  if ('channel' in piece) return isChannelId(piece.channel) ? 'a channel' : 'a direct message';
  return 'somebody';
}

/** A line without markup, for fields where Slack accepts none. */
export function plainText(given: Line): string {
  return limited([given], 600).map(wordsOf).join('');
}

function toElement(piece: Piece): types.RichTextElement {
  const text = wordsOf(piece);
  if (typeof piece === 'string') return { type: 'text', text };
  if ('file' in piece) return toLink(text, webAddress(piece.url ?? '', MAX_FILE_NAME_LENGTH));
  if ('time' in piece) return toDate(piece.time);
  if ('contact' in piece) return toContact(text);
  if ('folder' in piece) return { type: 'text', text, style: { bold: true } };
  if ('channel' in piece && isChannelId(piece.channel))
    return { type: 'channel', channel_id: piece.channel };
  if ('channel' in piece) return { type: 'text', text };
  if (!('person' in piece)) return { type: 'text', text, style: { code: true } };
  return isUserId(piece.person) ? { type: 'user', user_id: piece.person } : { type: 'text', text };
}

function toContact(text: string): types.RichTextElement {
  if (/^[^\s/@]+@[^\s/@]+$/.test(text)) return { type: 'link', url: `mailto:${text}`, text };
  return toLink(text, webAddress(text));
}

/** So short that the addresses of all files in a sentence together fit Slack's limit for a text. */
const MAX_FILE_NAME_LENGTH = 500;

function toLink(text: string, url: string | null): types.RichTextElement {
  return url === null ? { type: 'text', text } : { type: 'link', url, text };
}

function toDate(at: number): types.RichTextElement {
  const timestamp = Math.floor(at / 1000);
  return { type: 'date', timestamp, format: '{time}', fallback: shownClock(at) };
}

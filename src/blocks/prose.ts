import type { types } from '@slack/bolt';
import { cleanText } from './clean-text.ts';
import { cut } from './cut.ts';
import { escapeMrkdwn } from './escape-mrkdwn.ts';
import { type FolderRef, shownFolder } from './folder-ref.ts';
import { shownName } from './shown-name.ts';
import { shownClock } from './shown-time.ts';
import { isUserId } from './user-id.ts';

/**
 * A piece of a sentence. Strings are our own words; whatever comes from a person has a piece of
 * its own, so that it cannot get anywhere unclean.
 */
export type Piece =
  | string
  | { file: string }
  | { folder: FolderRef }
  /** Something to type, in our words. */
  | { command: string }
  /** Something that a person typed. */
  | { typed: string }
  /** Slack's identifier of a person; null for nobody known. */
  | { person: string | null }
  /** A point in time, epoch milliseconds. */
  | { time: number }
  /** The same within the hour: the time of day says enough. */
  | { clock: number };

export type Line = readonly Piece[];

const MOST_CHARACTERS = 3000;
const MOST_FALLBACK_CHARACTERS = 600;

/** Lines of text as one block, in which nothing from a person is formatted, linked or a mention. */
export function prose(...lines: Line[]): types.RichTextBlock {
  const elements = limit(joined(lines, '\n'), MOST_CHARACTERS).map(toElement);
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

/** The same lines for a notification, as escaped mrkdwn. */
export function fallbackText(...lines: Line[]): string {
  return limit(joined(lines, '\n'), MOST_FALLBACK_CHARACTERS).map(toMrkdwn).join('');
}

/** A line as plain text, for `plain_text` elements. People are not named in it. */
export function plainText(line: Line): string {
  return line.map(wordsOf).join('');
}

function joined(lines: readonly Line[], separator: string): Piece[] {
  return lines.flatMap((line, index) => (index === 0 ? [...line] : [separator, ...line]));
}

function limit(pieces: readonly Piece[], max: number): Piece[] {
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
  if ('clock' in piece) return shownClock(piece.clock);
  return 'somebody';
}

function toElement(piece: Piece): types.RichTextElement {
  const text = wordsOf(piece);
  if (typeof piece === 'string') return { type: 'text', text };
  if ('time' in piece) return toDate(piece.time, '{date_short_pretty} at {time}');
  if ('clock' in piece) return toDate(piece.clock, '{time}');
  if ('person' in piece) return toMention(piece.person, text);
  if ('folder' in piece) return { type: 'text', text, style: { bold: true } };
  if ('file' in piece) return { type: 'text', text };
  return { type: 'text', text, style: { code: true } };
}

function toDate(at: number, format: string): types.RichTextElement {
  return { type: 'date', timestamp: Math.floor(at / 1000), format, fallback: shownClock(at) };
}

function toMention(userId: string | null, text: string): types.RichTextElement {
  return isUserId(userId) ? { type: 'user', user_id: userId } : { type: 'text', text };
}

function toMrkdwn(piece: Piece): string {
  if (typeof piece === 'object' && 'person' in piece && isUserId(piece.person)) {
    return `<@${piece.person}>`;
  }
  return escapeMrkdwn(wordsOf(piece));
}

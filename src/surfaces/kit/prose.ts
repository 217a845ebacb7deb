import type { types } from '@slack/bolt';
import type { FolderRef, LinkBy } from '../../core/index.ts';
import { folderAddress } from './folder-address.ts';
import { buttonRow, plainWords, smallPrint, type View, viewOf } from './layout.ts';
import {
  agreeing,
  cut,
  isChannelId,
  isUserId,
  shownClock,
  shownFolder,
  shownMoment,
  shownName,
  shownText,
  webAddress,
} from './text.ts';

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
  | { time: number }
  /** A day and time, epoch milliseconds, in the reader's time zone. */
  | { day: number };

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
  if (operator === null) return 'whoever runs Pigeonhole';
  return isUserId(operator) ? { person: operator } : { contact: operator };
}

/** The reader of a text, and the conversation that it is about. */
export interface Reader {
  /** Who may link channels. */
  linkBy: LinkBy;
  /** Whether the reader may link the channel. */
  mayLink: boolean;
  /** Whether the conversation is a direct message rather than a channel. */
  isDirect: boolean;
}

/** The only reader of what a share's line would say. */
export interface LineReader extends Reader {
  /** Whether the conversation has a folder by now. Default: false. */
  hasFolder?: boolean;
  /** Whether they may have the files tried again. */
  mayRetry: boolean;
  /** Whether they may have what was deleted put back. */
  mayPutBack: boolean;
}

/** For text about a channel that may be read outside it. */
export interface AboutChannel extends Partial<Pick<Reader, 'isDirect'>> {
  /** The channel, when the text is read outside it and has to name it. */
  elsewhere?: string | undefined;
}

/** Returns the words for where files are shared: `here`, or `in` the channel. */
export function hereOrIn({ elsewhere: channel }: AboutChannel): Line {
  return channel === undefined ? ['here'] : line`in ${{ channel }}`;
}

/** Who may link channels, in words for the middle of a sentence. */
export const LINKERS: Record<LinkBy, string> = {
  admins: 'workspace admins',
  members: 'full members of this workspace',
};

/** The beginning of a sentence about what one of them can do. */
export const ONE_WHO_LINKS: Record<LinkBy, string> = {
  admins: 'A workspace admin can',
  members: 'A full member of this workspace can',
};

/** The beginning of a sentence about what the reader can do, or else somebody who may link. */
export function whoCanLink({ mayLink, linkBy }: Omit<Reader, 'isDirect'>): string {
  return mayLink ? 'You can' : ONE_WHO_LINKS[linkBy];
}

/** Says how files that were held back, or shared before there was a folder, are filed after all. */
export function whoFiles(count: number, reader: Reader): string {
  const { them } = agreeing(count);
  if (reader.isDirect && !reader.mayLink) return `To have ${them} filed, share ${them} again.`;
  return `${whoCanLink(reader)} file ${them} with “Where is this filed?” in the message’s menu.`;
}

/** Returns the word for the reader's conversation: only a channel is called one. */
export function placeWord({ isDirect = false }: AboutChannel): string {
  return isDirect ? 'conversation' : 'channel';
}

/** Tells somebody who may not link channels how to get another folder, within a sentence. */
export const ASK_FOR_FOLDER: Record<LinkBy, string> = {
  admins: 'ask a workspace admin for another folder',
  members: 'ask a full member for another folder',
};

/** Asks whether a command was meant; `nearest`: what follows `/files` in it. */
export function didYouMean(nearest: string): Line {
  return line`Did you mean ${{ typed: `/files ${nearest}` }}?`;
}

/** Tells people of other workspaces why they are refused, and what they can do. */
export const OTHER_WORKSPACE =
  'People from other workspaces can’t do that. Ask an admin of this workspace.';

/** Adds the reference that finds a failure in the log under a view. */
export function withReference(view: View, reference: string | null): View {
  if (reference === null) return view;
  return viewOf([...view.blocks, smallPrint(`For your admin: ${shownText(reference, 100)}`)]);
}

/** A view of a few lines. Here and below, null stands for nothing. */
export function say(...lines: readonly (Line | null)[]): View {
  return ask(lines, []);
}

/** A view of a few lines with buttons under them. */
export function ask(
  lines: readonly (Line | null)[],
  buttons: readonly (types.Button | null)[],
): View {
  return viewOf([prose(...lines), ...buttonRow(buttons)]);
}

/** Lines of text as one block; text from a person never becomes formatting, a link or a mention. */
export function prose(...lines: readonly (Line | null)[]): types.RichTextBlock {
  const given = lines.filter((one) => one !== null);
  const elements = limited(given, 3000);
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

/** A line without markup, for fields where Slack accepts none: what is code elsewhere is quoted. */
export function plainText(given: Line): string {
  return limited([given], 600)
    .map((element) => (isCode(element) ? `“${plainWords(element)}”` : plainWords(element)))
    .join('');
}

function isCode(element: types.RichTextElement): boolean {
  return element.type === 'text' && element.style?.code === true;
}

// Joins lines with line breaks, up to `max` characters in all.
function limited(lines: readonly Line[], max: number): types.RichTextElement[] {
  const pieces = lines.flatMap((one, index) => (index === 0 ? one : ['\n', ...one]));
  const kept: types.RichTextElement[] = [];
  let left = max - 1;
  for (const piece of pieces) {
    const element = toElement(piece);
    const { length } = plainWords(element);
    if (length > left)
      return [...kept, toText(typeof piece === 'string' ? cut(piece, left + 1) : '…')];
    if (length > 0) kept.push(element);
    left -= length;
  }
  return kept;
}

function toElement(piece: Piece): types.RichTextElement {
  if (typeof piece === 'string') return toText(piece);
  if ('file' in piece)
    return toLink(shownName(piece.file), webAddress(piece.url ?? '', MAX_FILE_ADDRESS_LENGTH));
  if ('folder' in piece)
    return toLink(shownFolder(piece.folder), folderAddress(piece.folder), { bold: true });
  if ('command' in piece) return toText(piece.command, { code: true });
  if ('typed' in piece) return toText(shownText(piece.typed) || ' ', { code: true });
  if ('contact' in piece) return toContact(shownText(piece.contact, 200));
  if ('time' in piece) return toDate(piece.time, '{time}', shownClock(piece.time));
  if ('day' in piece) return toDate(piece.day, DAY, shownMoment(piece.day));
  if ('person' in piece)
    return isUserId(piece.person) ? { type: 'user', user_id: piece.person } : toText('somebody');
  const { channel } = piece;
  return isChannelId(channel)
    ? { type: 'channel', channel_id: channel }
    : toText('a direct message');
}

/** So short that the addresses of all files in a sentence together fit Slack's limit for a text. */
const MAX_FILE_ADDRESS_LENGTH = 500;

function toText(text: string, style?: types.RichTextText['style']): types.RichTextElement {
  return { type: 'text', text, ...(style && { style }) };
}

function toContact(text: string): types.RichTextElement {
  if (/^[^\s/@]+@[^\s/@]+$/.test(text)) return { type: 'link', url: `mailto:${text}`, text };
  return toLink(text, webAddress(text));
}

function toLink(
  text: string,
  url: string | null,
  style?: types.RichTextText['style'],
): types.RichTextElement {
  if (url === null) return toText(text, style);
  return { type: 'link', url, text, ...(style && { style }) };
}

const DAY = '{date_short_pretty} at {time}';

function toDate(at: number, format: string, fallback: string): types.RichTextElement {
  return { type: 'date', timestamp: Math.floor(at / 1000), format, fallback };
}

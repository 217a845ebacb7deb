import { virtualNow } from '../kernel/virtual-time.ts';
import { ACCOUNT_URL } from '../service/service-model.ts';
import {
  BOT,
  isDirect,
  type Json,
  type SlackFile,
  type SlackMessage,
  type SlackState,
} from '../slack/state.ts';
import { DELETED_IN_SLACK } from './app-words.ts';

/** A message with files, and what is expected of the app for it. */
export interface ExpectedShare {
  channel: string;
  message: SlackMessage;
  user: string;
  /** The files that edits added. */
  added: AddedFile[];
  /** Why it need not be filed or reported; null: it must be. */
  excused: string | null;
  /** When the app acknowledged an event of it; null: not yet. */
  acknowledgedAt: number | null;
  /** When it got its first reaction; null: not yet. */
  reactedAt: number | null;
  /** Whether people read that a copy may stay in a folder that the app cannot look into. */
  copyMayStay: boolean;
  /** Whether somebody deleted the message. */
  deleted: boolean;
  /** Whether the app acknowledged the event of the deletion. */
  deletionAcknowledged: boolean;
}

/** A file that an edit put into a message. */
export interface AddedFile {
  file: SlackFile;
  /** When, in milliseconds since the epoch. */
  at: number;
  /** When the app acknowledged the edit's event; null: not yet. */
  acknowledgedAt: number | null;
  /** When a message first named the file, or it was first filed; null: not yet. */
  seenAt: number | null;
  /** Why it need not be filed or reported; null: it must be, once its event is acknowledged. */
  excused: string | null;
}

export function sum<T>(all: Iterable<T>, numberOf: (one: T) => number): number {
  return [...all].reduce((total, one) => total + numberOf(one), 0);
}

/** When a share's message was posted, in milliseconds since the epoch. */
export function postedAt({ message }: Pick<ExpectedShare, 'message'>): number {
  return Number(message.ts) * 1000;
}

/** Returns how a share is named in violations. */
export function nameOf({ channel, message }: ExpectedShare): string {
  return `${channel} ${message.ts}`;
}

/** Returns the thread that the lines of a share are in. */
export function threadOf({ message }: Pick<ExpectedShare, 'message'>): string {
  return message.threadTs ?? message.ts;
}

/** Returns how many files of a share were deleted in Slack. */
export function deletedFiles({ deleted, message: { files } }: ExpectedShare): number {
  return deleted ? files.length : files.filter((file) => file.deleted).length;
}

/** The longest delay between the app's reading of the state and its line in Slack. */
const LINE_MS = 15_000;

/**
 * Returns the files of a share that the app surely knew when it wrote its current words. Excluded:
 * files deleted in Slack, which may have gone before the app read the message; files that an edit
 * added; and all others if the app may know the message by that edit only.
 */
export function surelyKnown({ message, added, acknowledgedAt }: ExpectedShare): SlackFile[] {
  const isNew = acknowledgedAt === null || acknowledgedAt > virtualNow() - LINE_MS;
  if (added.length > 0 && isNew) return [];
  return message.files.filter((one) => !one.deleted && added.every(({ file }) => file !== one));
}

/** The reactions that a share carries: in progress, done, somebody must act. */
export const REACTIONS = {
  inProgress: 'hourglass_flowing_sand',
  done: 'white_check_mark',
  needsAttention: 'warning',
} as const;

/** Returns the app's reactions to a message. */
export function reactionsTo({ reactions }: SlackMessage): (keyof typeof REACTIONS)[] {
  const all = Object.keys(REACTIONS) as (keyof typeof REACTIONS)[];
  return all.filter((one) => reactions.get(REACTIONS[one])?.has(BOT.user));
}

/**
 * Returns what people read in a message: the words of its blocks, with people as `<@id>`. Its text
 * serves notifications and may be shortened; people read it only if no block has words.
 */
export function textOf({ text, blocks }: Pick<SlackMessage, 'text' | 'blocks'>): string {
  const lines = blocks.filter(({ type }) => type === 'rich_text').map(textOfElement);
  return lines.length === 0 ? text : lines.join('\n');
}

const RECORD = new RegExp(`${ACCOUNT_URL.replaceAll('.', '\\.')}/files/(\\d+)/`, 'g');

/** Returns the numbers of the records whose addresses a text has. */
export function recordsIn(text: string): number[] {
  return [...text.matchAll(RECORD)].map(([, id]) => Number(id));
}

function textOfElement({ type, elements, text, user_id, fallback }: Json): string {
  if (Array.isArray(elements)) return elements.map(textOfElement).join('');
  if (type === 'user') return `<@${user_id}>`;
  return String(text ?? fallback ?? '');
}

/** Returns how many files a list names: no name in a world has a comma, or ends like a list. */
export function countNames(names: string): number {
  const [, more = '0'] = / and (\d+) more$/.exec(names) ?? [];
  return names.split(', ').length + Number(more);
}

/** Returns how many files a line says were deleted in Slack before they were filed. */
export function countDeletedInSlack(text: string): number {
  const [, names] = DELETED_IN_SLACK.exec(text) ?? [];
  return names === undefined ? 0 : countNames(names);
}

/** Whether a text names a file; one that Slack hid at first may be known by its identifier only. */
export function isNamed(text: string, { name, id }: SlackFile): boolean {
  return text.includes(name) || text.includes(`unnamed-${id}`);
}

/** Whether a line is about files that somebody saved by hand. */
export function isSaveLine(line: Pick<SlackMessage, 'text' | 'blocks'>): boolean {
  return /^Saved (from .*)?by <@\w+>\.$/m.test(textOf(line));
}

/** Whether one of the lines has such words. */
export function anySays(lines: readonly SlackMessage[], words: RegExp): boolean {
  return lines.some((line) => words.test(textOf(line)));
}

type WithSlack = { slack: { state: SlackState } };

/** Returns the lines in a share's thread that may be about it. */
export function threadLines({ slack }: WithSlack, share: ExpectedShare): SlackMessage[] {
  const thread = threadOf(share);
  const messages = slack.state.channels.get(share.channel)?.messages ?? [];
  // Earlier messages in the thread belong to other shares.
  const isLater = ({ ts }: SlackMessage) => Number(ts) > Number(share.message.ts);
  return messages.filter((one) => one.own && one.threadTs === thread && isLater(one));
}

/** Returns the lines about the channel's own folder, not those about saves. */
export function shareLines(world: WithSlack, share: ExpectedShare): SlackMessage[] {
  return threadLines(world, share).filter((line) => !isSaveLine(line));
}

/** Where the app cannot post, the person who saved the files gets the line as a direct message. */
export function saveLines(world: WithSlack, share: ExpectedShare): SlackMessage[] {
  const address = `archives/${share.channel}/p${share.message.ts.replace('.', '')}`;
  const directly = [...world.slack.state.channels.values()]
    .flatMap((channel) => (isDirect(channel) ? channel.messages : []))
    .filter((line) => JSON.stringify(line.blocks).includes(address));
  return [...threadLines(world, share), ...directly].filter(isSaveLine);
}

export function allLines(world: WithSlack, share: ExpectedShare): SlackMessage[] {
  return [...shareLines(world, share), ...saveLines(world, share)];
}

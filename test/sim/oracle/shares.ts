import { virtualNow } from '../kernel/virtual-time.ts';
import type { SlackFile, SlackMessage } from '../slack/state.ts';

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

export function createExpectedShare(
  channel: string,
  message: SlackMessage,
  excused: string | null,
): ExpectedShare {
  const unseen = { acknowledgedAt: null, reactedAt: null, copyMayStay: false };
  const there = { deleted: false, deletionAcknowledged: false };
  return { channel, message, user: message.user, added: [], excused, ...unseen, ...there };
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

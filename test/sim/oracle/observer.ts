import { virtualNow } from '../kernel/virtual-time.ts';
import type { AppWatch, Ephemeral, Modal, SlackFile, SlackMessage } from '../slack/state.ts';
import { isChecking } from './form-responses.ts';
import { countOf, lostIn, wordsShown } from './lines.ts';
import { type KnownShare, surelyKnown, type Truth } from './oracle.ts';
import { isOfSaved } from './saves.ts';

/** The reactions that a share carries: in hand, done, somebody must act. */
export const MARKS = {
  inHand: 'hourglass_flowing_sand',
  done: 'white_check_mark',
  needsYou: 'warning',
} as const;

interface WatchOptions {
  truth: Truth;
  /** Checks what only one person reads. */
  read: AppWatch['read'];
  /** Called when a modal opens. */
  opened(modal: Modal): void;
  /**
   * Whether one instance may take another's running lease for ended, so that both may say the same.
   */
  clocksDiffer: boolean;
}

/** Returns callbacks that check each of the app's messages when it appears. */
export function watchApp({ truth, read, opened, clocksDiffer }: WatchOptions): AppWatch {
  const told = new Set<string>();
  /** How many files people were asked about, by share. */
  const questions = new Map<string, number>();

  /** When somebody was last notified of a pause, by channel. */
  const pauses = new Map<string, number>();

  const isTrue = (channel: string, message: SlackMessage) => {
    if (/\b[Ff]iled\b/.test(message.text)) truth.mends();
    const words = wordsShown(message);
    for (const share of truth.shares.filter(({ channel: where }) => where === channel)) {
      const counts = threadOf(share) === message.threadTs && countsAll(words, share);
      for (const one of share.added)
        if (counts || isNamed(words, one.file)) one.seenAt ??= virtualNow();
    }
    if (message.threadTs === null) return;
    const inThread = truth.shares.filter((share) => threadOf(share) === message.threadTs);
    if (UNSEEN.test(words)) for (const share of inThread) share.mayStay = true;
    const [only, second] = inThread;
    if (!only || second) return;
    countsHold(channel, message, only);
    if (!/^Filed\b/.test(message.text)) return;
    const folders = truth.foldersNamed(message.text.split(':')[0] ?? '');
    const missing = surelyKnown(only).filter((file) => {
      if (!isOfSaved(message)) return truth.filedFor(only, file) === 0;
      if (folders.length === 0) return truth.createdOf(file) === 0;
      return folders.every((folder) => truth.createdIn(folder, file) === 0);
    });
    // With a message all of its files are gone.
    for (const file of missing.slice(only.deleted ? lostIn(words) : 0))
      truth.fail(
        'told when it is so',
        `${channel}: "${message.text}", and ${file.name} is not filed`,
      );
  };

  // A line's counts may lag behind the truth for a moment, but never exceed it.
  const countsHold = (channel: string, message: SlackMessage, share: KnownShare) => {
    const { files } = share.message;
    const words = wordsShown(message);
    const [, filed = '0', total = '0'] = FILED_OF.exec(words) ?? [];
    const isFiled = (file: SlackFile) =>
      isOfSaved(message) ? truth.createdOf(file) > 0 : truth.filedFor(share, file) > 0;
    const most = files.filter(isFiled).length;
    if (Number(filed) > most || Number(total) > files.length)
      truth.fail('told when it is so', `${channel}: "${words}", and ${most} are filed`);
    const gone = goneOf(share);
    if (lostIn(words) > gone)
      truth.fail('reasons are true', `${channel}: "${words}", and ${gone} were deleted there`);
  };

  // The question whether to delete a copy too goes to where the message was, or to the direct
  // messages of a sharer who has left.
  const isAsked = ({ channel, user, text, blocks }: Ephemeral) => {
    const [, names] = QUESTION.exec(text) ?? [];
    if (names === undefined) return;
    truth.questioned.push({ channel, user });
    const own = truth.shares.filter((share) => share.channel === channel && share.user === user);
    const copiesOf = (share: KnownShare) => goneOf(share) * (1 + truth.saves.foldersOf(share));
    const most = Math.max(0, ...own.map(copiesOf));
    if (most === 0) truth.fail('nobody is asked without cause', `${channel} ${user}: "${text}"`);
    const shareOf = JSON.stringify(blocks).match(/share[\\":]+(\d+)/)?.[1] ?? '';
    const count = (questions.get(shareOf) ?? 0) + countOf(names);
    questions.set(shareOf, count);
    if (count > most) truth.fail('asked once', `${channel} ${user}: "${text}"`);
  };

  return {
    read,
    modal: (modal) => {
      if (isChecking(modal) && !/within a minute, try again/.test(JSON.stringify(modal.view)))
        truth.fail('a form that may never be answered says so', JSON.stringify(modal.view));
      truth.saves.modalShows(modal);
      if (modal.version === 1) opened(modal);
      else truth.links.modalShows(modal);
    },
    posted: (channel, message) => {
      isTrue(channel, message);
      truth.links.said(channel, message.text, null);
      if (ADDED.test(message.text)) truth.announced(channel, recordsIn(message));
      const mark = JSON.stringify(message.metadata?.['event_payload'] ?? null);
      // If the response to the post is lost, only the mark identifies the line.
      if (mark === 'null' && message.threadTs !== null)
        truth.fail('told once', `${channel}: "${message.text}" has no mark to be found by`);
      if (mark === 'null') return;
      if (told.has(mark) && !clocksDiffer)
        truth.fail('told once', `${channel}: a second message for ${mark}`);
      told.add(mark);
    },
    updated: isTrue,
    notified: ({ user, channel: where, text, blocks }) => {
      truth.saves.told({ user, channel: where, text, blocks });
      truth.links.told({ user, channel: where, text, blocks });
      read({ user, channel: where, text, blocks });
      const [, channel] = /\\"c\\":\\"(\w+)/.exec(JSON.stringify(blocks)) ?? [];
      if (channel !== undefined) isAsked({ user, channel, text, blocks });
      // The result of a form may also have a button with its channel.
      if (channel === undefined || !PAUSED.test(text)) return;
      if (truth.mendedAt() < (pauses.get(channel) ?? 0) - NOTICE_MS)
        truth.fail('a pause is told once', `${user} is told again of ${channel}`);
      pauses.set(channel, virtualNow());
    },
    shown: (shown) => {
      const { channel, user, text } = shown;
      truth.links.said(channel, text, user);
      truth.saves.told(shown);
      truth.links.told(shown);
      isAsked(shown);
    },
    reacted: (channel, message, { name, added }) => {
      const share = truth.shares.find((one) => one.message === message);
      if (share && added) share.markedAt ??= virtualNow();
      if (!added || name !== MARKS.done) return;
      if (!share) truth.fail('told when it is so', `${channel}: a check mark on no share`);
      if (!share) return;
      for (const file of surelyKnown(share))
        if (truth.filedFor(share, file) === 0)
          truth.fail(
            'told when it is so',
            `${channel}: a check mark, and ${file.name} is not filed`,
          );
    },
  };
}

/**
 * The longest that a notice of a pause is on its way to Slack, in milliseconds: the pause may end
 * meanwhile.
 */
const NOTICE_MS = 1_000;

/** The words for files that wait because their channel's link is paused. */
const PAUSED = /^Files shared in .* are waiting: /;

/** The words for files that others added to the channel's folder. */
const ADDED = / added .*in the file service: /;

function recordsIn({ blocks }: SlackMessage): number[] {
  const links = JSON.stringify(blocks).matchAll(/\/files\/(\d+)\/download/g);
  return [...links].map(([, id]) => Number(id));
}

/** The question whether to delete the filed copies of files that were deleted in Slack. */
const QUESTION = /^(.*) (?:was|were) deleted in Slack, and (?:is|are) still in /;

/**
 * The words for a folder that the app cannot look into: another folder gets the file, and a copy
 * may stay.
 */
const UNSEEN = /a copy may stay in the first folder/;

/**
 * Whether a text names a file; a file that Slack hid at first may be known by its identifier only.
 */
export function isNamed(words: string, { name, id }: SlackFile): boolean {
  return words.includes(name) || words.includes(`unnamed-${id}`);
}

/** A list of files that names some of them only, and the counts of a line that names none. */
const SHORTENED = /([^:\n]+ and \d+ more)\b/g;
const COUNTED = /^(?:\d+ of |Waiting: )(\d+) file/m;

// Whether the text counts, or one of its lists has, as many files as the share.
function countsAll(words: string, { message: { files } }: KnownShare): boolean {
  const lists = [...words.matchAll(SHORTENED)].map(([, names = '']) => countOf(names));
  return Math.max(...lists, Number(COUNTED.exec(words)?.[1] ?? 0)) >= files.length;
}

/** The number of a share's files that a line says are filed. */
const FILED_OF = /^(\d+) of (\d+) filed\b/m;

/** Returns how many files of a share were deleted in Slack. */
function goneOf({ deleted, message: { files } }: KnownShare): number {
  return deleted ? files.length : files.filter((file) => file.deleted).length;
}

/** Returns the thread that the lines of a share are in. */
export function threadOf({ message }: Pick<KnownShare, 'message'>): string {
  return message.threadTs ?? message.ts;
}

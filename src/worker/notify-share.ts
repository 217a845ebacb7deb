import {
  channelPaused,
  isInHand,
  linkPaused,
  reactionFor,
  type ShareFile,
  sharePhase,
} from '../blocks/index.ts';
import type { DoneInSlack, ShareRow, Transfer } from '../ledger/index.ts';
import { isPermanent, isRefused, mayBeRepeated, unlessRefused } from '../slack/index.ts';
import { type ChannelRef, may, queueOf } from '../transfers/index.ts';
import { assertHeld, type JobKind, pausedUntil, pauseIfAsked } from './job.ts';
import {
  fingerprintOf,
  type HeldNotification,
  keepMessage,
  messageJobs,
  type Said,
} from './keep-message.ts';
import { type Described, describeFiles, lineOf, waitsForLink } from './say-share.ts';
import type { WorkerContext } from './worker-context.ts';

/** A share that takes longer than this gets its line before it is filed. */
const PATIENCE_MS = 6_000;
/** A share that a report covers gets a line with the reason if a file still fails after this. */
const REPORTED_PATIENCE_MS = 10 * 60_000;
/** How often the line of a file that is being sent is edited. */
const PROGRESS_EVERY_MS = 4_000;

/** A line that names the time of a next try is edited so long after that time has passed. */
const OVERDUE_MS = 5_000;

/** Beyond this place in the queue a share gets no line until it changes: Slack's limits are low. */
const NEAR = 50;

export function notifyingShares(context: WorkerContext): JobKind {
  return messageJobs('shares', notifyShare, context);
}

/**
 * Shows members where a share's files are: one reaction, and one line in its thread. Files that a
 * backfill found appear in its report only: the messages may be years old. Files that an edit adds
 * to such a message are shown there.
 */
async function notifyShare(
  held: HeldNotification<ShareRow>,
  context: WorkerContext,
): Promise<Said> {
  const { row } = held;
  const all = await context.ledger.transfersOfShare(row.id);
  if (all.some(waitsForLink)) await notifyOfPause(row, context);
  const isPast = row.origin === 'backfill';
  const transfers = isPast ? all.filter(({ queue }) => queue !== queueOf(row, 'past')) : all;
  if ((isPast && transfers.length === 0) || isNotTaken(row, transfers)) return { againAt: null };
  const files = await describeFiles(transfers, context);
  // A share saved by hand sets no reaction: it and the message's own share would undo each other's.
  const { done, isGone, reactAt } =
    row.savedBy === null ? await react(row, files, context) : NOT_ASKED;
  // A message deleted before it had a line gets none; a post that was begun may have succeeded.
  if (isGone && row.replyTs === null && row.replyBegun === 0) return { againAt: null };
  Object.assign(held.done, done);
  held.reactAt = reactAt;
  const due = lineDue(row, files, context.clock.now());
  if (due > context.clock.now()) return { againAt: due };
  if (due === Number.NEGATIVE_INFINITY) return { againAt: null };
  const fingerprint = await keepLine(held, { transfers, files }, context);
  return { fingerprint, againAt: nextEdit(files, context.clock.now()) };
}

interface Reacted {
  done: DoneInSlack;
  /** Whether the message is gone. */
  isGone: boolean;
  /** When to try again after Slack's rate limit; null when nothing is left to do. */
  reactAt: number | null;
}

const NOT_ASKED: Reacted = { done: {}, isGone: false, reactAt: null };

/**
 * Sets the one reaction on a share's message to its files' phase, or removes it. Records it before
 * the request, so that a reaction left by a crash is removed later.
 */
export async function react(
  row: ShareRow,
  files: ShareFile[],
  { workspace, ledger, clock, logger, reactionPause: pause }: WorkerContext,
): Promise<Reacted> {
  const name = reactionFor(sharePhase(files));
  const { reaction, reactionBegun } = row;
  const at = { channel: row.channel, ts: row.ts };
  if (name !== null && name === reaction && reactionBegun === null) return NOT_ASKED;
  const until = pausedUntil(pause, clock.now());
  if (until > clock.now()) return { ...NOT_ASKED, reactAt: until };
  const done = { reaction: name, reactionBegun: null };
  try {
    if (reactionBegun && reactionBegun !== name) await workspace.unreact(at, reactionBegun);
    // Removing a reaction shows whether the message is gone, even if it has none.
    const begun = name ?? reaction ?? 'hourglass_flowing_sand';
    await ledger.beginReaction(row.id, begun);
    if (name === null) await workspace.unreact(at, begun);
    else await workspace.react(at, { name, instead: reaction });
    return { ...NOT_ASKED, done };
  } catch (error) {
    const reactAt = pauseIfAsked(pause, error, clock);
    if (reactAt !== null) return { ...NOT_ASKED, reactAt };
    // A refused reaction, as where a message has too many, must not hold back the line.
    if (!isRefused(error)) throw error;
    logger.debug({ share: row.id, reason: error.reason }, 'A reaction was refused');
    return { done, reactAt: null, isGone: error.reason === 'message_not_found' };
  }
}

// Whether all files are parked for want of a folder, and nothing in Slack shows them as taken.
function isNotTaken(
  { reaction, reactionBegun, replyTs }: ShareRow,
  transfers: Transfer[],
): boolean {
  const isShown = reaction !== null || reactionBegun !== null || replyTs !== null;
  const isHeldBack = (one: Transfer) => one.state === 'parked' && one.destination === null;
  return !isShown && transfers.length > 0 && transfers.every(isHeldBack);
}

// The progress of an upload changes, and the time of a next try may pass without one.
function nextEdit(files: ShareFile[], now: number): number | null {
  if (files.some((file) => file.phase === 'sending')) return now + PROGRESS_EVERY_MS;
  const tries = files.flatMap(({ nextTryAt }) => nextTryAt ?? []).filter((at) => at > now);
  return tries.length === 0 ? null : Math.min(...tries) + OVERDUE_MS;
}

function isFarBack(files: ShareFile[]): boolean {
  const open = files.filter(isInHand);
  return open.length > 0 && open.every((file) => file.place !== null && file.place > NEAR);
}

/**
 * Returns when the share's line is due; minus infinity for never. Quick work gets one line at its
 * end; a share that a catch-up's report covers gets one only when it needs a person or fails for
 * long. A share without transfers is in no report: a member had saved all its files by hand.
 */
function lineDue(row: ShareRow, files: ShareFile[], now: number): number {
  const phase = sharePhase(files);
  // A post that got no answer may be there, and must not stay as it was.
  const isThere = row.replyTs !== null || row.replyBegun !== 0;
  if (isThere || phase === 'needs-you') return now;
  const fails = files.some(({ phase: of, problem }) => of !== 'withdrawn' && problem !== null);
  if (row.origin === 'catch-up' && row.reportId !== null && files.length > 0)
    return fails ? row.recordedAt + REPORTED_PATIENCE_MS : Number.NEGATIVE_INFINITY;
  if (phase !== 'in-hand' || fails) return now;
  if (isFarBack(files)) return Number.NEGATIVE_INFINITY;
  return row.recordedAt + PATIENCE_MS;
}

async function keepLine(
  held: HeldNotification<ShareRow>,
  described: Described,
  context: WorkerContext,
): Promise<string> {
  const { row } = held;
  const body = await lineOf(row, described, context);
  const place =
    row.replyChannel === null
      ? { channel: row.channel, threadTs: row.threadTs ?? row.ts }
      : { channel: row.replyChannel, threadTs: null };
  const mark = { kind: 'share' as const, id: row.id };
  try {
    return await keepMessage({ ...held, place, mark, oldest: row.ts }, body, context);
  } catch (error) {
    if (row.savedBy === null || row.replyTs !== null || !isPermanent(error)) throw error;
    return sayPrivately(held, { to: row.savedBy, described }, context);
  }
}

// Notifies the member who saved the files, where the app can't post. A crash may notify them twice.
async function sayPrivately(
  { row, held }: HeldNotification<ShareRow>,
  { to, described }: { to: string; described: Described },
  context: WorkerContext,
): Promise<string> {
  const body = await lineOf({ ...row, replyChannel: to }, described, context);
  assertHeld(held, context.clock);
  await context.ledger.recordReplyIn(row.id, await context.workspace.notify(to, body));
  return fingerprintOf(body);
}

/**
 * Notifies once about a paused link: the member who linked the channel, in a direct message with a
 * button to choose another folder; or the channel, if that member is unknown, cannot be notified or
 * may not link it any more. Records the notice first, so that nobody is notified twice. Rejects
 * with SlackCallError when the notice was certainly not posted and may be later.
 */
export async function notifyOfPause(ref: ChannelRef, context: WorkerContext): Promise<void> {
  const { ledger, workspace, clock, logger, linkBy } = context;
  const link = await ledger.findLink(ref);
  if (!link?.pausedFor || link.pauseNotified) return;
  const linker = (await mayLink(link.linkedBy, context)) ? link.linkedBy : null;
  const toldAt = clock.now();
  const paused = await ledger.claimPauseNotice(ref, toldAt);
  if (!paused?.pausedFor) return;
  const pause = { reason: paused.pausedFor, folder: paused };
  try {
    const view = linkPaused({ ...pause, channel: ref.channel });
    const isTold =
      linker === paused.linkedBy && (await unlessRefused(workspace.notify(linker, view))) !== null;
    if (!isTold) await workspace.announce(ref.channel, channelPaused({ ...pause, linkBy }));
  } catch (error) {
    if (mayBeRepeated(error)) {
      await ledger.dropPauseNotice(ref, toldAt);
      throw error;
    }
    logger.warn({ channel: ref.channel, error }, 'Nobody could be told that a link is paused');
  }
}

// Runs before claimPauseNotice, so that no notice is recorded while Slack is unreachable.
async function mayLink(userId: string, { workspace, linkBy }: WorkerContext): Promise<boolean> {
  if (!userId) return false;
  const actor = await unlessRefused(workspace.actor(userId, null));
  return actor !== null && may({ ...actor, linkBy }, 'link-channel');
}

import { isFinal } from '../base/index.ts';
import {
  isInHand,
  type LineReader,
  reactionFor,
  type SavedByHand,
  type ShareFile,
  shareLine,
  sharePhase,
  type View,
} from '../blocks/index.ts';
import type { ClaimedRow, DoneInSlack, ShareRow, Transfer } from '../ledger/index.ts';
import { isRefused } from '../slack/index.ts';
import { isOnItsWay, linkIfTo, oneFolder, pauseReason, queueOf, SHUT } from '../transfers/index.ts';
import { assertHeld, type Handler, pauseIfAsked } from './job.ts';
import {
  fingerprintOf,
  type HeldNotification,
  keepMessage,
  messageJobs,
  nameFolder,
} from './keep-message.ts';
import { notifyOfFolder } from './notify-hold.ts';
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
const MAX_PLACE = 50;

export function notifyingShares(context: WorkerContext): Handler {
  return messageJobs('share', notifyShare, context);
}

/**
 * Shows members where a share's files are: one reaction, and one line in its thread. Files that a
 * backfill found appear in its report only: the messages may be years old. Files that an edit adds
 * to such a message are shown there.
 */
async function notifyShare(
  held: HeldNotification<ClaimedRow<'share'>>,
  context: WorkerContext,
): Promise<number | null> {
  const { row } = held;
  const all = await shownFiles(row, context);
  const folder = all.find(waitsForLink)?.destination;
  if (folder) await notifyOfFolder(row, folder, context);
  const isPast = row.origin === 'backfill';
  const transfers = isPast ? all.filter(({ queue }) => queue !== queueOf(row, 'past')) : all;
  const files = await describeFiles(transfers, context);
  // Files saved by hand that were on their way with their message are shown with that.
  const isElsewhere = files.length === 0 && (isPast || row.savedBy !== null);
  if (isElsewhere || isOnlyParked(row, files)) return null;
  // A share saved by hand sets no reaction: it and the message's own share would undo each other's.
  const { done, isGone, reactAt } =
    row.savedBy === null ? await react(row, files, context) : NOTHING_DONE;
  // A message deleted before it had a line gets none; a post that was begun may have succeeded.
  if (isGone && row.replyTs === null && row.replyBegun === 0) return null;
  Object.assign(held.done, done);
  held.reactAt = reactAt;
  const due = lineDue(row, { transfers, files }, context.clock.now());
  if (due === null || due > context.clock.now()) return due;
  await keepLine(held, { transfers, files }, context);
  return nextEdit(files, context.clock.now());
}

// Of files that somebody saved by hand to the folder of their message, the message's share shows those
// that are not there yet.
async function shownFiles({ id }: ShareRow, { ledger }: WorkerContext): Promise<Transfer[]> {
  return [...(await ledger.transfersOfShare(id)), ...(await ledger.savedOfShare(id))];
}

interface Reacted {
  done: DoneInSlack;
  isGone: boolean;
  /** When to try again after Slack's rate limit; null when nothing is left to do. */
  reactAt: number | null;
}

const NOTHING_DONE: Reacted = { done: {}, isGone: false, reactAt: null };

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
  if (name !== null && name === reaction && reactionBegun === null) return NOTHING_DONE;
  if (pause.until > clock.now()) return { ...NOTHING_DONE, reactAt: pause.until };
  const done = { reaction: name };
  try {
    if (reactionBegun && reactionBegun !== name) await workspace.unreact(at, reactionBegun);
    // Removing a reaction shows whether the message is gone, even if it has none.
    const begun = name ?? reaction ?? 'hourglass_flowing_sand';
    await ledger.beginReaction(row.id, begun);
    if (name === null) await workspace.unreact(at, begun);
    else await workspace.react(at, { name, instead: reaction });
    return { ...NOTHING_DONE, done };
  } catch (error) {
    const reactAt = pauseIfAsked(pause, error, clock);
    if (reactAt !== null) return { ...NOTHING_DONE, reactAt };
    // A refused reaction, as where a message has too many, must not hold back the line.
    if (!isRefused(error)) throw error;
    logger.debug({ share: row.id, reason: error.reason }, 'A reaction was refused');
    return { done, reactAt: null, isGone: error.reason === 'message_not_found' };
  }
}

// Whether all files are parked for want of a folder, and nothing in Slack shows them as taken.
function isOnlyParked({ reaction, reactionBegun, replyTs }: ShareRow, files: ShareFile[]): boolean {
  const isShown = reaction !== null || reactionBegun !== null || replyTs !== null;
  return !isShown && files.length > 0 && files.every(({ phase }) => phase === 'parked');
}

// The progress of an upload changes, and the time of a next try may pass without one.
function nextEdit(files: ShareFile[], now: number): number | null {
  if (files.some((file) => file.phase === 'sending')) return now + PROGRESS_EVERY_MS;
  const tries = files.flatMap(({ nextTryAt }) => nextTryAt ?? []).filter((at) => at > now);
  return tries.length === 0 ? null : Math.min(...tries) + OVERDUE_MS;
}

function isFarBack(files: ShareFile[]): boolean {
  const open = files.filter(isInHand);
  return open.length > 0 && open.every((file) => file.place !== null && file.place > MAX_PLACE);
}

/**
 * Returns when the share's line is due; null for never. Quick work gets one line at its
 * end; a share whose files a catch-up's report covers gets one only when it needs a person or fails
 * for long. A share of duplicates alone is in no report: a member had saved all its files by hand.
 */
function lineDue(row: ShareRow, { transfers, files }: Described, now: number): number | null {
  const phase = sharePhase(files);
  // A post that got no answer may be there, and must not stay as it was.
  const isThere = row.replyTs !== null || row.replyBegun !== 0;
  if (isThere || phase === 'needs-you') return now;
  const fails = files.some((file) => file.phase !== 'withdrawn' && file.problem !== null);
  const isReported = row.origin === 'catch-up' && row.reportId !== null;
  if (isReported && files.length > 0 && !hasAdded(row, transfers))
    return fails ? row.recordedAt + REPORTED_PATIENCE_MS : null;
  if (phase !== 'in-hand' || fails) return now;
  if (isFarBack(files)) return null;
  return row.recordedAt + PATIENCE_MS;
}

// The report covers only the files that were recorded with the share.
function hasAdded({ recordedAt }: ShareRow, transfers: readonly Transfer[]): boolean {
  return transfers.some((transfer) => transfer.recordedAt !== recordedAt);
}

async function keepLine(
  held: HeldNotification<ClaimedRow<'share'>>,
  described: Described,
  context: WorkerContext,
): Promise<void> {
  const { row } = held;
  const body = await lineOf(row, described, context);
  const place =
    row.replyChannel === null
      ? { channel: row.channel, threadTs: row.threadTs ?? row.ts }
      : { channel: row.replyChannel, threadTs: null };
  const mark = { kind: 'share' as const, id: row.id };
  try {
    await keepMessage({ ...held, place, mark, oldest: row.ts }, body, context);
  } catch (error) {
    if (row.savedBy === null || row.replyTs !== null || !isFinal(error)) throw error;
    await sayPrivately(held, { to: row.savedBy, described }, context);
  }
}

// Notifies the member who saved the files, where the app can't post. A crash may notify them twice.
async function sayPrivately(
  { row, held, done }: HeldNotification<ClaimedRow<'share'>>,
  { to, described }: { to: string; described: Described },
  context: WorkerContext,
): Promise<void> {
  const body = await lineOf({ ...row, replyChannel: to }, described, context);
  assertHeld(held, context.clock);
  const { channel: replyChannel, ts: replyTs } = await context.workspace.notify(to, body);
  Object.assign(done, { replyChannel, replyTs, fingerprint: fingerprintOf(body) });
}

/** Returns what a share's line says now, or would say, for a single reader. */
export async function shareLineFor(
  row: ShareRow,
  reader: LineReader,
  context: WorkerContext,
): Promise<View> {
  const transfers = await shownFiles(row, context);
  const files = await describeFiles(transfers, context);
  return lineOf(row, { transfers, files, reader }, context);
}

interface Described {
  transfers: Transfer[];
  files: ShareFile[];
  /** The only reader. Default: everybody who reads the thread. */
  reader?: LineReader;
}

async function lineOf(
  row: ShareRow,
  { transfers, files, reader }: Described,
  context: WorkerContext,
): Promise<View> {
  const filed = transfers.filter(({ state }) => state === 'filed' || state === 'created');
  // The channel may have been linked to another folder since the first of them was filed.
  const destination = oneFolder(filed.flatMap((transfer) => transfer.destination ?? []));
  return shareLine({
    shareId: row.id,
    files,
    folder: destination && (await nameFolder(destination, row, context)),
    pause: await pauseOf(row, transfers, context),
    isLimitAway: context.isLimitAway(),
    operator: context.operator,
    saved: savedByHand(row, context),
    reader: reader ?? null,
    sharedAt: row.recordedAt,
    now: context.clock.now(),
  });
}

function savedByHand(
  { savedBy: by, replyChannel, ...message }: ShareRow,
  { workspace }: WorkerContext,
): SavedByHand | null {
  if (by === null) return null;
  return { by, messageUrl: replyChannel === null ? null : workspace.addressOf(message) };
}

// Counts the queue only for the share's first waiting file: its others come right behind that.
async function describeFiles(
  transfers: Transfer[],
  { ledger, uploads }: WorkerContext,
): Promise<ShareFile[]> {
  const waits = (one: Transfer) =>
    (one.state === 'recorded' || one.state === 'uploaded') &&
    one.problem === null &&
    !one.isClaimed;
  const first = transfers.find(waits);
  let place = first ? await ledger.countAhead(first) : 0;
  return transfers.map((transfer) => {
    const { state, problem } = transfer;
    if (waits(transfer)) place += 1;
    return {
      name: transfer.name,
      url: state === 'filed' ? transfer.recordUrl : null,
      sizeBytes: transfer.byteSize ?? transfer.file.size,
      phase: phaseOf(transfer),
      problem,
      problemNote: transfer.problemNote,
      nextTryAt: problem && !transfer.isClaimed ? transfer.nextTryAt : null,
      progress: uploads.get(transfer.id) ?? null,
      place: waits(transfer) ? place : null,
      deletedBy: transfer.deletedBy,
      hasRecord: state !== 'filed' || transfer.recordId !== null,
    };
  });
}

// Looks up the link only for files that wait for it.
async function pauseOf(
  row: ShareRow,
  transfers: readonly Transfer[],
  { ledger }: WorkerContext,
): Promise<{ isNotified: boolean } | null> {
  const folder = transfers.find(waitsForLink)?.destination;
  const link = folder && linkIfTo(folder, await ledger.findLink(row));
  return link?.pausedFor ? { isNotified: link.pauseNotified } : null;
}

function phaseOf({ state, problem, destination, isClaimed }: Transfer): ShareFile['phase'] {
  if (state === 'created') return 'filed';
  // A folder that is gone or forbidden cannot be checked.
  if (state === 'creating') return SHUT.some((one) => one === problem) ? 'waiting' : 'checking';
  if (state === 'parked') return destination === null ? 'parked' : 'skipped';
  if (state === 'refused' && problem === 'SLACK_FILE_DELETED') return 'withdrawn';
  if (state === 'filed' || state === 'refused' || state === 'deleted') return state;
  return isClaimed ? 'sending' : 'waiting';
}

function waitsForLink(transfer: Transfer): boolean {
  return isOnItsWay(transfer) && pauseReason(transfer.problem) !== null;
}

import { isDirect, oneFolder, queueOf } from '../../core/index.ts';
import type { MessageRow, ShareRow, Transfer } from '../../ledger/index.ts';
import { nameFolder } from '../../service/index.ts';
import type { KeptMessage } from '../../slack/index.ts';
import { isInHand, reactionFor, type ShareFile, sharePhase } from '../kit/file-lines.ts';
import type { View } from '../kit/layout.ts';
import type { LineReader } from '../kit/prose.ts';
import type { RenderContext } from '../kit/render-context.ts';
import { notifyOfFolder } from '../notices/notify-hold.ts';
import { describeFiles, pauseOf, waitsForFolder } from './share-files.ts';
import { type SavedByHand, shareLine } from './share-line.ts';

/** A share that takes longer than this gets its line before it is filed. */
const PATIENCE_MS = 4_000;
/**
 * A share that a report covers, or of a channel that wants no lines, gets one with the reason if a file
 * still fails after this.
 */
const QUIET_PATIENCE_MS = 10 * 60_000;
/** How often the line of a file that is being sent is edited. */
const PROGRESS_EVERY_MS = 4_000;
/** A line that names the time of a next try is edited so long after that time has passed. */
const OVERDUE_MS = 5_000;
/** Beyond this place in the queue a share gets no line until it changes: Slack's limits are low. */
const MAX_PLACE = 50;

/**
 * Shows members where a share's files are: one reaction, and one line in its thread. Files that a
 * backfill found appear in its report only: the messages may be years old. Files that an edit adds
 * to such a message are shown there.
 */
export async function renderShare(
  message: MessageRow,
  context: RenderContext,
): Promise<KeptMessage | null> {
  const { ledger, clock } = context;
  const row = await ledger.findShareById(message.about);
  if (!row) return null;
  // Of files that somebody saved by hand to the folder of their message, the message's share shows those
  // that are not there yet.
  const all = await ledger.transfersOfShare(row.id, { savedToo: true });
  const folder = all.find(waitsForFolder)?.destination;
  if (folder) await notifyOfFolder(row, folder, context);
  const isPast = row.origin === 'backfill';
  const transfers = isPast ? all.filter(({ queue }) => queue !== queueOf(row, 'past')) : all;
  const files = await describeFiles(transfers, context);
  const { channel, ts, savedBy } = row;
  // Files saved by hand that were on their way with their message are shown with that.
  const isElsewhere = files.length === 0 && (isPast || savedBy !== null);
  if (isElsewhere || isOnlyParked(message, transfers)) return null;
  const now = clock.now();
  const phase = sharePhase(files);
  const isQuiet = savedBy === null && !(await ledger.wantsLines(row));
  const due = lineDue(row, { message, transfers, files, isQuiet }, now);
  const isDue = due !== null && due <= now;
  const say = (elsewhere = message.channel) =>
    lineOf(row, { transfers, files, elsewhere: elsewhere !== null }, context);
  return {
    place: { channel, threadTs: row.threadTs ?? ts },
    oldest: ts,
    say: isDue ? (elsewhere) => say(elsewhere) : null,
    dueAt: isDue ? nextEdit(files, now) : due,
    // A share saved by hand sets no reaction: it and the message's own share would undo each other's.
    ...(savedBy === null && { reaction: { on: { channel, ts }, name: reactionFor(phase) } }),
    reader: savedBy,
  };
}

// Whether all files are parked for want of a folder, and nothing in Slack shows them as taken.
function isOnlyParked(
  { reaction, reactionBegun, ts }: MessageRow,
  transfers: readonly Transfer[],
): boolean {
  const isShown = reaction !== null || reactionBegun !== null || ts !== null;
  const lacksFolder = (one: Transfer) => one.state === 'parked' && one.destination === null;
  return !isShown && transfers.length > 0 && transfers.every(lacksFolder);
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

interface Described {
  transfers: readonly Transfer[];
  files: ShareFile[];
}

/**
 * Returns when the share's line is due; null for never. Quick work gets one line at its
 * end; a share of a quiet channel, or whose files a catch-up's report covers, gets one only when it
 * needs a person or fails for long. A share without files of its own is in no report: a member had saved them all by hand.
 */
function lineDue(
  row: ShareRow,
  { message, transfers, files, isQuiet }: Described & { message: MessageRow; isQuiet: boolean },
  now: number,
): number | null {
  const phase = sharePhase(files);
  // A post that got no answer may be there, and must not stay as it was.
  const isThere = message.ts !== null || message.begun !== 0;
  if (isThere || phase === 'needs-you') return now;
  const fails = files.some((file) => file.phase !== 'withdrawn' && file.problem !== null);
  const isReported = row.origin === 'catch-up' && row.reportId !== null;
  if (isQuiet || (isReported && files.length > 0 && !hasAdded(row, transfers)))
    return fails ? row.recordedAt + QUIET_PATIENCE_MS : null;
  if (phase !== 'in-hand' || fails) return now;
  if (isFarBack(files)) return null;
  return row.recordedAt + PATIENCE_MS;
}

// The report covers only the files that were recorded with the share.
function hasAdded({ recordedAt }: ShareRow, transfers: readonly Transfer[]): boolean {
  return transfers.some((transfer) => transfer.recordedAt !== recordedAt);
}

/** Returns what a share's line says now, or would say, for a single reader of its message. */
export async function shareLineFor(
  row: ShareRow,
  reader: LineReader,
  context: RenderContext,
): Promise<View> {
  const transfers = await context.ledger.transfersOfShare(row.id, { savedToo: true });
  const files = await describeFiles(transfers, context);
  return lineOf(row, { transfers, files, reader }, context);
}

interface Shown extends Described {
  /** Whether it is read elsewhere than at the message that it is about. Default: false. */
  elsewhere?: boolean;
  /** The only reader. Default: everybody who reads the thread. */
  reader?: LineReader;
}

async function lineOf(
  row: ShareRow,
  { transfers, files, elsewhere = false, reader }: Shown,
  context: RenderContext,
): Promise<View> {
  const filed = transfers.filter(({ state }) => state === 'filed' || state === 'created');
  // The channel may have been linked to another folder since the first of them was filed.
  const destination = oneFolder(filed.flatMap((transfer) => transfer.destination ?? []));
  return shareLine({
    shareId: row.id,
    files,
    folder: destination && (await nameFolder(destination, row, context)),
    pause: await pauseOf(row, transfers, context),
    heldBack: context.heldBack(),
    operator: context.operator,
    saved: savedByHand(row, elsewhere, context),
    reader: reader ?? null,
    isDirect: isDirect(row),
    sharedAt: row.recordedAt,
    now: context.clock.now(),
  });
}

function savedByHand(
  { savedBy: by, ...message }: ShareRow,
  isElsewhere: boolean,
  { workspace }: RenderContext,
): SavedByHand | null {
  if (by === null) return null;
  return { by, messageUrl: isElsewhere ? workspace.addressOf(message) : null };
}

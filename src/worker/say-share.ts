import {
  type LineReader,
  type SavedByHand,
  type SendingProgress,
  type ShareFile,
  shareLine,
  type View,
} from '../blocks/index.ts';
import type { ShareRow, Transfer } from '../ledger/index.ts';
import { linkIfTo, oneFolder, pauseReason } from '../transfers/index.ts';
import { nameFolder } from './keep-message.ts';
import type { UploadInHand, WorkerContext } from './worker-context.ts';

/** Returns what a share's line says now, or would say, for a single reader. */
export async function sayShare(
  row: ShareRow,
  reader: LineReader,
  context: WorkerContext,
): Promise<View> {
  const transfers = await context.ledger.transfersOfShare(row.id);
  const files = await describeFiles(transfers, context);
  return lineOf(row, { transfers, files, reader }, context);
}

export interface Described {
  transfers: Transfer[];
  files: ShareFile[];
  /** The only reader. Default: everybody who reads the thread. */
  reader?: LineReader;
}

export async function lineOf(
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
export async function describeFiles(
  transfers: Transfer[],
  { ledger, clock, uploads }: WorkerContext,
): Promise<ShareFile[]> {
  const waits = ({ leaseToken, dueAt, problem }: Transfer) =>
    dueAt !== null && problem === null && leaseToken === null;
  const first = transfers.find(waits);
  let place = first ? await ledger.countAhead(first) : 0;
  return transfers.map((transfer) => {
    if (waits(transfer)) place += 1;
    const upload = uploads.get(transfer.id);
    const progress = upload?.sentBytes ? progressOf(upload, clock.now()) : null;
    return shareFile(transfer, progress, waits(transfer) ? place : null);
  });
}

function progressOf(upload: UploadInHand, now: number): SendingProgress {
  const { begunAt, movedAt, totalBytes, sentBytes } = upload;
  const bytesPerSecond = (sentBytes / Math.max(1, now - begunAt)) * 1000;
  const remainingMs = Math.round(((totalBytes - sentBytes) / bytesPerSecond) * 1000);
  const idleMs = Math.max(0, now - movedAt);
  return { sentBytes, totalBytes, bytesPerSecond, remainingMs, idleMs };
}

// Looks up the link only for files that wait for it.
async function pauseOf(
  row: ShareRow,
  transfers: readonly Transfer[],
  { ledger }: WorkerContext,
): Promise<{ told: boolean } | null> {
  const folder = transfers.find(waitsForLink)?.destination;
  const link = folder && linkIfTo(folder, await ledger.findLink(row));
  return link?.pausedFor ? { told: link.pauseNotified } : null;
}

function shareFile(
  transfer: Transfer,
  progress: SendingProgress | null,
  place: number | null,
): ShareFile {
  return {
    name: transfer.name,
    url: transfer.state === 'filed' ? transfer.recordUrl : null,
    sizeBytes: transfer.byteSize ?? transfer.file.size,
    phase: phaseOf(transfer),
    problem: transfer.problem,
    problemNote: transfer.problemNote,
    nextTryAt: transfer.problem && transfer.leaseToken === null ? transfer.dueAt : null,
    progress,
    place,
    deletedBy: transfer.deletedBy,
    hasRecord: transfer.state !== 'filed' || transfer.recordId !== null,
  };
}

function phaseOf({ state, problem, destination, leaseToken }: Transfer): ShareFile['phase'] {
  if (state === 'created') return 'filed';
  // A folder that is gone or forbidden cannot be checked.
  const isShut = problem === 'DESTINATION_GONE' || problem === 'SERVICE_FORBIDDEN';
  if (state === 'creating') return isShut ? 'waiting' : 'checking';
  if (state === 'parked') return destination === null ? 'parked' : 'skipped';
  if (state === 'refused' && problem === 'SLACK_FILE_DELETED') return 'withdrawn';
  if (state === 'filed' || state === 'refused' || state === 'deleted') return state;
  return leaseToken === null ? 'waiting' : 'sending';
}

export function waitsForLink({ dueAt, problem }: Transfer): boolean {
  return dueAt !== null && problem !== null && pauseReason(problem) !== null;
}

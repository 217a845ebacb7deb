import { hasCode, isFinal, orNull, PigeonholeError, startDeadline } from '../base/index.ts';
import { fileName, MAX_CRASHES, type SharedFile, type WholeDownloads } from '../core/index.ts';
import { destinationOf, type Transfer } from '../ledger/index.ts';
import { type BulkSlot, ServiceError } from '../service/index.ts';
import { assessFile, SlackFileError } from '../slack/index.ts';
import type { EngineContext } from './engine-context.ts';
import { probePassed } from './holds.ts';
import type { HeldTransfer } from './job.ts';
import { hurryOthers, isGone } from './settle.ts';
import { expectedDownload, readWhole, verified } from './whole-downloads.ts';

/** Only a few larger files are uploaded at once. */
export const LARGE_BYTES = 32 * 1024 * 1024;
/** Uploads of larger files may take long enough for people to be shown their progress. */
const SLOW_BYTES = 4 * 1024 * 1024;
const SLOW_MS = 4_000;

/** How long a download that is only counted may take, and may stall, in milliseconds. */
const COUNTED_WITHIN_MS = 60 * 60_000;
const IDLE_MS = 60_000;

/** `expected`: what must come, if not the size that Slack states decides. */
type SizedFile = SharedFile & { size: number; name: string; expected: WholeDownloads | null };

interface UploadClaim {
  slot: BulkSlot;
  /** The claims of its job since a try of it last ended. */
  attempts: number;
}

type TryContext = EngineContext & Pick<UploadClaim, 'attempts'>;

/**
 * Streams a Slack file into the service as an attachment, and records that it is there. Rejects with
 * what settleFailure settles.
 */
export async function upload(
  held: HeldTransfer,
  { slot, attempts }: UploadClaim,
  context: EngineContext,
): Promise<void> {
  const { ledger, clock } = context;
  const { transfer, claim } = held;
  const { id } = transfer;
  const tooOften = `the process died too often over transfer ${id}`;
  if (attempts - 1 > MAX_CRASHES) throw new PigeonholeError('ATTEMPTS_EXHAUSTED', tooOften);
  const file = await sizedFile(held, { ...context, attempts });
  if (file.name !== transfer.name) await ledger.noteFile(claim, { name: file.name });
  if (transfer.slackSize === null && file.size > LARGE_BYTES)
    return ledger.release(claim, { dueAt: clock.now(), slackSize: file.size });
  const begunAt = clock.now();
  const sent = send(held, { file, slot }, context);
  const { attachmentId, sentBytes, serviceTime } = await sent.catch(async (error: unknown) => {
    if (hasCode(error, 'SERVICE_BLOCKED')) await ensureOthersPass(held, begunAt, context);
    const isOfOtherSize = hasCode(error, 'SLACK_FILE_SIZE_MISMATCH');
    const isCounted = isOfOtherSize && (await countWhole(file, held, context));
    throw isCounted ? stillCounting(file) : error;
  });
  context.lastUpload.at = clock.now();
  const { projectId } = destinationOf(transfer);
  const uploaded = { projectId, attachmentId, byteSize: sentBytes, serviceTime };
  await ledger.markUploaded(claim, { ...uploaded, now: clock.now() });
  await hurryOthers(held, context);
  await probePassed('upload', context);
}

/**
 * Notes a whole download of another size. Resolves with whether there was one; without, the size that
 * Slack states keeps deciding.
 */
async function countWhole(
  file: SizedFile,
  { transfer, claim, signal }: HeldTransfer,
  { workspace, ledger, clock }: EngineContext,
): Promise<boolean> {
  const timedOut = () =>
    new SlackFileError('SLACK_FILE_UNAVAILABLE', `${file.id} comes too slowly`);
  const deadline = startDeadline({ clock, signal, timeoutMs: COUNTED_WITHIN_MS, timedOut });
  deadline.watchIdle(IDLE_MS);
  const read = workspace
    .download({ ...file, size: null }, deadline.signal)
    .then((opened) => readWhole(transfer.file, opened, { clock, onChunk: deadline.touch }));
  const whole = await read.catch(() => null).finally(deadline.stop);
  if (whole) await ledger.noteFile(claim, { file: { ...transfer.file, whole } });
  return whole !== null;
}

// Not as a wrong size, which is given up within minutes: three downloads may take longer.
function stillCounting({ id }: SharedFile): SlackFileError {
  const message = `${id} has another size than stated: further downloads are to show whether it stays`;
  return new SlackFileError('SLACK_FILE_UNAVAILABLE', message);
}

async function sizedFile(held: HeldTransfer, context: TryContext): Promise<SizedFile> {
  const { transfer } = held;
  const file = await readableFile(held, context);
  const expected = expectedDownload(transfer.file, context.clock.now());
  const size =
    expected?.bytes ?? file.size ?? transfer.slackSize ?? (await measure(file, held, context));
  // An event may hold only a file's identifier; the name then comes from Slack's file data.
  const wasNamed = transfer.file.name !== null || transfer.file.title !== null;
  return { ...file, size, name: wasNamed ? transfer.name : fileName(file), expected };
}

// The first try uses the event's data, if it has all; else Slack is asked for the current data.
async function readableFile(held: HeldTransfer, context: TryContext): Promise<SharedFile> {
  const { transfer } = held;
  const { workspace, attempts } = context;
  const { file, failures } = transfer;
  const first = assessFile(file);
  if (first instanceof SlackFileError && isFinal(first)) throw first;
  if (first === 'ready' && attempts <= 1 && failures === 0) return file;
  const fresh = await workspace.fileInfo(file).catch((error: unknown) => {
    if (first === 'ready' && mayDoWithout(transfer, error)) return file;
    // Slack does not know a file that was deleted, or that it keeps back.
    const isUnknown = hasCode(error, 'SLACK_FILE_NOT_FOUND');
    throw first instanceof SlackFileError && isUnknown ? first : error;
  });
  const second = assessFile(fresh);
  if (fresh.mode === 'email') await recordEmail(held, fresh, context);
  if (second instanceof SlackFileError) throw second;
  if (second === 'ready') return fresh;
  throw new SlackFileError('SLACK_FILE_UNAVAILABLE', `${file.id} is not ready at Slack`);
}

// What was shared as an identifier alone turned out to be an email: its attachments are files of the
// same share. Those that are recorded already stay as they are.
async function recordEmail(
  { transfer: { shareId, destination }, claim }: HeldTransfer,
  email: SharedFile,
  { ledger, workspace, clock }: EngineContext,
): Promise<void> {
  await ledger.noteFile(claim, { name: fileName(email) });
  const files = await workspace.attachmentsOf(email);
  const row = await ledger.findShareById(shareId);
  if (!row || files.length === 0) return;
  const { team, channel, ts, threadTs, userId, origin, reportId, savedBy } = row;
  const share = { team, channel, ts, threadTs, userId, files };
  const now = clock.now();
  await ledger.recordShare({ share, origin, destination, reportId, savedBy, now });
}

// Slack limits how often its data is asked for, and many files may be due at once after an outage.
function mayDoWithout({ problem }: Transfer, error: unknown): boolean {
  const isLimited = error instanceof SlackFileError && error.retryAfterMs !== undefined;
  return isLimited && !problem?.startsWith('SLACK_');
}

async function measure(
  file: SharedFile,
  held: HeldTransfer,
  context: EngineContext,
): Promise<number> {
  const { stream, size } = await context.workspace.download(file, held.signal);
  stream.destroy();
  return size;
}

async function send(
  { transfer, signal }: HeldTransfer,
  { file, slot }: { file: SizedFile; slot: BulkSlot },
  context: EngineContext,
) {
  const { ledger, service, workspace, clock, uploads } = context;
  if (file.size > SLOW_BYTES)
    await ledger.noteShareChanged(transfer.shareId, clock.now() + SLOW_MS);
  const open = async (ends: AbortSignal) => {
    const { expected } = file;
    const { stream } = await workspace.download(file, ends);
    await probePassed('download', context);
    const now = clock.now();
    const upload = { begunAt: now, movedAt: now, totalBytes: file.size, sentBytes: 0 };
    if (!ends.aborted) uploads.set(transfer.id, upload);
    return expected ? verified(file, { stream, expected }) : stream;
  };
  const source = {
    name: file.name,
    size: file.size,
    mimetype: file.mimetype ?? undefined,
    open,
    onProgress: (sentBytes: number) => {
      const upload = uploads.get(transfer.id);
      if (upload) Object.assign(upload, { sentBytes, movedAt: clock.now() });
    },
    onEnd: () => void uploads.delete(transfer.id),
  };
  const call = { lane: 'bulk', queue: transfer.queue, signal, slot } as const;
  return service.uploadFile(destinationOf(transfer).projectId, source, call);
}

/**
 * Resolves if an upload that was begun at `begunAt` was blocked because of its file: another upload
 * got through between two of its blocks, or its folder is gone. Else rejects with the ServiceError of
 * an outage: a firewall may block everything, or all uploads, however harmless they are.
 */
async function ensureOthersPass(
  held: HeldTransfer,
  begunAt: number,
  context: EngineContext,
): Promise<void> {
  const { transfer, signal } = held;
  const call = { lane: 'bulk', queue: transfer.queue, signal } as const;
  const listed = await orNull(context.service.peekFiles(destinationOf(transfer), call), isFinal);
  if (listed === null && (await isGone(held, context))) return;
  const { problem, failingSince } = transfer;
  const blockedSince = problem === 'SERVICE_BLOCKED' ? failingSince : null;
  const { at } = context.lastUpload;
  if (blockedSince !== null && blockedSince < at && at <= begunAt) return;
  const message = 'an upload was blocked, and none has got through since';
  throw new ServiceError('SERVICE_BLOCKED', message, { retry: 'later', sent: 'yes' });
}

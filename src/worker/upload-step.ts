import type { ErrorCode } from '../base/index.ts';
import type { Transfer } from '../ledger/index.ts';
import { assessFile, SlackFileError } from '../slack/index.ts';
import { fileName, type SharedFile } from '../transfers/index.ts';
import { bulkCall, type HeldTransfer, type TransferContext } from './transfer-context.ts';
import { destinationOf } from './transfer-parts.ts';

const LARGE_BYTES = 32 * 1024 * 1024;
/** From this size on an upload may take long enough to be told of while it lasts. */
const SLOW_BYTES = 4 * 1024 * 1024;
const SLOW_MS = 4_000;

/** What Slack may say otherwise later: somebody gave access, or another plan shows more. */
const MAY_CHANGE = new Set<ErrorCode>(['SLACK_FILE_DENIED', 'SLACK_FILE_HIDDEN']);

type SizedFile = SharedFile & { size: number; name: string };

/**
 * Streams a Slack file into the service as an attachment, and records that it is there. Answers
 * null when the transfer was handed back, as enough large files are on their way.
 */
export async function uploadStep(
  held: HeldTransfer,
  context: TransferContext,
): Promise<Transfer | null> {
  const file = await readableFile(held.transfer, context);
  const size = file.size ?? (await measure(file, held, context));
  const sized = { ...file, size, name: nameFor(held.transfer, file) };
  if (size <= LARGE_BYTES) return uploadSized(held, sized, context);
  const now = context.clock.now();
  const entry = context.largeFiles.enter(held.transfer, now);
  if ('comeBackInMs' in entry) {
    await context.ledger.releaseTransfer(held.claim, now + entry.comeBackInMs);
    return null;
  }
  try {
    return await uploadSized(held, sized, context);
  } finally {
    entry.leave();
  }
}

async function uploadSized(
  held: HeldTransfer,
  file: SizedFile,
  context: TransferContext,
): Promise<Transfer> {
  const { attachmentId, sentBytes, serviceTime } = await upload(held, file, context);
  await context.checkpoint('upload-answered', held.transfer.id);
  const uploaded = { attachmentId, byteSize: sentBytes, serviceTime, name: file.name };
  await context.ledger.markUploaded(held.claim, uploaded);
  await context.checkpoint('uploaded', held.transfer.id);
  return { ...held.transfer, state: 'uploaded', ...uploaded };
}

// An event may tell a file's identifier alone; its name is what Slack says when it is read.
function nameFor(transfer: Transfer, file: SharedFile): string {
  const wasNamed = transfer.file.name !== null || transfer.file.title !== null;
  return wasNamed ? transfer.name : fileName(file);
}

// What the event said is good for the first try; afterwards Slack is asked what it knows now.
async function readableFile(
  { file, attempts }: Transfer,
  { workspace }: TransferContext,
): Promise<SharedFile> {
  const first = assessFile(file);
  if (first instanceof SlackFileError && (attempts <= 1 || !MAY_CHANGE.has(first.code)))
    throw first;
  if (first === 'ready' && attempts <= 1) return file;
  const fresh = await workspace.fileInfo(file);
  const second = assessFile(fresh);
  if (second instanceof SlackFileError) throw second;
  if (second === 'ready') return fresh;
  throw new SlackFileError('SLACK_FILE_UNAVAILABLE', `${file.id} is not ready at Slack`);
}

async function measure(
  file: SharedFile,
  { signal }: HeldTransfer,
  { workspace }: TransferContext,
): Promise<number> {
  const { stream, size } = await workspace.download(file, signal);
  stream.on('error', () => undefined).destroy();
  return size;
}

async function upload(
  held: HeldTransfer,
  file: SizedFile,
  { ledger, service, workspace, clock, progress, checkpoint }: TransferContext,
) {
  const { transfer } = held;
  await checkpoint('uploading', transfer.id);
  if (file.size > SLOW_BYTES) await ledger.shareChanged(transfer.shareId, clock.now() + SLOW_MS);
  const { projectId } = destinationOf(transfer);
  const open = async (signal: AbortSignal) => {
    const { stream } = await workspace.download(file, signal);
    if (!signal.aborted) progress.begin(transfer.id, file.size);
    return stream;
  };
  const source = {
    name: file.name,
    size: file.size,
    mimetype: file.mimetype ?? undefined,
    open,
    onProgress: (sentBytes: number) => progress.moved(transfer.id, sentBytes),
    onEnd: () => progress.end(transfer.id),
  };
  return service.uploadFile(projectId, source, bulkCall(held));
}

import { askedToWaitMs, backoff, hasCode, isFinal, PigeonholeError } from '../base/index.ts';
import {
  eachFileOnce,
  emailIdOf,
  impliesDeleteConsent,
  isOnItsWay,
  isStillFiledAs,
  isWorthAnotherTry,
  may,
  oneFolder,
  ownerOf,
  type SharedFile,
} from '../core/index.ts';
import {
  type ClaimedRow,
  type DeletedFile,
  type DeletionRow,
  type FiledTransfer,
  isFiled,
  LedgerError,
  sentAs,
} from '../ledger/index.ts';
import { nameFolder, ServiceError } from '../service/index.ts';
import { mayBeRepeated, postPrivately, unlessRefused } from '../slack/index.ts';
import type { EngineContext } from './engine-context.ts';
import { type Handler, type HeldRow, rowJobs, whileSending } from './job.ts';

/**
 * Handles deletions that Slack reported, one at a time. Whether a file is deleted, Slack is asked
 * first: an event may be early or wrong. Files not sent to the service yet are left unfiled; a
 * deletion is due again while it is in doubt, while files are in progress, or while none is known and
 * a share of them may still come; for filed ones, the sharer is asked once, or the file records are
 * deleted too, if Slack says for certain that the files are. Both happen only if the sharer may
 * delete the files. Copies that others saved by hand stay.
 */
export function deleting(context: EngineContext): Handler {
  const jobs = rowJobs(context, {
    kind: 'deletion',
    concurrency: 1,
    // What it changes is shown in the lines of its files.
    run: (deletion) => handleDeletion(deletion, context).finally(context.wake),
    failed: (deletion, error) => retryDeletion(deletion, error, context),
  });
  return whileSending(context, jobs);
}

type HeldDeletion = HeldRow<ClaimedRow<'deletion'>>;

async function handleDeletion(deletion: HeldDeletion, context: EngineContext): Promise<void> {
  const { row, held } = deletion;
  const { ledger, clock } = context;
  const inDoubt = await ledger.deletedFiles(row);
  const file = inDoubt.find(({ transfer }) => transfer.slackFileId === row.what)?.transfer.file;
  const fateOf = fatesOf(context.workspace);
  if (file && (await fateOf(file)) === 'there') return leaveInDoubt(deletion, context);
  await ledger.refuseDeleted([row], clock.now());
  const files = await ledger.deletedFiles(row);
  // A message may have several shares, to several folders; its sharer is asked once about all.
  const byMessage = Map.groupBy(files, ({ message: { channel, ts }, transfer }) =>
    [channel, ts, transfer.userId].join('/'),
  );
  const errors: unknown[] = [];
  // The folder of one may fail for days, and must not keep the others from being seen to.
  for (const own of byMessage.values())
    await handleMessage(own, deletion, { ...context, fateOf }).catch((error: unknown) =>
      errors.push(error),
    );
  if (errors.length > 0) throw errors[0];
  const now = clock.now();
  const isUnknown = files.length === 0;
  if (isUnknown && now - row.deletedAt >= LATEST_SHARE_MS) await ledger.withdrawDeletion(held, row);
  const isOpen = isUnknown || files.some(({ transfer }) => isOnItsWay(transfer));
  const dueAt = now + (isUnknown ? UNKNOWN_AGAIN_MS : backoff(row.attempts, WAITS));
  // Changes nothing once the deletion is forgotten.
  await ledger.endJob(held, isOpen ? { dueAt, unfinished: true } : { dueAt: null });
}

/** Slack delivers events, of shares too, up to a day late: https://docs.slack.dev/apis/events-api */
const LATEST_SHARE_MS = 25 * 60 * 60_000;
/** The waits while a deletion's files are in progress, or after a failure. */
const WAITS = { firstMs: 5_000, longestMs: 10 * 60_000 };
/** Seldom, as there may be many: a night's retention policy deletes thousands of files. */
const UNKNOWN_AGAIN_MS = 100 * 60_000;

/** `unseen`: deleted, or where the app does not see it: Slack answers the same to both. */
type Fate = 'deleted' | 'unseen' | 'there';
type FateOf = (file: SharedFile) => Promise<Fate>;

/**
 * Returns the function that tells what Slack says became of a file, of an attachment: its email. It
 * asks once for each, and rejects if Slack does not say.
 */
function fatesOf({ fileInfo }: EngineContext['workspace']): FateOf {
  const asked = new Map<string, Promise<Fate>>();
  const ask = (file: SharedFile) =>
    fileInfo(file).then(({ mode }) => (mode === 'tombstone' ? 'deleted' : 'there'), fateBy);
  return (file) => {
    const id = emailIdOf(file.id);
    const answer = asked.get(id) ?? ask({ ...file, id });
    asked.set(id, answer);
    return answer;
  };
}

// https://docs.slack.dev/reference/methods/files.info
function fateBy(error: unknown): Fate {
  if (hasCode(error, 'SLACK_FILE_DELETED')) return 'deleted';
  if (hasCode(error, 'SLACK_FILE_NOT_FOUND')) return 'unseen';
  throw error;
}

// A file that is still there after a day was never deleted.
async function leaveInDoubt(
  { row, held }: HeldDeletion,
  { ledger, clock, logger }: EngineContext,
): Promise<void> {
  const now = clock.now();
  if (now - row.deletedAt < LATEST_SHARE_MS) {
    const dueAt = now + backoff(row.attempts, WAITS);
    return void (await ledger.endJob(held, { dueAt, unfinished: true }));
  }
  logger.warn({ what: row.what }, 'Slack reported a file as deleted that is still there');
  await ledger.withdrawDeletion(held);
}

async function retryDeletion(
  { row, held }: HeldDeletion,
  error: unknown,
  { ledger, clock, logger }: EngineContext,
): Promise<void> {
  if (error instanceof LedgerError) throw error;
  logger.warn(
    { what: row.what, error },
    'A deletion in Slack could not be handled, and is tried again',
  );
  const atLeastMs = askedToWaitMs(error) ?? 0;
  const dueAt = clock.now() + backoff(row.attempts, { ...WAITS, atLeastMs });
  await ledger.endJob(held, { dueAt, unfinished: true });
}

type FiledFile = DeletedFile & { transfer: FiledTransfer };

async function handleMessage(
  files: readonly DeletedFile[],
  deletion: HeldDeletion,
  context: EngineContext & { fateOf: FateOf },
): Promise<void> {
  const filed = files.filter((file): file is FiledFile => isFiled(file.transfer));
  const sharer = filed[0]?.transfer.userId ?? null;
  if (sharer === null || !(await mayDelete(sharer, context))) return;
  const follows = ({ withMessage, savedBy, transfer: { file } }: FiledFile) =>
    context.onSlackDelete === 'follow' &&
    impliesDeleteConsent({ withMessage, uploader: file.uploader, sharer, savedBy });
  const left: FiledFile[] = [];
  // A copy that somebody else saved by hand is that person's.
  const own = filed.filter(({ savedBy }) => ownerOf({ savedBy, userId: sharer }) === sharer);
  for (const one of own) {
    const { withMessage, transfer } = one;
    const isFollowed = follows(one);
    if (transfer.askedAt !== null && !isFollowed) continue;
    // The files of a deleted message may live on: then nothing is deleted without asking.
    const fate = isFollowed || !withMessage ? await context.fateOf(transfer.file) : 'unseen';
    const isDue = isFollowed && fate === 'deleted';
    if (isDue && (await deleteCopy(one, deletion, context))) continue;
    if (withMessage || fate !== 'there') left.push(one);
  }
  const open = left.filter(({ transfer }) => transfer.askedAt === null);
  if (open.length > 0) await askSharer(sharer, open, { ...deletion, ...context });
}

// Runs before markAsked, so that nothing is recorded as asked while Slack is unreachable.
async function mayDelete(sharer: string, { workspace }: EngineContext): Promise<boolean> {
  const actor = await unlessRefused(workspace.actor(sharer, null));
  return actor !== null && may(actor, 'delete-file', sharer);
}

/**
 * Deletes a filed copy; resolves with false, for one that stays, if its record is not what was filed
 * any more, or the service refuses for good or fails for days.
 */
async function deleteCopy(
  { transfer, message }: FiledFile,
  { row, held }: HeldDeletion,
  { ledger, service, folders, clock, logger }: EngineContext,
): Promise<boolean> {
  const { id, file, destination, recordId: record } = transfer;
  const { team, channel, ts } = message;
  const ids = { team, channel, ts, file: file.id, transfer: id, ...destination, record };
  const call = { lane: 'bulk', queue: transfer.queue, signal: held.signal } as const;
  try {
    const { record: found, certain } = await folders.find(destination, record, call);
    if (!found && !certain) throw unlisted(ids);
    if (found && !isStillFiledAs(sentAs(transfer), found)) {
      logger.warn(ids, 'A file that was deleted in Slack stays filed: it has changed since');
      return false;
    }
    if (found) await service.deleteFile(destination, record, call);
    await ledger.noteDeleted(destination, { number: record, now: clock.now() });
  } catch (error) {
    if (!isFinal(error) && isWorthRetrying(error, row, clock.now())) throw error;
    logger.warn({ ...ids, error }, 'A file that was deleted in Slack stays filed');
    return false;
  }
  await ledger.markDeleted(id, { deletedBy: null, now: clock.now() });
  logger.info(ids, 'A file was deleted, as it was in Slack');
  return true;
}

function unlisted({ record }: { record: number }): ServiceError {
  const message = `whether record ${record} is in its folder is not known: its list has not all files`;
  return new ServiceError('SERVICE_BAD_ANSWER', message, { retry: 'later', sent: 'no' });
}

// Some accounts answer so that it never shows whether the file is there.
function isWorthRetrying(error: unknown, { deletedAt }: DeletionRow, now: number): boolean {
  return (
    !(error instanceof PigeonholeError) || isWorthAnotherTry(error.code, { since: deletedAt, now })
  );
}

async function askSharer(
  userId: string,
  files: readonly FiledFile[],
  context: EngineContext & HeldDeletion,
): Promise<void> {
  const { ledger, clock, logger, held, row } = context;
  const asked = { transfers: files.map(({ transfer }) => transfer.id), now: clock.now() };
  const all = oneFolder(files.map(({ transfer }) => transfer.destination));
  const folder = all && files[0] ? await nameFolder(all, files[0].message, context) : null;
  const isNew = await ledger.markAsked(held, asked);
  const open = files.filter(({ transfer }) => isNew.has(transfer.id));
  const [first] = open;
  if (!first) return;
  const { channel, threadTs } = first.message;
  const named = eachFileOnce(open.map(({ transfer }) => transfer));
  const { shareId } = first.transfer;
  const question = (elsewhere?: string) => {
    const claim = { shareId, askedAt: asked.now, channel: elsewhere };
    return context.notices.ofDeleted({ claim, files: named, folder });
  };
  // The sharer usually is the member who deleted it, so was active then.
  const reader = { channel, userId, threadTs, seenAt: row.deletedAt };
  try {
    await postPrivately(reader, question, context);
  } catch (error) {
    if (mayBeRepeated(error)) {
      await ledger.unmarkAsked([...isNew]);
      throw error;
    }
    logger.warn({ channel, error }, 'A sharer could not be asked about a file deleted in Slack');
  }
}

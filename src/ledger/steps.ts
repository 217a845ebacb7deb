import { sql, type UpdateObject } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import {
  folderNumber,
  MAX_CREATES,
  type MessageRef,
  type SharedFile,
  STATES_BEFORE,
  type TransferState,
  toDestination,
} from '../core/index.ts';
import { isOfFolder } from './channels.ts';
import { type Claim, endJob, enqueue, lockIfHeld, whileHeld } from './jobs.ts';
import { leaseLost } from './ledger-error.ts';
import { noteShareChanged } from './messages.ts';
import { anyRow, atomically } from './run-statements.ts';
import type { Db, Tables } from './schema.ts';
import { dueAgain, NOT_SENT, ON_THEIR_WAY, reschedule } from './transfer.ts';

/** The columns that a step writes; without `state`, the state stays. */
type Step = UpdateObject<Tables, 'transfers'> & { state?: TransferState };

/** Why a transfer waits or was refused, for the people who wait for it. */
export interface Problem {
  code: ErrorCode;
  note: string | null;
}

/** The columns of a transfer that made progress. */
const MADE_PROGRESS = {
  failures: 0,
  failingSince: null,
  nextTryAt: null,
  problem: null,
  problemNote: null,
};

/**
 * The columns of a transfer that starts over. It counts as tried before, so that the worker asks
 * Slack for the file's current data.
 */
export const TRIED_AGAIN = { ...MADE_PROGRESS, failures: 1, leftInSlack: 0 };

/** The columns of a file left in Slack: if somebody has it filed later, it starts over. */
export const LEFT_IN_SLACK = {
  ...{ ...NOT_SENT, ...TRIED_AGAIN, state: 'parked' as const, refusedIn: null },
  leftInSlack: 1,
};

/** The columns of a filed transfer. */
export function filed(record: Step) {
  return { ...MADE_PROGRESS, ...record, earlier: null, state: 'filed' } as const;
}

/** The columns of a refused transfer. */
export function refused({ code, note }: Problem) {
  return { nextTryAt: null, state: 'refused', problem: code, problemNote: note } as const;
}

interface Uploaded {
  /** Of the project that it was uploaded to. */
  projectId: number;
  attachmentId: number;
  /** Bytes. */
  byteSize: number;
  /** The service's clock at the response; null when it stated none. */
  serviceTime: number | null;
  now: number;
}

/**
 * Records that the service has the bytes as an attachment. Ends the claim; its folder is due at once:
 * the one that the row names by now. If that is in another project, the attachment is of no use, and
 * the file is due for another upload. Every step rejects with LEASE_LOST when the claim is lost, or
 * somebody else has moved the transfer on.
 */
export function markUploaded(
  db: Db,
  claim: Claim,
  { projectId, now, ...upload }: Uploaded,
): Promise<void> {
  return atomically(db, async (trx) => {
    const transfer = `transfer ${claim.id}`;
    if (!(await endJob(trx, claim, { dueAt: null }))) throw leaseLost(transfer);
    const row = await trx
      .updateTable('transfers')
      .set({ ...MADE_PROGRESS, ...upload, uploadedAt: now, state: 'uploaded' })
      .where((eb) => eb.and({ id: claim.id, state: 'recorded', projectId }))
      .returning('folderId')
      .executeTakeFirst();
    if (row) {
      const key = folderNumber({ projectId, folderId: row.folderId ?? 0 });
      return enqueue(trx, { kind: 'folder', key, scope: key, dueAt: now });
    }
    const recorded = trx.selectFrom('transfers').select('id').where('state', '=', 'recorded');
    if (!(await anyRow(recorded.where('id', '=', claim.id)))) throw leaseLost(transfer);
    await reschedule(trx, [claim], { now });
  });
}

/** Records what became known of a transfer's file, or the name that it is filed under. */
export function noteFile(
  db: Db,
  claim: Claim,
  { file, name }: { file?: SharedFile; name?: string },
): Promise<void> {
  const known = {
    ...(file && { slackFile: JSON.stringify(file) }),
    ...(name !== undefined && { name }),
  };
  return whileHeld(db, claim, async (trx) => {
    await trx.updateTable('transfers').set(known).where('id', '=', claim.id).execute();
  });
}

interface Answered {
  /** Our clock at the response. */
  answeredAt: number;
  /** The service's clock at the response; null when it stated none. */
  serviceTime: number | null;
  /**
   * Why it was refused, in case it left no record; `batch`: its batch was refused, so that it is
   * created on its own. Default: it was not refused.
   */
  refusal?: Problem | 'batch' | null;
}

/**
 * Records an error response to the last create, which stays open until a list shows what it did.
 * After a refusal, the look is due at once, and nobody is notified before it.
 */
export async function markAnswered(
  db: Db,
  claim: Claim,
  { answeredAt, serviceTime, refusal = null }: Answered,
): Promise<void> {
  await step(db, claim, {
    state: 'creating',
    answeredAt,
    creates: sql`creates - 1`,
    ...(serviceTime !== null && { serviceTime }),
    ...(refusal && refusedAt(answeredAt, refusal)),
  });
}

function refusedAt(now: number, refusal: Problem | 'batch'): Step {
  const failingSince = sql<number>`coalesce(failing_since, cast(${now} as bigint))`;
  if (refusal === 'batch') return { nextTryAt: null, failingSince, alone: 1 };
  return { nextTryAt: null, failingSince, problem: refusal.code, problemNote: refusal.note };
}

/** Records that the last create was never sent; `creatingSince` still shows that it was announced. */
export async function markNotCreated(db: Db, claim: Claim): Promise<void> {
  await step(db, claim, { state: 'uploaded', creates: sql<number>`creates - 1` });
}

/**
 * Records that the create left no record and can leave none any more: it may be sent again. Before
 * its last create a file is set apart, as another of its batch may be what the service fails at.
 */
export async function markAbsent(db: Db, claim: Claim): Promise<void> {
  const alone = sql<number>`case when creates < ${MAX_CREATES - 1} then alone else 1 end`;
  await step(db, claim, { state: 'uploaded', alone, nextTryAt: null });
}

/**
 * Records a success response without a record: people are notified that the file is filed. The look
 * for the record is due at once.
 */
export async function markCreated(db: Db, claim: Claim, now: number): Promise<void> {
  await notifyingStep(db, claim, { changes: { ...MADE_PROGRESS, state: 'created' }, now });
}

/** Records that the attachment cannot be used: the file must be uploaded again, and is due for that. */
export function markNotUploaded(db: Db, claim: Claim, now: number): Promise<void> {
  return atomically(db, async (trx) => {
    await step(trx, claim, {
      state: 'recorded',
      attachmentId: null,
      uploadedAt: null,
      creatingSince: null,
      answeredAt: null,
      nextTryAt: null,
      // Counts as tried before, so that the worker asks Slack for the file's current data.
      failures: sql`case when failures = 0 then 1 else failures end`,
    });
    await reschedule(trx, [claim], { now });
  });
}

/** Records that a look found no earlier record: the file is uploaded in its turn. */
export function sendAfterLook(db: Db, claim: Claim, now: number): Promise<void> {
  return atomically(db, async (trx) => {
    await step(trx, claim, { earlier: null, nextTryAt: null });
    await reschedule(trx, [claim], { now, dueAt: dueAgain(now) });
  });
}

/** The record that a filed transfer has in its folder. */
export interface FiledAs {
  /** Null when it is unknown which record it is. */
  recordId: number | null;
  /** The name in the create's response. Default: null (unknown). */
  recordName?: string | null;
  /** Where people open it. Default: null (unknown). */
  recordUrl?: string | null;
  /** The service's user who created it. Default: null (unknown). */
  recordCreator?: number | null;
  /** Bytes, if they were not uploaded. Default: as the upload recorded. */
  byteSize?: number | null;
  now: number;
}

interface Filed extends FiledAs {
  claim: Claim;
}

/**
 * Records that a file is in its folder. Returns the message that shared it. Rejects with LEASE_LOST when
 * the claim is lost, and with LEDGER_CONFLICT when another transfer holds the record.
 */
export function markFiled(db: Db, { claim, now, ...record }: Filed): Promise<MessageRef> {
  return notifyingStep(db, claim, { changes: filed(record), now });
}

/** Records that the file cannot be filed. Ends the claim of an upload. Returns the message that shared it. */
export function markRefused(
  db: Db,
  claim: Claim,
  { problem, now }: { problem: Problem; now: number },
): Promise<MessageRef> {
  const isAsked = problem.code === 'FILED_BEFORE';
  // A Retry of it sends the file.
  const changes: Step = {
    ...{ ...refused(problem), refusedIn: sql`state` },
    ...(isAsked && { earlier: null }),
  };
  return notifyingStep(db, claim, { changes, now });
}

interface Postponement {
  /** Null: nothing to notify people of. */
  problem: Problem | null;
  /** When it is tried again. */
  dueAt: number;
  /** Since when it fails in this way. */
  failingSince: number;
  now: number;
}

/** Schedules the next try. Ends the claim of an upload, and leaves the state as it is. */
export async function postpone(
  db: Db,
  claim: Claim,
  { problem, dueAt, failingSince, now }: Postponement,
): Promise<void> {
  await atomically(db, async (trx) => {
    const changes: Step = {
      nextTryAt: dueAt,
      problem: problem?.code ?? null,
      problemNote: problem?.note ?? null,
      failures: sql<number>`failures + 1`,
      failingSince,
    };
    const row = await step(trx, claim, changes, { dueAt });
    if (problem) await noteShareChanged(trx, row.shareId, now);
  });
}

/**
 * Hands a claimed transfer back unused, due again at `dueAt`. Sets `slackSize`, if it is given. Does
 * nothing when the lease is lost.
 */
export async function release(
  db: Db,
  claim: Claim,
  { dueAt, ...changes }: { dueAt: number; slackSize?: number },
): Promise<void> {
  await atomically(db, async (trx) => {
    const job = await lockIfHeld(trx, claim.token);
    if (!job) return;
    const row = trx.updateTable('transfers').set({ nextTryAt: dueAt, ...changes });
    await row.where('id', '=', claim.id).where(ON_THEIR_WAY).execute();
    if (job.kind === 'upload') await endJob(trx, claim, { dueAt, unused: true });
  });
}

/**
 * Writes a step of a transfer under its claim. The step names the states that it may leave; an upload
 * that ends by it, unless it is due again, ends its claim.
 */
function step(db: Db, claim: Claim, changes: Step, end?: { dueAt: number }) {
  return whileHeld(db, claim, async (trx, { kind, key }) => {
    const update = fenced(trx, claim.id, changes);
    // A relink takes what waits in a folder, also while its job looks for it there.
    const own = kind === 'folder' ? update.where(isOfFolder(toDestination(key))) : update;
    const row = await own.executeTakeFirst();
    if (!row) throw leaseLost(`transfer ${claim.id}`);
    if (kind === 'upload') await endJob(trx, claim, end ?? { dueAt: null });
    return row;
  });
}

/** Fences a step by the states that may precede the new one; without one, the transfer is on its way. */
function fenced(db: Db, id: number, changes: Step) {
  const update = db.updateTable('transfers').set(changes).where('id', '=', id);
  const to: TransferState | undefined = changes.state;
  const inOrder = to ? update.where('state', 'in', STATES_BEFORE[to]) : update.where(ON_THEIR_WAY);
  // Without a create only as a record that was there before.
  const isSent = sql<boolean>`(state not in ('recorded', 'uploaded') or earlier is not null)`;
  return (to === 'filed' ? inOrder.where(isSent) : inOrder).returning('shareId');
}

function notifyingStep(
  db: Db,
  claim: Claim,
  { changes, now }: { changes: Step; now: number },
): Promise<MessageRef> {
  return atomically(db, async (trx) => {
    const { shareId } = await step(trx, claim, changes);
    return noteShareChanged(trx, shareId, now);
  });
}

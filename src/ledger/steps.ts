import { sql, type UpdateObject } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import {
  MAX_CREATES,
  type MessageRef,
  type SharedFile,
  STATES_BEFORE,
  type TransferState,
} from '../transfers/index.ts';
import { GATHER_BATCH_MS } from './claim-transfers.ts';
import { type Claim, held, heldBy } from './lease.ts';
import { leaseLost } from './ledger-error.ts';
import { changeTransfers, noteShareChanged } from './notifications.ts';
import { atomically, prepared } from './run-statements.ts';
import type { Db, Tables } from './schema.ts';
import { NOT_SENT, OF_OWN_SHARE, wakeTwins } from './transfer.ts';

/** The columns that a step writes; without `state`, the state stays. */
type Step = UpdateObject<Tables, 'transfers'> & { state?: TransferState };

/** Why a transfer waits or was refused, for the people who wait for it. */
export interface Problem {
  code: ErrorCode;
  note: string | null;
}

/** The columns of a transfer that made progress. */
const MADE_PROGRESS = {
  attempts: 0,
  failures: 0,
  failingSince: null,
  problem: null,
  problemNote: null,
};

/**
 * The columns of a transfer that starts over. It counts as tried before, so that the worker asks
 * Slack for the file's current data.
 */
export const TRIED_AGAIN = { ...MADE_PROGRESS, attempts: 1 };

/** The columns of a file left in Slack: if somebody has it filed later, it starts over. */
export const LEFT_IN_SLACK = {
  ...{ ...NOT_SENT, ...TRIED_AGAIN, state: 'parked' as const, refusedIn: null },
  ...{ dueAt: null, pausedAt: null },
};

/** The columns of a transfer that is done. */
const SETTLED = { dueAt: null, leaseToken: null };

/** The columns of a filed transfer. */
export function filed(record: Step) {
  return { ...MADE_PROGRESS, ...record, ...SETTLED, state: 'filed' } as const;
}

/** The columns of a refused transfer. */
export function refused({ code, note }: Problem) {
  return { ...SETTLED, state: 'refused', problem: code, problemNote: note } as const;
}

interface Uploaded {
  attachmentId: number;
  /** Bytes. */
  byteSize: number;
  serviceTime: number | null;
  now: number;
}

/**
 * Records that the service has the bytes as an attachment. Ends the claim; the create is due at
 * once, or GATHER_BATCH_MS later while others of its folder are being uploaded. Every step rejects
 * with LEASE_LOST when the claim is lost.
 */
export async function markUploaded(db: Db, claim: Claim, upload: Uploaded): Promise<void> {
  rowOf(claim, await toUploaded(db, { ...claim, ...upload }));
}

const toUploaded = prepared((db, { id, token, now, ...upload }: Claim & Uploaded) => {
  const gathers = sql<number>`cast(${now} as bigint) + case when exists (select 1 from transfers as other
    where other.lease_token is not null and other.state = 'recorded' and other.id <> transfers.id
      and other.project_id = transfers.project_id and other.folder_id = transfers.folder_id)
    then cast(${GATHER_BATCH_MS} as integer) else 0 end`;
  const end = { dueAt: gathers, leaseToken: null, uploadedAt: now };
  const changes = { ...MADE_PROGRESS, ...upload, ...end, state: 'uploaded' } as const;
  return fenced(db, { id, token }, changes).compile();
});

/** Records the name that Slack returned for a file whose event held only its identifier. */
export async function noteName(db: Db, claim: Claim, name: string): Promise<void> {
  await held(db, 'transfers', claim).set({ name }).execute();
}

/** Records what became known of a transfer's file. */
export async function noteFile(db: Db, claim: Claim, file: SharedFile): Promise<void> {
  await held(db, 'transfers', claim)
    .set({ slackFile: JSON.stringify(file) })
    .execute();
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
 * After a refusal, ends the claim: the look is due at once, and nobody is notified before it.
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
  const end = { dueAt: now, leaseToken: null, attempts: sql<number>`attempts - 1` };
  const failingSince = sql<number>`coalesce(failing_since, cast(${now} as bigint))`;
  if (refusal === 'batch') return { ...end, failingSince, alone: 1 };
  return { ...end, failingSince, problem: refusal.code, problemNote: refusal.note };
}

/**
 * Records that the last create was never sent; `creatingSince` still shows that it was announced.
 * Twins are not woken: they would fail the same way at once, and wake this one in turn.
 */
export async function markNotCreated(db: Db, claim: Claim): Promise<void> {
  await step(db, claim, { state: 'uploaded', creates: sql<number>`creates - 1` });
}

/**
 * Records that the create left no record and can leave none any more: it may be sent again. Before
 * its last create a file is set apart, as another of its batch may be what the service fails at.
 */
export async function markAbsent(db: Db, claim: Claim, now: number): Promise<void> {
  const alone = sql<number>`case when creates < ${MAX_CREATES - 1} then alone else 1 end`;
  await atomically(db, async (trx) => {
    await step(trx, claim, { state: 'uploaded', alone });
    await wakeTwins(trx, [claim.id], now);
  });
}

/**
 * Records a success response without a record: people are notified that the file is filed. Ends the
 * claim; the look for the record is due at once.
 */
export async function markCreated(db: Db, claim: Claim, now: number): Promise<void> {
  const end = { ...MADE_PROGRESS, dueAt: now, leaseToken: null };
  await notifyingStep(db, claim, { changes: { ...end, state: 'created' }, now });
}

/** Records that the attachment cannot be used: the file must be uploaded again. Ends the claim. */
export async function markNotUploaded(db: Db, claim: Claim, now: number): Promise<void> {
  await step(db, claim, {
    state: 'recorded',
    attachmentId: null,
    uploadedAt: null,
    creatingSince: null,
    answeredAt: null,
    // Counts as tried before, so that the worker asks Slack for the file's current data.
    attempts: 1,
    dueAt: now,
    leaseToken: null,
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

export interface Filed extends FiledAs {
  claim: Claim;
}

/**
 * Records that files are in their folders, all or none. Ends their claims. Returns the message that
 * shared each. Rejects with LEASE_LOST when a claim is lost, and with LEDGER_CONFLICT when another
 * transfer holds a record.
 */
export function markAllFiled(db: Db, inputs: readonly Filed[]): Promise<MessageRef[]> {
  const now = Math.max(...inputs.map((input) => input.now));
  return changeTransfers(db, now, async (trx) => {
    const transfers: { shareId: number }[] = [];
    for (const { claim, now: _, ...record } of inputs)
      transfers.push(rowOf(claim, await toFiled(trx, { ...claim, ...record })));
    const ids = inputs.map(({ claim }) => claim.id);
    await wakeTwins(trx, ids, now);
    return transfers;
  });
}

// Without an upload only as a record that was there before.
const toFiled = prepared((db, { id, token, ...record }: Claim & Omit<FiledAs, 'now'>) =>
  fenced(db, { id, token }, filed(record))
    .where(sql<boolean>`(state <> 'recorded' or earlier is not null)`)
    .compile(),
);

/**
 * Ends a `recorded` transfer whose file another transfer files: as a duplicate, or, if it was saved
 * by hand, by its deletion, so that the file can be saved again later. Rejects with LEASE_LOST.
 */
export async function dropTransfer(db: Db, claim: Claim, now: number): Promise<void> {
  const duplicate = { ...MADE_PROGRESS, ...SETTLED, state: 'duplicate' } as const;
  const dropped = await changeTransfers(db, now, async (trx) => {
    const kept = await fenced(trx, claim, duplicate).where(OF_OWN_SHARE).execute();
    const saved = trx.deleteFrom('transfers').where(heldBy(claim)).where('state', '=', 'recorded');
    return kept.length > 0 ? kept : saved.returning('shareId').execute();
  });
  if (dropped.length === 0) throw leaseLost(`transfer ${claim.id}`);
}

/** Records that the file cannot be filed. Ends the claim. Returns the message that shared it. */
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

/** Schedules the next try. Ends the claim and leaves the state as it is. */
export async function postpone(
  db: Db,
  claim: Claim,
  { problem, dueAt, failingSince, now }: Postponement,
): Promise<void> {
  await atomically(db, async (trx) => {
    const row = await step(trx, claim, {
      dueAt,
      leaseToken: null,
      problem: problem?.code ?? null,
      problemNote: problem?.note ?? null,
      failures: sql<number>`failures + 1`,
      failingSince,
    });
    if (problem) await noteShareChanged(trx, row.shareId, now);
  });
}

async function step(db: Db, claim: Claim, changes: Step) {
  return rowOf(claim, await fenced(db, claim, changes).execute());
}

/** Fences a step by its claim and by the states that may precede the new one. */
function fenced(db: Db, claim: Claim, changes: Step) {
  const update = held(db, 'transfers', claim).set(changes);
  const to: TransferState | undefined = changes.state;
  const inOrder = to ? update.where('state', 'in', STATES_BEFORE[to]) : update;
  return inOrder.returning(['shareId', 'state']);
}

function rowOf<Row>({ id }: Claim, [row]: readonly Row[]): Row {
  if (!row) throw leaseLost(`transfer ${id}`);
  return row;
}

function notifyingStep(
  db: Db,
  claim: Claim,
  { changes, now }: { changes: Step; now: number },
): Promise<MessageRef> {
  return atomically(db, async (trx) => {
    const row = await step(trx, claim, changes);
    if (row.state !== 'created') await wakeTwins(trx, [claim.id], now);
    return noteShareChanged(trx, row.shareId, now);
  });
}

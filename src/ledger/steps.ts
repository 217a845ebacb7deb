import { sql, type UpdateObject } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import { type MessageRef, statesBefore, type TransferState } from '../transfers/index.ts';
import { GATHER_BATCH_MS } from './claim-transfers.ts';
import { type Claim, heldBy, unused } from './lease.ts';
import { leaseLost } from './ledger-error.ts';
import { shareChanged } from './notifications.ts';
import type { Db, Tables, TransferRow } from './schema.ts';
import { atomically } from './shared-commits.ts';
import { NOT_SENT, wakeTwins } from './transfer.ts';

/** What a step writes; without a state it leaves the state as it is. */
type Step = UpdateObject<Tables, 'transfers'> & { state?: TransferState };

/** Why a transfer waits or was refused, for the people who wait for it. */
export interface Problem {
  code: ErrorCode;
  note: string | null;
}

/** The columns of a transfer that came on. */
export const GOOD = {
  attempts: 0,
  failures: 0,
  failingSince: null,
  problem: null,
  problemNote: null,
};

/**
 * The columns of one that is tried as if anew. Not the first time: Slack is asked what it knows of
 * its file now.
 */
export const TRIED_AGAIN = { ...GOOD, attempts: 1 };

/** The columns of one that is left in Slack: should somebody have it filed, it is tried as if anew. */
export const LEFT = {
  ...{ ...NOT_SENT, ...TRIED_AGAIN, state: 'parked' as const, refusedIn: null },
  ...{ dueAt: null, pausedAt: null, settledAt: null },
};

/** The columns of a transfer that is done. */
function settled(now: number) {
  return { settledAt: now, dueAt: null, leaseToken: null };
}

/** The columns of one that is filed. */
export function filed(record: Omit<FiledAs, 'now'>, now: number) {
  return { ...GOOD, ...record, ...settled(now), state: 'filed' } as const;
}

/** The columns of one that cannot be filed. */
export function refused({ code, note }: Problem, now: number) {
  return { ...settled(now), state: 'refused', problem: code, problemNote: note } as const;
}

export interface Uploaded {
  attachmentId: number;
  /** Bytes. */
  byteSize: number;
  serviceTime: number | null;
  now: number;
}

/**
 * The bytes are with the service as an attachment. Ends the claim: to be created at once, or a moment
 * later while others are on their way to its folder. Every step rejects with LEASE_LOST when the claim
 * is no longer held.
 */
export async function markUploaded(
  db: Db,
  claim: Claim,
  { now, ...upload }: Uploaded,
): Promise<void> {
  const gathers = sql<number>`cast(${now} as bigint) + case when exists (select 1 from transfers as other
    where other.lease_token is not null and other.state = 'recorded' and other.id <> transfers.id
      and other.project_id = transfers.project_id and other.folder_id = transfers.folder_id)
    then cast(${GATHER_BATCH_MS} as integer) else 0 end`;
  const end = { dueAt: gathers, leaseToken: null, uploadedAt: now };
  await step(db, claim, { ...GOOD, ...upload, ...end, state: 'uploaded' });
}

/** Slack said how large a file is when it was asked. Ends the claim, unused. */
export async function noteSize(
  db: Db,
  claim: Claim,
  { slackSize, now }: { slackSize: number; now: number },
): Promise<void> {
  await db
    .updateTable('transfers')
    .set({ slackSize, ...unused(now) })
    .where(heldBy(claim))
    .execute();
}

/** Slack said what a file is called when it was asked: its event had told its identifier alone. */
export async function noteName(db: Db, claim: Claim, name: string): Promise<void> {
  await db.updateTable('transfers').set({ name }).where(heldBy(claim)).execute();
}

export interface Answered {
  /** Our clock when the answer came. */
  answeredAt: number;
  /** The service's clock then; null when it told none. */
  serviceTime: number | null;
  /** Whether it was refused together with others, so that it is to be created by itself. */
  alone?: boolean;
}

/**
 * The create that was announced last was answered with an error: it stays open until a list of after
 * that shows what it did.
 */
export async function markAnswered(
  db: Db,
  claim: Claim,
  { answeredAt, serviceTime, alone = false }: Answered,
): Promise<void> {
  const creates = sql<number>`creates - 1`;
  const told = serviceTime === null ? {} : { serviceTime };
  const apart = alone ? { alone: 1 } : {};
  const changes = { answeredAt, creates, ...told, ...apart };
  await step(db, claim, { ...changes, state: 'creating' });
}

/** A create that was announced before is open, as if it were sent now. */
export async function markOpen(db: Db, claim: Claim, now: number): Promise<void> {
  await step(db, claim, { state: 'creating', creatingSince: now, answeredAt: null });
}

/**
 * The create that was announced last never left. That one was announced stays known: see
 * `creatingSince`. Twins are not woken: they would meet the same at once, and wake this one in turn.
 */
export async function markNotCreated(db: Db, claim: Claim): Promise<void> {
  await step(db, claim, { state: 'uploaded', creates: sql<number>`creates - 1` });
}

/** No record of the create was seen when it could not come any more: it may be sent again. */
export async function markAbsent(db: Db, claim: Claim, now: number): Promise<void> {
  await atomically(db, async (trx) => {
    const row = await step(trx, claim, { state: 'uploaded' });
    await wakeTwins(trx, row, now);
  });
}

/**
 * The create was answered with success, and not with its record: its people are told that it is filed.
 * Ends the claim: its record is to be looked for at once.
 */
export async function markCreated(db: Db, claim: Claim, now: number): Promise<void> {
  const end = { ...GOOD, dueAt: now, leaseToken: null };
  await notifyingStep(db, claim, { changes: { ...end, state: 'created' }, now });
}

/** The attachment is of no use any more: the file must be uploaded again. Ends the claim. */
export async function markNotUploaded(db: Db, claim: Claim, now: number): Promise<void> {
  await step(db, claim, {
    state: 'recorded',
    attachmentId: null,
    uploadedAt: null,
    creatingSince: null,
    answeredAt: null,
    // Not the first: what the event said of the file is of old, and Slack is asked.
    attempts: 1,
    dueAt: now,
    leaseToken: null,
  });
}

/** A record of a folder that a transfer is filed as. */
export interface FiledAs {
  /** Null for one that cannot be told. */
  recordId: number | null;
  /** Where people open it. Default: null, nobody knows. */
  recordUrl?: string | null;
  /** Who made it. Default: null, nobody knows. */
  recordCreator?: number | null;
  now: number;
}

/** The file is in the folder, as this record. Ends the claim. Returns the message that shared it. */
export function markFiled(db: Db, claim: Claim, { now, ...record }: FiledAs): Promise<MessageRef> {
  return notifyingStep(db, claim, { changes: filed(record, now), now });
}

/** Another transfer files the same: this one is no more, and its claim with it. */
export async function dropTransfer(db: Db, claim: Claim, now: number): Promise<void> {
  await atomically(db, async (trx) => {
    const row = await trx
      .deleteFrom('transfers')
      .where(heldBy(claim))
      .where('state', '=', 'recorded')
      .returning('shareId')
      .executeTakeFirst();
    if (!row) throw leaseLost(`transfer ${claim.id}`);
    await shareChanged(trx, row.shareId, now);
  });
}

/** It cannot be filed. Ends the claim. Returns the message that shared it. */
export function markRefused(
  db: Db,
  claim: Claim,
  { problem, now }: { problem: Problem; now: number },
): Promise<MessageRef> {
  const changes: Step = { ...refused(problem, now), refusedIn: sql`state` };
  return notifyingStep(db, claim, { changes, now });
}

export interface Postponement {
  /** Null: nothing to tell people of. */
  problem: Problem | null;
  /** When it is tried again. */
  dueAt: number;
  /** Since when it fails in this way. */
  failingSince: number;
  now: number;
  /** Nobody is notified yet: it may be through in a moment. */
  quiet?: boolean;
}

/** It is tried again later. Ends the claim and leaves the state as it is. */
export async function postpone(
  db: Db,
  claim: Claim,
  { problem, dueAt, failingSince, now, quiet = problem === null }: Postponement,
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
    if (!quiet) await shareChanged(trx, row.shareId, now);
  });
}

/** Every write of a step is fenced by the claim, and by the states that may come before. */
async function step(db: Db, claim: Claim, changes: Step): Promise<TransferRow> {
  let fenced = db.updateTable('transfers').set(changes).where(heldBy(claim));
  if (changes.state) fenced = fenced.where('state', 'in', statesBefore(changes.state));
  const row = await fenced.returningAll().executeTakeFirst();
  if (!row) throw leaseLost(`transfer ${claim.id}`);
  return row;
}

function notifyingStep(
  db: Db,
  claim: Claim,
  { changes, now }: { changes: Step; now: number },
): Promise<MessageRef> {
  return atomically(db, async (trx) => {
    const row = await step(trx, claim, changes);
    if (row.state !== 'created') await wakeTwins(trx, row, now);
    return shareChanged(trx, row.shareId, now);
  });
}

import { type Kysely, sql, type UpdateObject } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import { statesBefore, type TransferState } from '../transfers/index.ts';
import { leaseLost } from './ledger-error.ts';
import type { Tables } from './schema.ts';
import { shareChanged } from './tellings.ts';
import { type Claim, type Transfer, toTransfer } from './transfer.ts';

type Changes = UpdateObject<Tables, 'transfers'>;

/** Why a transfer waits or was refused, for the people who wait for it. */
export interface Problem {
  code: ErrorCode;
  note: string | null;
}

const GOOD: Changes = {
  failures: 0,
  losses: 0,
  failingSince: null,
  problem: null,
  problemNote: null,
};

/** Noted once: what an earlier create of this file leaves is newer, too. */
const LAST_RECORD = sql<number>`coalesce(last_record, (
  select max(held.record_id) from transfers as held
  where held.project_id = transfers.project_id and held.folder_id = transfers.folder_id
    and held.record_id is not null), 0)`;

export interface Uploaded {
  attachmentId: number;
  /** Bytes. */
  byteSize: number;
  serviceTime: number | null;
  /** What it was uploaded as, when that was not known before. */
  name?: string;
}

/** The bytes are with the service as an attachment. Every step rejects with LEASE_LOST when the claim is no longer held. */
export function markUploaded(db: Kysely<Tables>, claim: Claim, upload: Uploaded): Promise<void> {
  return quietStep(db, claim, 'uploaded', { ...GOOD, ...upload });
}

/**
 * The intent to create, written before the request is sent. LEDGER_CONFLICT while another transfer
 * of the same name and size is on its way into the folder, or was refused on the way: see holdsPlace.
 * Returns the transfer as it is then.
 */
export async function markCreating(
  db: Kysely<Tables>,
  claim: Claim,
  now: number,
): Promise<Transfer> {
  // Announced again in one go, the one before was shown to have had no effect.
  const creates = sql<number>`case when state = 'creating' then creates else creates + 1 end`;
  const changes = { creatingSince: now, answeredAt: null, creates, lastRecord: LAST_RECORD };
  return toTransfer(await step(db, claim, 'creating', changes));
}

export interface Refusal {
  /** Our clock when the answer came. */
  answeredAt: number;
  /** The service's clock then; null when it told none. */
  serviceTime: number | null;
}

/**
 * The create that was announced last was answered with an error: it stays open until a list of after
 * that shows what it did. Returns the transfer as it is then.
 */
export async function markAnswered(
  db: Kysely<Tables>,
  claim: Claim,
  { answeredAt, serviceTime }: Refusal,
): Promise<Transfer> {
  const creates = sql<number>`creates - 1`;
  const told = serviceTime === null ? {} : { serviceTime };
  return toTransfer(await step(db, claim, 'creating', { answeredAt, creates, ...told }));
}

/** A create that was announced before is open, as if it were sent now. */
export function markOpen(db: Kysely<Tables>, claim: Claim, now: number): Promise<void> {
  return quietStep(db, claim, 'creating', { creatingSince: now, answeredAt: null });
}

/** The create that was announced last never left. That one was announced stays known: see `creatingSince`. */
export function markNotCreated(db: Kysely<Tables>, claim: Claim): Promise<void> {
  return quietStep(db, claim, 'uploaded', { creates: sql<number>`creates - 1` });
}

/** No record of the create was seen when it could not come any more: it may be sent again. */
export function markAbsent(db: Kysely<Tables>, claim: Claim): Promise<void> {
  return quietStep(db, claim, 'uploaded', {});
}

/** The create was answered with success, and not with its record: its people are told that it is filed. */
export function markCreated(db: Kysely<Tables>, claim: Claim, now: number): Promise<void> {
  return tellingStep(db, claim, 'created', { changes: GOOD, now });
}

/** The attachment is of no use any more: the file must be uploaded again. */
export function markNotUploaded(db: Kysely<Tables>, claim: Claim): Promise<void> {
  return quietStep(db, claim, 'recorded', {
    attachmentId: null,
    creatingSince: null,
    answeredAt: null,
  });
}

/** The file is in the folder, as this record, or as one that cannot be told (null). Ends the claim. */
export function markFiled(
  db: Kysely<Tables>,
  claim: Claim,
  { recordId, now }: { recordId: number | null; now: number },
): Promise<void> {
  const end: Changes = { ...GOOD, recordId, settledAt: now, nextAt: null, leaseToken: null };
  return tellingStep(db, claim, 'filed', { changes: end, now });
}

/** It cannot be filed. Ends the claim. */
export function markRefused(
  db: Kysely<Tables>,
  claim: Claim,
  { problem, now }: { problem: Problem; now: number },
): Promise<void> {
  const end: Changes = {
    refusedIn: sql`state`,
    problem: problem.code,
    problemNote: problem.note,
    settledAt: now,
    nextAt: null,
    leaseToken: null,
  };
  return tellingStep(db, claim, 'refused', { changes: end, now });
}

export interface Postponement {
  problem: Problem;
  /** When it is tried again. */
  nextAt: number;
  /** Since when it fails in this way. */
  failingSince: number;
  now: number;
}

/** It is tried again later. Ends the claim and leaves the state as it is. */
export async function postpone(
  db: Kysely<Tables>,
  claim: Claim,
  { problem, nextAt, failingSince, now }: Postponement,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('transfers')
      .set((eb) => ({
        nextAt,
        leaseToken: null,
        problem: problem.code,
        problemNote: problem.note,
        failures: eb('failures', '+', 1),
        failingSince,
      }))
      .where('id', '=', claim.id)
      .where('leaseToken', '=', claim.token)
      .returning('shareId')
      .executeTakeFirst();
    if (!row) throw leaseLost(`transfer ${claim.id}`);
    await shareChanged(trx, row.shareId, now);
  });
}

async function quietStep(
  db: Kysely<Tables>,
  claim: Claim,
  to: TransferState,
  changes: Changes,
): Promise<void> {
  await step(db, claim, to, changes);
}

async function step(db: Kysely<Tables>, claim: Claim, to: TransferState, changes: Changes) {
  const row = await fenced(db, claim, to, changes).executeTakeFirst();
  if (!row) throw leaseLost(`transfer ${claim.id}`);
  return row;
}

async function tellingStep(
  db: Kysely<Tables>,
  claim: Claim,
  to: TransferState,
  { changes, now }: { changes: Changes; now: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { shareId } = await step(trx, claim, to, changes);
    await shareChanged(trx, shareId, now);
  });
}

function fenced(db: Kysely<Tables>, claim: Claim, to: TransferState, changes: Changes) {
  return db
    .updateTable('transfers')
    .set({ ...changes, state: to })
    .where('id', '=', claim.id)
    .where('leaseToken', '=', claim.token)
    .where('state', 'in', statesBefore(to))
    .returningAll();
}

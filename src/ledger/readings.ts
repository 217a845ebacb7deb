import { sql } from 'kysely';
import { type ChannelRef, confirmFirst } from './channels.ts';
import { type Claim, claimRow, heldBy, type Lease } from './lease.ts';
import { reportChanged, reportStopped } from './notifications.ts';
import { inChunks } from './rows.ts';
import { theRun } from './runs.ts';
import type { Db, ReadingRow } from './schema.ts';
import { atomically } from './shared-commits.ts';

/**
 * A channel's history that is to be read: a catch-up for the shares that no event brought, or a
 * backfill for what the channel held before it was linked. By one instance at a time: two that read
 * the same would report it twice.
 */
export type ReadingKind = 'catch-up' | 'backfill';

/** Claims a reading of this kind that is due. */
export function claimReading(
  db: Db,
  kind: ReadingKind,
  lease: Lease,
): Promise<ReadingRow | undefined> {
  return claimRow(db, 'readings', { kind, lease });
}

/** The reading of a backfill's report; undefined for other reports. */
export function findReading(db: Db, reportId: number): Promise<ReadingRow | undefined> {
  return db.selectFrom('readings').selectAll().where('reportId', '=', reportId).executeTakeFirst();
}

export interface CatchUp {
  team: string;
  /** The channels that may hold what no event brought. */
  channels: string[];
  /** Whether the bot is in no other channel. */
  all: boolean;
  /** Earlier than any message of now: channels that are new by the next time are read from here. */
  begunTs: string;
  now: number;
}

/** Channels are caught up from `ts` on, unless a process began before: it may have been cut off. */
export async function beginCatchUps(db: Db, ts: string): Promise<void> {
  await theRun(db).set({ awaySince: ts }).where('awaySince', 'is', null).execute();
}

/**
 * Has channels caught up: each is due at once, or again when it has been read. One that is new is read
 * from where all others were listed before; what it holds at the very first time is offered, not taken.
 */
export function requestCatchUp(
  db: Db,
  { team, channels, all, begunTs, now }: CatchUp,
): Promise<void> {
  return atomically(db, async (trx) => {
    const run = await trx.selectFrom('runs').select('awaySince').executeTakeFirst();
    const since = run?.awaySince ?? begunTs;
    const isFirst = since === begunTs;
    const rows: NewCatchUp[] = [];
    for (const channel of channels)
      if (!isFirst || !(await confirmFirst(trx, { team, channel }, begunTs)))
        rows.push({ team, channel, since, neededAt: now, dueAt: now });
    await inChunks(rows, (some) => insertCatchUps(trx, some));
    if (all || isFirst) await theRun(trx).set({ awaySince: begunTs }).execute();
  });
}

/**
 * The message after which a channel that has no confirmed one yet is caught up, or will be; null before
 * the channels were first listed.
 */
export async function catchUpSince(db: Db, { team, channel }: ChannelRef): Promise<string | null> {
  const row = await db
    .selectFrom('runs')
    .leftJoin('readings', (join) =>
      join.on('team', '=', team).on('channel', '=', channel).on('reportId', 'is', null),
    )
    .select((eb) => eb.fn.coalesce('since', 'awaySince').as('since'))
    .executeTakeFirst();
  return row?.since ?? null;
}

type NewCatchUp = ChannelRef & Pick<ReadingRow, 'since' | 'neededAt' | 'dueAt'>;

function insertCatchUps(trx: Db, rows: NewCatchUp[]) {
  return trx
    .insertInto('readings')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['team', 'channel'])
        .where('reportId', 'is', null)
        .doUpdateSet((eb) => ({
          neededAt: eb.ref('excluded.neededAt'),
          // What waits already keeps its place: a round may take longer than the time to the next.
          dueAt: sql<number>`case
            when readings.lease_token is not null or readings.due_at < excluded.needed_at
            then readings.due_at else excluded.needed_at end`,
        })),
    )
    .execute();
}

/**
 * A channel was read at `readAt`. Ends the claim; it is due again when it was asked for since, once where a
 * clock that was ahead did that.
 */
export async function finishCatchUp(
  db: Db,
  claim: Claim,
  { readAt, now }: { readAt: number; now: number },
): Promise<void> {
  const neededAt = sql<number>`case when needed_at > ${now} then cast(${now} as bigint) else needed_at end`;
  await ofClaim(db, claim)
    .set({
      leaseToken: null,
      attempts: 0,
      failures: 0,
      problem: null,
      neededAt,
      dueAt: sql<number>`case when needed_at > ${readAt} then ${neededAt} end`,
    })
    .execute();
}

/**
 * What came after `readTo` is in the ledger. False when the claim is lost: the reading was stopped, or
 * is another's.
 */
export async function markReadTo(
  db: Db,
  claim: Claim,
  { readTo, now }: { readTo: string; now: number },
): Promise<boolean> {
  const row = await ofClaim(db, claim)
    .set({ readTo, failures: 0, problem: null, attempts: 1 })
    .returning('reportId')
    .executeTakeFirst();
  if (row?.reportId) await reportChanged(db, row.reportId, now);
  return row !== undefined;
}

export interface FailedReading {
  /** Slack's word for its refusal, else an ErrorCode. */
  problem: string;
  /** When it is tried again; null for never: a backfill then ends, and what it found stays parked. */
  dueAt: number | null;
  now: number;
}

/** Ends a claim with a failure. */
export function failReading(
  db: Db,
  claim: Claim,
  { problem, dueAt, now }: FailedReading,
): Promise<void> {
  return atomically(db, async (trx) => {
    const row = await ofClaim(trx, claim)
      .set({ dueAt, leaseToken: null, problem, failures: sql<number>`failures + 1` })
      .returning('reportId')
      .executeTakeFirst();
    if (!row?.reportId) return;
    if (dueAt !== null) return reportChanged(trx, row.reportId, now);
    await reportStopped(trx, row.reportId, now);
  });
}

function ofClaim(db: Db, claim: Claim) {
  return db.updateTable('readings').where(heldBy(claim));
}

import { type Kysely, sql } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { Tables } from './schema.ts';
import { type Claim, type Transfer, toTransfer } from './transfer.ts';

export interface ClaimRequest {
  now: number;
  leaseUntil: number;
  token: string;
  /** Queues take turns: the next one after this, in their order; '' for the first. */
  afterQueue: string;
  /** Queues that have their fill of transfers in hand. */
  exceptQueues?: string[];
}

/**
 * Claims the transfer that has been due longest in the next queue, or null when none is due there.
 * The claim counts as an attempt, and as a loss when the claim before it ended without a word.
 */
export async function claimTransfer(
  db: Kysely<Tables>,
  dialect: Dialect,
  { now, leaseUntil, token, afterQueue, exceptQueues = [] }: ClaimRequest,
): Promise<Transfer | null> {
  const others =
    exceptQueues.length > 0 ? sql`and queue not in (${sql.join(exceptQueues)})` : sql``;
  const due = sql<number>`(
    select id from transfers
    where next_at <= ${now} and queue > ${afterQueue} ${others}
    order by queue, next_at, id limit 1 ${dialect.skipLocked})`;
  const row = await db
    .updateTable('transfers')
    .set((eb) => ({
      leaseToken: token,
      nextAt: leaseUntil,
      attempts: eb('attempts', '+', 1),
      losses: sql`losses + case when lease_token is null then 0 else 1 end`,
    }))
    .where('id', '=', due)
    .returningAll()
    .executeTakeFirst();
  return row ? toTransfer(row) : null;
}

/** When the next transfer comes due; null when none waits. */
export async function nextDue(db: Kysely<Tables>): Promise<number | null> {
  const row = await db
    .selectFrom('transfers')
    .select('nextAt')
    .where('nextAt', 'is not', null)
    .orderBy('nextAt')
    .limit(1)
    .executeTakeFirst();
  return row?.nextAt ?? null;
}

/** Makes due now what would be due only after `latest`: the clock went back since that was written. */
export async function bringForward(
  db: Kysely<Tables>,
  { now, latest }: { now: number; latest: number },
): Promise<void> {
  await db.updateTable('transfers').set({ nextAt: now }).where('nextAt', '>', latest).execute();
}

/** Moves the end of leases; answers the tokens that still held theirs. */
export async function renewLeases(
  db: Kysely<Tables>,
  tokens: string[],
  leaseUntil: number,
): Promise<Set<string>> {
  if (tokens.length === 0) return new Set();
  const rows = await db
    .updateTable('transfers')
    .set({ nextAt: leaseUntil })
    .where('leaseToken', 'in', tokens)
    .returning('leaseToken')
    .execute();
  return new Set(rows.flatMap((row) => row.leaseToken ?? []));
}

/** Hands a claim back unused: due at once, for any worker. A lost lease is no error here. */
export async function releaseTransfer(
  db: Kysely<Tables>,
  claim: Claim,
  nextAt: number,
): Promise<void> {
  await db
    .updateTable('transfers')
    .set((eb) => ({ leaseToken: null, nextAt, attempts: eb('attempts', '-', 1) }))
    .where('id', '=', claim.id)
    .where('leaseToken', '=', claim.token)
    .execute();
}

/** Ends all leases: right only at the start, when no other process can hold any. */
export async function endLeases(db: Kysely<Tables>, now: number): Promise<void> {
  await db
    .updateTable('transfers')
    .set({ nextAt: now })
    .where('leaseToken', 'is not', null)
    .execute();
}

/** How many transfers are not settled. */
export async function countActive(db: Kysely<Tables>): Promise<number> {
  const { count } = await db
    .selectFrom('transfers')
    .select(sql<number>`cast(count(*) as integer)`.as('count'))
    .where('nextAt', 'is not', null)
    .executeTakeFirstOrThrow();
  return count;
}

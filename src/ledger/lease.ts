import { type RawBuilder, type Selectable, sql } from 'kysely';
import { skipLocked } from './dialect.ts';
import type { Db, Tables } from './schema.ts';

/**
 * A row of these tables is a job. It is due from `dueAt` on; who claims it writes a token and moves
 * `dueAt` to the end of the lease, so that nobody else takes it before. Every later write names the
 * token, and finds nothing once the lease is another's. `attempts` counts the claims since the job
 * last came on: a claim that is handed back unused is not counted, one that a crash ended is.
 */
export type LeasedTable = 'transfers' | 'shares' | 'reports' | 'readings' | 'deletions' | 'watches';

/** What a claim writes into a row. */
export interface Lease {
  now: number;
  /** When it ends if nobody renews it. */
  until: number;
  /** Random, one a claim. */
  token: string;
}

/** What later writes are fenced by. */
export interface Claim {
  id: number;
  token: string;
}

/** The columns of a row that is claimed. */
export function leased({ token, until }: Lease) {
  return { leaseToken: token, dueAt: until, attempts: sql<number>`attempts + 1` };
}

/** The columns of a row whose claim ends without having been used: due again at `dueAt`. */
export function unused(dueAt: number) {
  return { leaseToken: null, dueAt, attempts: sql<number>`attempts - 1` };
}

/** The row of a claim, as the WHERE of a write: none once the lease is another's. */
export function heldBy({ id, token }: Claim): RawBuilder<boolean> {
  return sql<boolean>`(id = ${id} and lease_token = ${token})`;
}

/** The row that has been due longest, for a claim; `which` is a table and its WHERE, with `and` at the end. */
export function firstDue(db: Db, which: RawBuilder<unknown>, now: number) {
  return sql<number>`(select id from ${which} due_at <= ${now} and lease_token is null
    order by due_at limit 1 ${skipLocked(db)})`;
}

/** Claims the row that `id` finds, for what is claimed a row at a time; undefined for none. See firstDue. */
export async function claimRow<Table extends LeasedTable>(
  db: Db,
  table: Table,
  { id, lease }: { id: RawBuilder<number>; lease: Lease },
): Promise<Selectable<Tables[Table]> | undefined> {
  const { rows } = await sql<Selectable<Tables[Table]>>`update ${sql.table(table)}
    set lease_token = ${lease.token}, due_at = ${lease.until}, attempts = attempts + 1
    where id = ${id} returning *`.execute(db);
  return rows[0];
}

/** Moves the end of leases; returns the tokens that still hold theirs. */
export async function renewLeases(
  db: Db,
  table: LeasedTable,
  { tokens, until }: { tokens: string[]; until: number },
): Promise<Set<string>> {
  if (tokens.length === 0) return new Set();
  const rows = await db
    .updateTable(table)
    .set({ dueAt: until })
    .where('leaseToken', 'in', tokens)
    .returning('leaseToken')
    .execute();
  return new Set(rows.flatMap((row) => row.leaseToken ?? []));
}

/** Hands a claim back unused: due at `dueAt`, for anybody. A lost lease is no error here. */
export async function release(
  db: Db,
  table: LeasedTable,
  { claim, dueAt }: { claim: Claim; dueAt: number },
): Promise<void> {
  await db.updateTable(table).set(unused(dueAt)).where(heldBy(claim)).execute();
}

/**
 * Frees the rows whose leases have run out, or all of them where nobody else can hold any; returns
 * how many. The first few times they are due at once, then later each time, so that a job that kills
 * the process keeps no other from being done.
 */
export async function sweepLeases(
  db: Db,
  table: LeasedTable,
  { now, all = false }: { now: number; all?: boolean },
): Promise<number> {
  const dueAt = sql<number>`cast(${now} as bigint) + case when attempts <= 3 then 0
    when attempts > 77 then 600000 else attempts * attempts * 100 end`;
  let abandoned = db.updateTable(table).set({ leaseToken: null, dueAt });
  if (!all) abandoned = abandoned.where('dueAt', '<=', now);
  const rows = await abandoned
    .where('leaseToken', 'is not', null)
    .returning('leaseToken')
    .execute();
  return rows.length;
}

/** Makes due now what would be due only after `latest`: the clock went back since that was written. */
export async function bringForward(
  db: Db,
  table: LeasedTable,
  { now, latest }: { now: number; latest: number },
): Promise<void> {
  await db.updateTable(table).set({ dueAt: now }).where('dueAt', '>', latest).execute();
}

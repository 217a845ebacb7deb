import { type RawBuilder, sql } from 'kysely';
import { leaseLost } from './ledger-error.ts';
import {
  anyRow,
  atomically,
  countChanged,
  type Prepared,
  prepared,
  skipLocked,
} from './run-statements.ts';
import type {
  Db,
  DeletionRow,
  ReadingRow,
  ReportRow,
  ShareRow,
  TransferRow,
  WatchRow,
} from './schema.ts';
import { OPEN } from './transfer.ts';

/**
 * A row of these tables is a job. It is due from `dueAt` on; a claim writes a token and moves
 * `dueAt` to the end of the lease, so that nobody else claims it before. Every later write names
 * the token, and changes nothing once the lease is lost. `attempts` counts the claims since the job
 * last made progress: one handed back unused is not counted, one that a crash ended is.
 */
export type LeasedTable = 'transfers' | 'shares' | 'reports' | 'readings' | 'deletions' | 'watches';

/** What a claim writes into a row. */
export interface Lease {
  now: number;
  /** When the lease ends unless it is renewed. */
  until: number;
  /** Random; a new one for each claim. */
  token: string;
}

/** Identifies a claim; fences every later write. */
export interface Claim {
  id: number;
  token: string;
}

/** The columns that claim a row. */
export function leased({ token, until }: Lease) {
  return { leaseToken: token, dueAt: until, attempts: sql<number>`attempts + 1` };
}

/** The columns that end a claim whose job made progress. */
export const ENDED = { leaseToken: null, attempts: 0 };

/** The WHERE that selects a claim's row; it matches nothing once the lease is lost. */
export function heldBy({ id, token }: Claim): RawBuilder<boolean> {
  return sql<boolean>`(id = ${id} and lease_token = ${token})`;
}

/** Begins an update of a claim's row, which changes nothing once the lease is lost. */
export function held<Table extends LeasedTable>(
  db: Db,
  table: Table,
  claim: Claim,
): ReturnType<typeof db.updateTable<Table>>;
// Kysely cannot tell the columns of a table that is not known yet.
export function held(db: Db, table: LeasedTable, claim: Claim) {
  return db.updateTable(table).where(heldBy(claim));
}

/** Runs `run` in a transaction that locks a claimed row; rejects with LEASE_LOST if it is lost. */
export function whileHeld<T>(
  db: Db,
  { table, ...claim }: Claim & { table: LeasedTable },
  run: (trx: Db) => Promise<T>,
): Promise<T> {
  return atomically(db, async (trx) => {
    const locking = held(trx, table, claim).set({ leaseToken: claim.token });
    if (!(await anyRow(locking.returning('id')))) throw leaseLost(`${table} ${claim.id}`);
    return run(trx);
  });
}

/** The kinds of jobs but filing, and the row of each. */
export interface DueRows {
  looks: TransferRow;
  shares: ShareRow;
  reports: ReportRow;
  'catch-up': ReadingRow;
  backfill: ReadingRow;
  deletions: DeletionRow;
  watches: WatchRow;
}

export type DueKind = keyof DueRows;

const ANY = sql`true`;

/** A kind's table, when its next row is due, and the claim of its most due row. */
interface KindOfRows<Row> {
  table: LeasedTable;
  next: Prepared<object, { dueAt: number | null }>;
  claim: Prepared<Lease, Row>;
}

/** The WHEREs of each, in order of precedence; an index serves each. */
const KINDS: { [Kind in DueKind]: KindOfRows<DueRows[Kind]> } = {
  looks: rowsOf('transfers', OPEN),
  shares: rowsOf(
    'shares',
    // First shares without a reaction of ours, last those that a report covers.
    sql`reaction is null and report_id is null`,
    sql`report_id is null`,
    sql`report_id is not null`,
  ),
  reports: rowsOf('reports', ANY),
  // The unary plus makes SQLite use the index of the ORDER BY: the index by report needs a sort.
  'catch-up': rowsOf('readings', sql`+report_id is null`),
  backfill: rowsOf('readings', sql`report_id is not null`),
  deletions: rowsOf('deletions', ANY),
  watches: rowsOf('watches', ANY),
};

function rowsOf<Row>(table: LeasedTable, ...wheres: RawBuilder<unknown>[]): KindOfRows<Row> {
  const claim = prepared((db, { now, until, token }: Lease) => {
    const ids = wheres.map(
      (which) => sql`(select id from ${sql.table(table)} where ${which} and due_at <= ${now}
        and lease_token is null order by due_at limit 1 ${skipLocked(db)})`,
    );
    return sql<Row>`update ${sql.table(table)}
      set lease_token = ${token}, due_at = ${until}, attempts = attempts + 1
      where id = coalesce(${sql.join(ids)}, null) returning *`.compile(db);
  });
  const next = prepared((db) => {
    const firsts = wheres.map(
      (which) => sql`select (select due_at from ${sql.table(table)}
        where ${which} and due_at is not null order by due_at limit 1) as due_at`,
    );
    return sql<{ dueAt: number | null }>`select min(due_at) as due_at
      from (${sql.join(firsts, sql` union all `)}) as firsts`.compile(db);
  });
  return { table, next, claim };
}

/** Returns the table that holds the rows of a kind. */
export function tableOf(kind: DueKind): LeasedTable {
  return KINDS[kind].table;
}

/** Claims the row of a kind that has been due longest; undefined when none is due. */
export async function claimRow<Kind extends DueKind>(
  db: Db,
  kind: Kind,
  lease: Lease,
): Promise<DueRows[Kind] | undefined> {
  const [row] = await KINDS[kind].claim(db, lease);
  return row;
}

/** Returns when the next row of a kind comes due or its lease ends; null for none. */
export async function nextDue(db: Db, kind: DueKind): Promise<number | null> {
  const [next] = await KINDS[kind].next(db, {});
  return next?.dueAt ?? null;
}

/** Moves the end of leases to `until`; returns the tokens that still hold one. */
export async function renewLeases(
  db: Db,
  table: LeasedTable,
  { tokens, until }: { tokens: string[]; until: number },
): Promise<Set<string>> {
  if (tokens.length === 0) return new Set();
  // Their jobs may write the same rows together, in another order, which may end in a deadlock.
  const rows = await atomically(db, (trx) =>
    trx
      .updateTable(table)
      .set({ dueAt: until })
      .where('leaseToken', 'in', tokens)
      .returning('leaseToken')
      .execute(),
  );
  return new Set(rows.flatMap((row) => row.leaseToken ?? []));
}

/**
 * Hands a claim back unused, due again at `dueAt`. Sets `slackSize` of a transfer, if it is given.
 * Does nothing when the lease is lost.
 */
export async function release(
  db: Db,
  table: LeasedTable,
  { claim, ...changes }: { claim: Claim; dueAt: number; slackSize?: number },
): Promise<void> {
  await held(db, table, claim)
    .set({ leaseToken: null, attempts: sql<number>`attempts - 1`, ...changes })
    .execute();
}

/**
 * Ends a claim: the row is due again at `dueAt`, or done (null). Of an `unfinished` job, the claim
 * goes on counting. Does nothing when the lease is lost.
 */
export async function endClaim(
  db: Db,
  table: 'deletions' | 'watches',
  { claim, dueAt, unfinished }: { claim: Claim; dueAt: number | null; unfinished?: boolean },
): Promise<void> {
  const end = unfinished ? { leaseToken: null } : ENDED;
  await held(db, table, claim)
    .set({ ...end, dueAt })
    .execute();
}

/**
 * Frees the rows whose leases have expired, or with `all` every leased row; returns how many. A row
 * is due at once after its first three claims, then later with each claim (at most 10 minutes), so
 * that a job that kills the process does not keep the others from being done.
 */
export function sweepLeases(
  db: Db,
  table: LeasedTable,
  { now, all = false }: { now: number; all?: boolean },
): Promise<number> {
  const dueAt = sql<number>`cast(${now} as bigint) + case when attempts <= 3 then 0
    when attempts > 77 then 600000 else attempts * attempts * 100 end`;
  const isOver = all ? sql`` : sql`and due_at <= ${now}`;
  const abandoned = unlocked(db, table, sql`lease_token is not null ${isOver}`);
  return countChanged(db.updateTable(table).set({ leaseToken: null, dueAt }).where(abandoned));
}

// Skips rows that another instance is writing: that instance may be frozen.
function unlocked(db: Db, table: LeasedTable, which: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`id in (select id from ${sql.table(table)} where ${which} ${skipLocked(db)})`;
}

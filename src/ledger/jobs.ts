import { type RawBuilder, sql } from 'kysely';
import { leaseLost } from './ledger-error.ts';
import { atomically, countChanged, locked, shared, skipLocked } from './run-statements.ts';
import type { Db, JobKey, JobKind, JobRow } from './schema.ts';

/*
 * A job is something to be done for an entity. It is due from `dueAt` on; a claim writes a token and
 * moves `dueAt` to the end of the lease, so that nobody else claims it before. A run writes only in
 * transactions that lock its job by the token, or end it: see whileHeld and endJob. The token separates
 * the runs of one job; what others may change meanwhile is fenced by the entity's state. `attempts`
 * counts the claims since the job last made progress: one handed back unused is not counted, one that a
 * crash ended is. While a hold of its scope stands, a free job has no due time, and keeps the time that
 * it wants in `againAt`.
 */

/** What a claim writes into a job. */
export interface Lease {
  now: number;
  /** When the lease ends unless it is renewed. */
  until: number;
  /** Random; a new one for each claim. */
  token: string;
}

/** Identifies a claim of a job: fences every later write. */
export type JobClaim = Pick<Lease, 'token'>;

/** Identifies a claim of a job that sees to transfers, for one of them. */
export interface Claim extends JobClaim {
  /** The transfer. */
  id: number;
}

/** The queue of kinds that take no turns. */
export const NO_QUEUE = '-';

interface NewJob extends JobKey {
  /** The destination that it needs, as `folderNumber` writes it. Default: none. */
  scope?: string | null;
  /** Default: NO_QUEUE. */
  queue?: string;
  dueAt: number;
}

/**
 * Whether a hold of the scope stands. Its end waits for this transaction, or this one for that: no job is
 * left without a due time.
 */
function isHeld(db: Db, scope: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`((select holds.scope from holds where holds.scope = ${scope} ${shared(db)}) is not null)`;
}

/**
 * Makes a job due, at the earlier of this time and its own. One that runs is due again when it ends
 * (see endJob), one under a hold when that ends.
 */
export async function enqueue(db: Db, job: NewJob): Promise<void> {
  const { kind, key, scope = null, queue = NO_QUEUE, dueAt } = job;
  await enqueueAll(
    db,
    sql`select cast(${kind} as text), cast(${key} as text), cast(${scope} as text),
      cast(${queue} as text), cast(${dueAt} as bigint)`,
  );
}

const WANTED = sql`coalesce(excluded.due_at, excluded.again_at)`;
const OWN = sql`coalesce(jobs.due_at, jobs.again_at)`;
const EARLIER = sql`case when ${OWN} < ${WANTED} then ${OWN} else ${WANTED} end`;

/** Does the same for the jobs that `rows` selects: kind, key, scope, queue and due time. */
export async function enqueueAll(db: Db, rows: RawBuilder<unknown>): Promise<void> {
  // The WHERE keeps SQLite from taking the conflict's ON for a join's.
  await sql`with wanted (kind, key, scope, queue, at) as (${rows})
    insert into jobs (kind, key, scope, queue, due_at, again_at)
    select kind, key, scope, queue, case when not held then at end, case when held then at end
    from (select wanted.*, ${isHeld(db, sql`wanted.scope`)} as held from wanted) as asked
    where true
    on conflict (kind, key) do update set scope = excluded.scope, queue = excluded.queue,
      due_at = case when jobs.lease_token is not null then jobs.due_at
        when excluded.due_at is not null then ${EARLIER} end,
      again_at = case when jobs.lease_token is not null and jobs.again_at < ${WANTED}
        then jobs.again_at when jobs.lease_token is not null then ${WANTED}
        when excluded.due_at is null then ${EARLIER} end`.execute(db);
}

export interface Asked {
  /** Takes only what has been due since this time. Default: now. */
  dueBy?: number;
  /** Takes from the first of these queues that has a job due. Default: they take turns. */
  queues?: readonly string[];
  /** The queue whose turn goes on: if it has a job due, that is taken. Default: none. */
  sameQueue?: string;
  /** Queues take turns: takes the next one after this, in text order. Default: the first. */
  afterQueue?: string;
  /** A condition on `jobs` besides. Default: none. */
  which?: RawBuilder<unknown>;
}

/** Claims a kind's job that is due, the longest in its queue; undefined for none. */
export async function claimJob(
  db: Db,
  kind: JobKind,
  { now, until, token, dueBy = now, ...asked }: Lease & Asked,
): Promise<JobRow | undefined> {
  const { queues, sameQueue = '', afterQueue = '', which = sql`true` } = asked;
  // SQLite plans a sorted query anew at each run if it compares a column with a bare parameter for
  // equality, which takes several times as long as the run: hence the literal and the cast.
  const isDue = sql`kind = ${sql.lit(kind)} and lease_token is null and due_at is not null and ${which}`;
  const first = (turn: RawBuilder<unknown>) => sql`(select key from jobs
    where ${isDue} and ${turn} order by queue, due_at, key limit 1 ${skipLocked(db)})`;
  const inQueue = (queue: string) =>
    first(sql`queue = cast(${queue} as text) and due_at <= ${dueBy}`);
  // The unary plus makes SQLite use the index of the ORDER BY: the index by due_at needs a sort.
  const after = (queue: string) => first(sql`queue > ${queue} and +due_at <= ${dueBy}`);
  const turns = queues
    ? queues.map(inQueue)
    : [
        ...(sameQueue === '' ? [] : [inQueue(sameQueue)]),
        after(afterQueue),
        ...(afterQueue === '' ? [] : [after('')]),
      ];
  const { rows } = await sql<JobRow>`update jobs
    set lease_token = ${token}, due_at = ${until}, attempts = attempts + 1
    where kind = ${kind} and key = coalesce(${sql.join(turns)}, null) returning *`.execute(db);
  return rows[0];
}

/** Returns when the next job of a kind comes due or its lease ends; null for none. */
export async function nextDue(db: Db, kind: JobKind): Promise<number | null> {
  const { rows } = await sql<Pick<JobRow, 'dueAt'>>`select due_at from jobs
    where kind = ${sql.lit(kind)} and due_at is not null order by due_at limit 1`.execute(db);
  return rows[0]?.dueAt ?? null;
}

/** Moves the end of leases to `until`; returns the tokens that still hold one. */
export async function renewLeases(
  db: Db,
  { tokens, until }: { tokens: string[]; until: number },
): Promise<Set<string>> {
  if (tokens.length === 0) return new Set();
  // Their jobs may write the same rows together, in another order, which may end in a deadlock.
  const rows = await atomically(db, (trx) =>
    trx
      .updateTable('jobs')
      .set({ dueAt: until })
      .where('leaseToken', 'in', tokens)
      .returning('leaseToken')
      .execute(),
  );
  return new Set(rows.flatMap((row) => row.leaseToken ?? []));
}

/**
 * Locks the job that a token holds until the transaction ends, and returns it; undefined if the lease
 * is lost.
 */
export async function lockIfHeld(trx: Db, token: string): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`select * from jobs where lease_token = ${token}
    ${locked(trx, 'jobs')}`.execute(trx);
  return rows[0];
}

/** Runs `run` in a transaction that locks the claim's job; rejects with LEASE_LOST if it is lost. */
export function whileHeld<T>(
  db: Db,
  { token }: JobClaim,
  run: (trx: Db, job: JobRow) => Promise<T>,
): Promise<T> {
  return atomically(db, async (trx) => {
    const job = await lockIfHeld(trx, token);
    if (!job) throw leaseLost(`a job of ${token}`);
    return run(trx, job);
  });
}

interface End {
  /** When the job is due again; null: it is done. */
  dueAt: number | null;
  /** Whether the claim goes on counting. Default: the job made progress. */
  unfinished?: boolean;
  /** Whether it is handed back unused: earlier claims go on counting. */
  unused?: boolean;
}

/**
 * Ends a claim: the job is due again at `dueAt` or, if it was enqueued meanwhile, then, whichever is
 * earlier; without either it is gone. Resolves with the job as it was; undefined, with nothing done,
 * when the lease is lost.
 */
export function endJob(
  db: Db,
  { token }: JobClaim,
  { dueAt, unfinished = false, unused = false }: End,
): Promise<JobRow | undefined> {
  return atomically(db, async (trx) => {
    const done = dueAt === null ? await deleteJob(trx, token) : undefined;
    if (done) return done;
    const job = await lockIfHeld(trx, token);
    if (!job) return undefined;
    const next = Math.min(dueAt ?? Infinity, job.againAt ?? Infinity);
    const due = dueUnlessHeld(trx, sql`cast(${next} as bigint)`);
    const attempts = unused ? job.attempts - 1 : unfinished ? job.attempts : 0;
    const free = { leaseToken: null, ...due, attempts };
    await trx.updateTable('jobs').set(free).where('leaseToken', '=', token).execute();
    return job;
  });
}

/** Deletes the job that a token holds, unless it was enqueued meanwhile. */
async function deleteJob(trx: Db, token: string): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`delete from jobs
    where lease_token = ${token} and again_at is null returning *`.execute(trx);
  return rows[0];
}

/** The columns of a free job that is to be due then. */
function dueUnlessHeld(db: Db, at: RawBuilder<number>) {
  const held = isHeld(db, sql`jobs.scope`);
  return {
    dueAt: sql<number | null>`case when ${held} then null else ${at} end`,
    againAt: sql<number | null>`case when ${held} then ${at} end`,
  };
}

/** Removes jobs, whether they are claimed or not: their runs lose their leases. */
export async function dropJobs(db: Db, kind: JobKind, keys: RawBuilder<unknown>): Promise<void> {
  await sql`delete from jobs where kind = ${kind} and key in (${keys})`.execute(db);
}

/**
 * Frees the jobs of these kinds whose leases have expired, or with `all` every leased one; returns how
 * many. A job is due at once after its first three claims, then later with each claim (at most 10
 * minutes), so that one that kills the process does not keep the others from being done.
 */
export function sweepLeases(
  db: Db,
  kinds: readonly JobKind[],
  { now, all = false }: { now: number; all?: boolean },
): Promise<number> {
  const dueAt = sql<number>`cast(${now} as bigint) + case when attempts <= 3 then 0
    when attempts > 77 then 600000 else attempts * attempts * 100 end`;
  const isOver = all ? sql`true` : sql`+due_at <= ${now}`;
  // The unary plus and the empty text have SQLite read what is claimed, not all that is due.
  const abandoned = sql`lease_token is not null and ${isOver} and kind || '' in (${sql.join(kinds)})`;
  // The end of a hold locks that before its jobs, in another order, which may end in a deadlock.
  return atomically(db, (trx) => {
    const free = trx.updateTable('jobs').set({ leaseToken: null, ...dueUnlessHeld(trx, dueAt) });
    return countChanged(free.where(unlocked(trx, abandoned)));
  });
}

/** Takes the due times of the free jobs of a scope that is held from now on. */
export async function holdJobs(db: Db, scope: string): Promise<void> {
  const free = sql`scope = ${scope} and lease_token is null and due_at is not null`;
  await db
    .updateTable('jobs')
    .set({ againAt: sql`due_at`, dueAt: null })
    .where(unlocked(db, free))
    .execute();
}

/**
 * Gives the jobs that no hold keeps any more their due times back; those without one are due `now`.
 * Returns how many. `waits`: also those that others are writing.
 */
export function resumeJobs(
  db: Db,
  { now, waits = false }: { now: number; waits?: boolean },
): Promise<number> {
  const dueAt = sql<number>`coalesce(again_at, cast(${now} as bigint))`;
  const which = sql<boolean>`(due_at is null and not exists (select 1 from holds
    where holds.scope = jobs.scope))`;
  const left = waits ? which : unlocked(db, which);
  return countChanged(db.updateTable('jobs').set({ dueAt, againAt: null }).where(left));
}

// Skips rows that another instance is writing: that instance may be frozen.
function unlocked(db: Db, which: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(kind, key) in (select kind, key from jobs where ${which} ${skipLocked(db)})`;
}

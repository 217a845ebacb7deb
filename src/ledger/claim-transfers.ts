import { sql } from 'kysely';
import { type Destination, type Hold, KEY, SLACK_FILES, toDestination } from '../core/index.ts';
import { isOfFolder } from './channels.ts';
import { claimProbe, listHolds } from './holds.ts';
import { type Asked, claimJob, endJob, type Lease, whileHeld } from './jobs.ts';
import { atomically, countOf } from './run-statements.ts';
import type { Db } from './schema.ts';
import {
  findTransfers,
  inFolder,
  ON_THEIR_WAY,
  REFUSED_UNCLEAR,
  SOUGHT,
  selectTransfers,
  type Transfer,
  toTransfer,
} from './transfer.ts';

/** Most files to look for before they are sent that one look covers: each holds a row in memory. */
const MAX_SOUGHT = 500;
/** The longest that a folder waits for uploads before it, in milliseconds. */
const OVERDUE_MS = 10_000;

interface WantedFiles {
  /** The largest Slack file to take, in bytes: larger ones wait; null for any size. */
  largest: number | null;
}

/** The work of filing that comes due next. */
export interface DueTransfer {
  dueAt: number;
  /** The bytes of its upload; 0 for a create, null while Slack has not stated the size. */
  slackSize: number | null;
}

/** Returns the upload, folder or probe that is due first, now or later; null for none. */
export async function nextFiling(db: Db, { largest }: WantedFiles): Promise<DueTransfer | null> {
  const { rows } =
    await sql<DueTransfer>`select * from (select * from (select jobs.due_at, slack_size from jobs
      join transfers on transfers.id = cast(jobs.key as bigint)
      where kind = ${unlessHeld('upload')} and due_at is not null and ${fits(largest)}
      order by jobs.due_at limit 1) as upload
    union all select * from (select due_at, 0 as slack_size from jobs
      where kind = ${unlessHeld('folder')} and due_at is not null order by due_at limit 1) as folder
    union all select * from (select due_at, 0 as slack_size from jobs
      where kind = 'hold' and due_at is not null order by due_at limit 1) as probe) as next
    order by due_at limit 1`.execute(db);
  return rows[0] ?? null;
}

/** The holds that stop all jobs of a kind. */
const STOPPED_BY = { upload: [KEY, SLACK_FILES], folder: [KEY] };

// An unknown kind, unlike a condition, keeps SQLite from reading all its rows.
function unlessHeld(kind: keyof typeof STOPPED_BY) {
  const scopes = sql.join(STOPPED_BY[kind].map((scope) => sql.lit(scope)));
  return sql`(select case when exists (select 1 from holds where scope in (${scopes}))
    then '' else ${sql.lit(kind)} end)`;
}

function fits(largest: number | null) {
  return sql`coalesce(slack_size <= cast(${largest} as bigint), true)`;
}

interface Claimed {
  attempts: number;
  /** The hold that it is the probe of; null for none. */
  probe: Hold | null;
}

/** A claimed upload, or a folder whose attachments are to be created or looked for. */
export type ClaimedFiling = Claimed &
  (
    | { kind: 'upload'; queue: string; transfer: Transfer }
    | { kind: 'folder'; destination: Destination }
  );

/**
 * Claims the work that has been due longest: the probe of a hold, or a folder that has been due for long,
 * or an upload in the next queue's turn, or another folder. Null when nothing is due. `scale`: the factor
 * by which the waits before probes are multiplied, by default 1.
 */
export function claimFiling(
  db: Db,
  {
    afterQueue = '',
    sameQueue = '',
    largest,
    scale = 1,
    ...lease
  }: Lease & Pick<Asked, 'afterQueue' | 'sameQueue'> & WantedFiles & { scale?: number },
): Promise<ClaimedFiling | null> {
  return atomically(db, async (trx) => {
    const which =
      largest === null
        ? sql`true`
        : sql`exists (select 1 from transfers where id = cast(jobs.key as bigint) and ${fits(largest)})`;
    const holds = await listHolds(trx);
    const probe = holds.length === 0 ? null : await claimProbe(trx, { ...lease, scale });
    const claim = async (kind: keyof typeof STOPPED_BY, asked: Partial<Asked> = {}) =>
      holds.some(({ scope }) => STOPPED_BY[kind].includes(scope))
        ? undefined
        : claimJob(trx, kind, { ...lease, ...asked });
    const job =
      probe?.job ??
      // Otherwise a long queue would upload all its files before it creates the first.
      (await claim('folder', { dueBy: lease.now - OVERDUE_MS })) ??
      (await claim('upload', { afterQueue, sameQueue, which })) ??
      (await claim('folder'));
    if (!job) return null;
    const { attempts, queue } = job;
    const claimed = { attempts, probe: probe?.hold ?? null };
    if (job.kind === 'folder')
      return { ...claimed, kind: 'folder', destination: toDestination(job.key) };
    const row = selectTransfers(trx).where((eb) =>
      eb.and({ id: Number(job.key), state: 'recorded' }),
    );
    const [transfer] = await findTransfers(row);
    if (!transfer) {
      await endJob(trx, lease, { dueAt: null });
      return claimFiling(trx, { afterQueue, sameQueue, largest, scale, ...lease });
    }
    return { ...claimed, kind: 'upload', queue, transfer };
  });
}

/**
 * Returns what a folder's job decides on, in the order in which it was recorded: the attachments to
 * create, the transfers whose record is unknown, and of those that are looked for before they are sent,
 * MAX_SOUGHT that are due first, earliest messages first.
 */
export async function unfiledIn(db: Db, folder: Destination): Promise<Transfer[]> {
  const open = inFolder(db, folder)
    .where(sql<boolean>`state in ('uploaded', 'creating', 'created')`)
    .where(sql<boolean>`not ${SOUGHT}`);
  const unclear = inFolder(db, folder).where(REFUSED_UNCLEAR);
  const sought = db
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .select('transfers.id')
    .where(SOUGHT)
    .where(isOfFolder(folder))
    .orderBy(sql`coalesce(next_try_at, 0)`)
    .orderBy('shares.ts')
    .orderBy('transfers.id')
    .limit(sql.lit(MAX_SOUGHT));
  const first = selectTransfers(db).where('id', 'in', sought);
  const found = await findTransfers(open.unionAll(unclear).unionAll(first));
  return found.toSorted((a, b) => a.id - b.id);
}

/** Set once, at the first create, so that a record left by any create of this file is newer. */
const LAST_RECORD = sql<number>`coalesce(last_record, (
  select max(held.record_id) from transfers as held
  where held.project_id = transfers.project_id and held.folder_id = transfers.folder_id
    and held.record_id is not null), 0)`;

interface CreateIntent {
  /** Of the claim of the folder. */
  token: string;
  ids: readonly number[];
  /** The service's clock now; null if it is not known. */
  serviceTime: number | null;
  now: number;
}

/**
 * Records the intent to create these attachments of a claimed folder with one request; returns those
 * that are to be sent: a relink may have taken some. Rejects with LEASE_LOST.
 */
export function announceCreates(
  db: Db,
  { token, ids, serviceTime, now }: CreateIntent,
): Promise<Transfer[]> {
  return whileHeld(db, { token }, async (trx, { key }) => {
    const rows = await trx
      .updateTable('transfers')
      .set({
        state: 'creating',
        creatingSince: now,
        ...(serviceTime !== null && { serviceTime }),
        answeredAt: null,
        creates: sql<number>`creates + 1`,
        lastRecord: LAST_RECORD,
      })
      .where('id', 'in', ids)
      .where('state', '=', 'uploaded')
      .where(isOfFolder(toDestination(key)))
      .returningAll()
      .execute();
    const announced = rows.toSorted((a, b) => a.id - b.id);
    return announced.map((row) => toTransfer({ ...row, isClaimed: 0 }));
  });
}

/** Returns how many transfers are on their way: neither settled nor parked. */
export function countActive(db: Db): Promise<number> {
  return countOf(db.selectFrom('transfers').where(ON_THEIR_WAY));
}

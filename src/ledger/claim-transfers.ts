import { type RawBuilder, sql } from 'kysely';
import type { Destination } from '../transfers/index.ts';
import { isOfFolder } from './channels.ts';
import { type Lease, leased } from './lease.ts';
import { atomically, countOf, prepared, skipLocked } from './run-statements.ts';
import type { Db, TransferRow } from './schema.ts';
import {
  FILING,
  OF_SAVED_MESSAGE,
  OPEN,
  RESERVES_NAME,
  type Transfer,
  toTransfer,
} from './transfer.ts';

/** Most attachments in one create request. */
const LARGEST_BATCH = 100;
/** Most open creates that one look covers. */
const MAX_LOOKED_FOR = 500;
/** The longest that an attachment waits for others of its folder, in milliseconds. */
const MAX_GATHERING_MS = 10_000;
/** Attachments due within this time after the first join its batch, in milliseconds. */
export const GATHER_BATCH_MS = 300;

/** Set once, at the first create, so that a record left by any create of this file is newer. */
const LAST_RECORD = sql<number>`coalesce(last_record, (
  select max(held.record_id) from transfers as held
  where held.project_id = transfers.project_id and held.folder_id = transfers.folder_id
    and held.record_id is not null), 0)`;

interface WantedFiles {
  /** The largest Slack file to take, in bytes: larger ones wait; null for any size. */
  largest: number | null;
}

export interface Turn {
  /** Queues take turns: takes the next one after this, in text order; '' for the first. */
  afterQueue: string;
  /** The queue whose turn goes on: if it has anything due, that is taken. Default: none. */
  sameQueue?: string;
}

/** A transfer that waits for its upload or create. */
export interface DueTransfer {
  dueAt: number;
  /** Bytes; null while Slack has not stated the size. */
  slackSize: number | null;
}

/** Returns the transfer to upload or create that is due first, now or later; null for none. */
export async function nextFiling(db: Db, wanted: WantedFiles): Promise<DueTransfer | null> {
  const [next = null] = await selectNext(db, wanted);
  return next;
}

const selectNext = prepared((db, wanted: WantedFiles) =>
  sql<DueTransfer>`select due_at, slack_size from transfers
    where ${FILING} and ${eligible(wanted)} order by due_at limit 1`.compile(db),
);

/**
 * One transfer to upload (`recorded`); attachments to create, whose intent the claim writes
 * (`creating`); or one attachment that must wait because another of its name and size holds the
 * place (`uploaded`).
 */
export interface ClaimedFiles {
  queue: string;
  transfers: Transfer[];
  /** Whether the first transfer's message was saved by hand to any folder by then: see sameFiles. */
  isSaved: boolean;
  /** Whether a link to their folder is paused: see holdBack and endPauses. */
  isPaused: boolean;
}

/**
 * Claims the work that has been due longest in the next queue's turn: one upload, or all
 * attachments ready for one folder, no two of one name and size. Null when nothing is due.
 */
export function claimFiling(
  db: Db,
  request: Lease & Turn & WantedFiles,
): Promise<ClaimedFiles | null> {
  return atomically(db, async (trx) => {
    const [lead] = await selectFiling(trx, request);
    if (!lead) return null;
    const intended = lead.state === 'uploaded' ? await writeIntent(trx, { lead, request }) : [];
    const rows = intended.length > 0 ? intended : await takeOne(trx, { ...request, id: lead.id });
    const { queue, isSaved, isPaused } = lead;
    return { queue, transfers: inOrder(rows), isSaved: isSaved === 1, isPaused: isPaused === 1 };
  });
}

/**
 * Claims all open creates of the folder whose look has been due longest, and its files that are
 * looked for before they are sent; none when none is due. One dated in the future, by a clock set back since, counts as sent now: else it would stay open until
 * then.
 */
export function claimLook(db: Db, lease: Lease): Promise<Transfer[]> {
  return atomically(db, async (trx) => {
    const isDue = sql`${OPEN} and due_at <= ${lease.now} and lease_token is null`;
    const first = sql<Destination>`select project_id, folder_id from transfers
      where ${isDue} order by due_at limit 1 ${skipLocked(trx)}`;
    const [folder] = (await first.execute(trx)).rows;
    if (!folder) return [];
    const due = sql<number>`(select id from transfers where ${isDue} and ${isOfFolder(folder)}
      order by due_at limit ${MAX_LOOKED_FOR} ${skipLocked(trx)})`;
    const now = sql<number>`cast(${lease.now} as bigint)`;
    const isAhead = sql`creating_since > ${now} or answered_at > ${now}`;
    const taken = await take(trx, lease)
      .set({
        creatingSince: sql`case when ${isAhead} then ${now} else creating_since end`,
        answeredAt: sql`case when ${isAhead} then null else answered_at end`,
      })
      .where('id', 'in', due)
      .execute();
    return inOrder(taken);
  });
}

interface Lead extends Pick<TransferRow, 'id' | 'queue' | 'state' | 'alone'>, Destination {
  /** 1 or 0. */
  isSaved: number;
  isPaused: number;
}

const IS_PAUSED = sql`exists (select 1 from channels where paused_at is not null
  and project_id = transfers.project_id and folder_id = transfers.folder_id)`;

const selectFiling = prepared((db, request: Lease & Turn & WantedFiles) => {
  // Otherwise a long queue would upload all its files before it creates the first.
  const overdue = sql`(select id from transfers where state = 'uploaded'
    and due_at <= cast(${request.now} as bigint) - ${sql.lit(MAX_GATHERING_MS)}
    and lease_token is null limit 1 ${skipLocked(db)})`;
  // The unary plus makes SQLite use the index of the ORDER BY: the index by due_at needs a sort.
  const { sameQueue = '', afterQueue } = request;
  const whose = [sql`queue = ${sameQueue}`, sql`queue > ${afterQueue}`, sql`queue > ''`];
  const inTurn = whose.map(
    (which) => sql`(select id from transfers where ${FILING} and ${eligible(request)}
      and +due_at <= ${request.now} and lease_token is null and ${which}
      order by queue, due_at, id limit 1 ${skipLocked(db)})`,
  );
  return sql<Lead>`select id, queue, state, project_id, folder_id, alone,
    cast(${OF_SAVED_MESSAGE} as integer) as is_saved, cast(${IS_PAUSED} as integer) as is_paused
    from transfers where id = coalesce(${sql.join([overdue, ...inTurn])})`.compile(db);
});

// A file whose batch was refused goes alone. Files wait while their name and size is being created.
async function writeIntent(trx: Db, { lead, request }: { lead: Lead; request: Lease }) {
  const { projectId, folderId } = lead;
  const together = lead.alone === 1 ? sql`one.id = ${lead.id}` : sql`one.alone = 0`;
  const ready = (alias: string) => {
    const row = sql.table(alias);
    return sql`${row}.state = 'uploaded' and ${row}.project_id = ${projectId}
      and ${row}.folder_id = ${folderId} and ${row}.lease_token is null
      and ${row}.due_at <= ${request.now + GATHER_BATCH_MS}`;
  };
  const batch = sql<number>`(select one.id from transfers as one
    where ${ready('one')} and ${together}
      and not exists (select 1 from transfers where ${RESERVES_NAME} and project_id = one.project_id
        and folder_id = one.folder_id and name = one.name and byte_size = one.byte_size)
      and not exists (select 1 from transfers as twin where ${ready('twin')}
        and twin.name = one.name and twin.byte_size = one.byte_size and twin.id < one.id)
    order by one.id limit ${LARGEST_BATCH} ${skipLocked(trx)})`;
  return take(trx, request)
    .set({
      state: 'creating',
      creatingSince: request.now,
      answeredAt: null,
      creates: sql<number>`creates + 1`,
      lastRecord: LAST_RECORD,
    })
    .where('id', 'in', batch)
    .execute();
}

function take(trx: Db, lease: Lease) {
  return trx.updateTable('transfers').set(leased(lease)).returningAll();
}

const takeOne = prepared((db, values: Lease & { id: number }) =>
  take(db, values).where('id', '=', values.id).compile(),
);

function inOrder(rows: readonly TransferRow[]): Transfer[] {
  return rows.toSorted((a, b) => a.id - b.id).map(toTransfer);
}

function eligible({ largest }: WantedFiles): RawBuilder<unknown> {
  const isSmall = sql`coalesce(slack_size <= cast(${largest} as bigint), true)`;
  return sql`(earlier is null and (state <> 'recorded' or ${isSmall}))`;
}

/** Returns how many transfers are due or claimed: neither settled nor parked. */
export function countActive(db: Db): Promise<number> {
  return countOf(db.selectFrom('transfers').where('dueAt', 'is not', null));
}

import { type RawBuilder, sql } from 'kysely';
import { skipLocked } from './dialect.ts';
import { type Lease, leased } from './lease.ts';
import { countOf } from './rows.ts';
import { ofSavedMessage } from './saved.ts';
import type { Db, TransferRow } from './schema.ts';
import { atomically } from './shared-commits.ts';
import { FILING, holdsPlace, OPEN, type Transfer, toTransfer } from './transfer.ts';

/** Attachments to a create. */
const LARGEST_BATCH = 100;
/** Creates to a look. */
const MOST_LOOKED_FOR = 500;
/** An attachment waits no longer than this for others of its folder, in milliseconds. */
const LONGEST_GATHERING_MS = 10_000;
/** Attachments that come this soon after the first go with it, in milliseconds. */
export const GATHER_BATCH_MS = 300;

/** Noted once: what an earlier create of this file leaves is newer, too. */
const LAST_RECORD = sql<number>`coalesce(last_record, (
  select max(held.record_id) from transfers as held
  where held.project_id = transfers.project_id and held.folder_id = transfers.folder_id
    and held.record_id is not null), 0)`;

/** Which files may be claimed. */
export interface WantedFiles {
  /** Files of Slack's that are larger are left to wait, in bytes; null takes all. */
  largest: number | null;
  /** Leaves all that is not uploaded yet to wait. */
  uploadedOnly?: boolean;
}

export interface Turn {
  /** Queues take turns: the next one after this, in their order; '' for the first. */
  afterQueue: string;
}

/** What waits to be uploaded or created first. */
interface DueTransfer {
  dueAt: number;
  /** Bytes, as far as Slack has said. */
  slackSize: number | null;
}

/** The transfer that is to be uploaded or created next, due or not; null when none waits. */
export async function nextFiling(db: Db, wanted: WantedFiles): Promise<DueTransfer | null> {
  const { rows } = await sql<DueTransfer>`select due_at, slack_size from transfers
    where ${FILING} ${eligible(wanted)} order by due_at limit 1`.execute(db);
  return rows[0] ?? null;
}

/** What was claimed together, in one folder. */
interface ClaimedTransfers {
  queue: string;
  transfers: Transfer[];
}

/**
 * One transfer to upload (`recorded`); attachments to create, whose intent is written with the claim
 * (`creating`); or one attachment that has to wait, as another of its name and size holds the place
 * (`uploaded`).
 */
export interface ClaimedFiles extends ClaimedTransfers {
  /** Whether the message of the first was saved by hand to any folder: see sameFiles. */
  isSaved: boolean;
  /** Whether a link to their folder is paused: see holdBack and endPauses. */
  isPaused: boolean;
}

/**
 * Claims what has been due longest in the next queue's turn: an upload, or all attachments that are
 * ready for one folder, no two of one name and size. Null when nothing is due.
 */
export function claimFiling(
  db: Db,
  request: Lease & Turn & WantedFiles,
): Promise<ClaimedFiles | null> {
  return atomically(db, async (trx) => {
    const which = sql`${FILING} ${eligible(request)}`;
    const lead =
      (await overdueAttachment(trx, request.now)) ?? (await nextInTurn(trx, { ...request, which }));
    if (!lead) return null;
    const intended = lead.state === 'uploaded' ? await writeIntent(trx, { lead, request }) : [];
    const rows = intended.length > 0 ? intended : await take(trx, request, [lead.id]);
    const of = { isSaved: lead.isSaved === 1, isPaused: lead.isPaused === 1 };
    return { queue: lead.queue, transfers: inOrder(rows), ...of };
  });
}

/** Claims all open creates of one folder whose look is due, in the next queue's turn. */
export function claimLook(db: Db, request: Lease & Turn): Promise<ClaimedTransfers | null> {
  return atomically(db, async (trx) => {
    const lead = await nextInTurn(trx, { ...request, which: OPEN });
    if (!lead) return null;
    const { rows } = await sql<{ id: number }>`select id from transfers
      where ${OPEN} and due_at <= ${request.now} and lease_token is null
        and project_id = ${lead.projectId} and folder_id = ${lead.folderId}
      limit ${MOST_LOOKED_FOR} ${skipLocked(trx)}`.execute(trx);
    const ids = rows.map(({ id }) => id);
    return { queue: lead.queue, transfers: inOrder(await take(trx, request, ids)) };
  });
}

interface Lead {
  id: number;
  queue: string;
  state: string;
  projectId: number;
  folderId: number;
  alone: number;
  /** 1 or 0. */
  isSaved: number;
  isPaused: number;
}

const IS_PAUSED = sql`exists (select 1 from channels where paused_at is not null
  and project_id = transfers.project_id and folder_id = transfers.folder_id)`;

const LEAD = sql`select id, queue, state, project_id, folder_id, alone,
  case when ${ofSavedMessage} then 1 else 0 end as is_saved,
  case when ${IS_PAUSED} then 1 else 0 end as is_paused
  from transfers`;

// Else those of a long queue would all be uploaded before the first is in its folder.
async function overdueAttachment(trx: Db, now: number): Promise<Lead | undefined> {
  const { rows } =
    await sql<Lead>`${LEAD} where state = 'uploaded' and due_at <= ${now - LONGEST_GATHERING_MS}
    and lease_token is null limit 1 ${skipLocked(trx)}`.execute(trx);
  return rows[0];
}

async function nextInTurn(
  trx: Db,
  { now, afterQueue, which }: { now: number; afterQueue: string; which: RawBuilder<unknown> },
): Promise<Lead | undefined> {
  const after = async (queue: string) => {
    // The plus leaves the choice of index to the order: by what is due first, all of it would be sorted.
    const { rows } = await sql<Lead>`${LEAD} where ${which} and +due_at <= ${now}
      and lease_token is null and queue > ${queue}
      order by queue, due_at, id limit 1 ${skipLocked(trx)}`.execute(trx);
    return rows[0];
  };
  return (await after(afterQueue)) ?? (afterQueue === '' ? undefined : after(''));
}

// One that was refused with others goes alone; a name and size that is on its way keeps its twins back.
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
      and not exists (select 1 from transfers where ${holdsPlace} and project_id = one.project_id
        and folder_id = one.folder_id and name = one.name and byte_size = one.byte_size)
      and not exists (select 1 from transfers as twin where ${ready('twin')}
        and twin.name = one.name and twin.byte_size = one.byte_size and twin.id < one.id)
    order by one.id limit ${LARGEST_BATCH} ${skipLocked(trx)})`;
  return trx
    .updateTable('transfers')
    .set({
      ...leased(request),
      state: 'creating',
      creatingSince: request.now,
      answeredAt: null,
      creates: sql<number>`creates + 1`,
      lastRecord: LAST_RECORD,
    })
    .where('id', 'in', batch)
    .returningAll()
    .execute();
}

function take(trx: Db, lease: Lease, ids: number[]) {
  return trx
    .updateTable('transfers')
    .set(leased(lease))
    .where('id', 'in', ids)
    .returningAll()
    .execute();
}

function inOrder(rows: readonly TransferRow[]): Transfer[] {
  return rows.toSorted((a, b) => a.id - b.id).map(toTransfer);
}

function eligible({ largest, uploadedOnly }: WantedFiles): RawBuilder<unknown> {
  if (uploadedOnly) return sql`and state = 'uploaded'`;
  if (largest === null) return sql``;
  return sql`and (state <> 'recorded' or slack_size is null or slack_size <= ${largest})`;
}

/** How many transfers are not settled. */
export function countActive(db: Db): Promise<number> {
  return countOf(db.selectFrom('transfers').where('dueAt', 'is not', null));
}

import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { PigeonholeError } from '../base/index.ts';
import {
  ATTACHMENT_SUFFIX_LENGTH,
  type Destination,
  type FiledName,
  type MessageRef,
  OUTAGE,
  type SharedFile,
} from '../core/index.ts';
import { isOfFolder } from './channels.ts';
import { dropJobs, enqueueAll, NO_QUEUE, resumeJobs } from './jobs.ts';
import { atomically, inChunks } from './run-statements.ts';
import type { Db, TransferRow } from './schema.ts';

/** A transfer as the worker and the listeners see it. */
export interface Transfer extends Omit<TransferRow, 'slackFile' | 'projectId' | 'folderId'> {
  file: SharedFile;
  /** Null while it is parked because its channel has no folder. */
  destination: Destination | null;
  /** Whether its upload is claimed. */
  isClaimed: boolean;
}

/** A filed transfer whose record is known. */
export type FiledTransfer = Transfer & { destination: Destination; recordId: number };

export function isFiled(transfer: Transfer): transfer is FiledTransfer {
  const { state, recordId, destination } = transfer;
  return state === 'filed' && recordId !== null && destination !== null;
}

/** Returns the names and size that a transfer was filed with. */
export function sentAs({
  name,
  recordName,
  byteSize,
}: Pick<TransferRow, 'name' | 'recordName' | 'byteSize'>): FiledName {
  // The upload before the create recorded the size.
  return { name, recordName, byteSize: byteSize ?? 0 };
}

/** Returns the folder of an active transfer. Throws UNEXPECTED when there is none. */
export function destinationOf({ id, destination }: Transfer): Destination {
  if (destination) return destination;
  throw new PigeonholeError('UNEXPECTED', `transfer ${id} is active without a destination`);
}

/** Returns what the upload wrote into the ledger. Throws UNEXPECTED before an upload. */
export function attachmentOf({ id, attachmentId, byteSize, name }: Transfer) {
  if (attachmentId !== null && byteSize !== null) return { attachmentId, byteSize, name };
  throw new PigeonholeError('UNEXPECTED', `transfer ${id} has no attachment`);
}

/** A row of a transfer, with whether its upload is claimed (1 or 0). */
type SelectedTransfer = TransferRow & { isClaimed: number };

/** Begins a query of transfers. */
export function selectTransfers(db: Db) {
  const isClaimed = sql<number>`cast(${IS_CLAIMED} as integer)`.as('isClaimed');
  return db.selectFrom('transfers').selectAll('transfers').select(isClaimed);
}

export function toTransfer(row: SelectedTransfer): Transfer {
  const { slackFile, projectId, folderId, isClaimed, ...rest } = row;
  return {
    ...rest,
    isClaimed: isClaimed === 1,
    file: JSON.parse(slackFile),
    destination: projectId === null || folderId === null ? null : { projectId, folderId },
  };
}

/** Selects all transfers to a folder. */
export function inFolder(db: Db, folder: Destination) {
  return selectTransfers(db).where(isOfFolder(folder));
}

/** Returns the transfers that a query selects. */
export async function findTransfers(query: {
  execute(): Promise<SelectedTransfer[]>;
}): Promise<Transfer[]> {
  return (await query.execute()).map(toTransfer);
}

/** Longer than any identifier of Slack's, and short enough for every index. */
const MAX_KEY_LENGTH = 200;

/**
 * Returns the key that stands for a Slack file: its identifier, or a hash of one that is too long
 * for an index, has a NUL character or is not well-formed Unicode. Different identifiers have
 * different keys.
 */
export function fileKey(id: string): string {
  if (id.length <= MAX_KEY_LENGTH && id.isWellFormed() && !id.includes('\0')) return id;
  return `sha256:${createHash('sha256').update(JSON.stringify(id)).digest('hex')}`;
}

const suffix = sql.lit(ATTACHMENT_SUFFIX_LENGTH);

/**
 * Selects the key of what Slack deletes together with a transfer's file: the file's own, or that of
 * the email which it is attached to (`emailIdOf`, as SQL).
 */
export const DELETED_AS = sql<string>`(case
  when transfers.slack_file_id like ${sql.lit(`_%#${'_'.repeat(ATTACHMENT_SUFFIX_LENGTH - 1)}`)}
  then substr(transfers.slack_file_id, 1, length(transfers.slack_file_id) - ${suffix})
  else transfers.slack_file_id end)`;

/** Returns the key that stands for a message within its workspace. */
export function messageKey({ channel, ts }: Pick<MessageRef, 'channel' | 'ts'>): string {
  return `${channel}/${ts}`;
}

/** Returns what stands for a message in transfers. */
export function messageRef({ team, channel, ts }: MessageRef): string {
  return `${team}/${channel}/${ts}`;
}

/**
 * Selects the transfers that were refused before the outcome of their create was known. One whose
 * create returned a record of another size is none.
 */
export const REFUSED_UNCLEAR = sql<boolean>`(refused_in = 'creating'
  and problem <> 'RECORD_SIZE_MISMATCH')`;

/**
 * Selects the transfers whose create is open or whose record is looked for, also if they were refused
 * before that was known. The states repeat the index's, which else would not serve it.
 */
export const UNSETTLED = sql<boolean>`((state in ('uploaded', 'creating', 'created')
  and state <> 'uploaded') or ${REFUSED_UNCLEAR})`;

/** Selects transfers that wait for their upload or create, or were refused while they did. */
export const UNSENT = sql<boolean>`(state in ('recorded', 'uploaded')
  or refused_in in ('recorded', 'uploaded'))`;

/** Selects the transfers to upload or create. */
export const FILING = sql<boolean>`state in ('recorded', 'uploaded')`;

/** Selects the transfers that are on their way. An index serves it if a query repeats it. */
export const ON_THEIR_WAY = sql<boolean>`state in ('recorded', 'uploaded', 'creating', 'created')`;

/**
 * Selects the transfers that are looked for in their folder before they are sent. The state repeats
 * the index's, which else would not serve it.
 */
export const SOUGHT = sql<boolean>`(state in ('recorded', 'uploaded') and earlier is not null)`;

/** Selects the transfers that their own jobs upload; the others on their way are their folder's. */
const TO_UPLOAD = sql<boolean>`(state = 'recorded' and earlier is null)`;

/** Selects the transfers that their folder's job sees to. */
const OF_FOLDER = sql<boolean>`(state in ('uploaded', 'creating', 'created') or ${SOUGHT})`;

/** The key of a transfer's upload in `jobs`. */
export const UPLOAD_KEY = sql`cast(transfers.id as text)`;

/** Selects the transfers whose upload is claimed. */
const IS_CLAIMED = sql<boolean>`exists (select 1 from jobs where kind = 'upload'
  and key = ${UPLOAD_KEY} and lease_token is not null)`;

/** Selects the transfers whose upload nobody has claimed. */
export const UNCLAIMED = sql<boolean>`not ${IS_CLAIMED}`;

/** The destination of a transfer, as `folderNumber` writes it. */
export const SCOPE = sql`(transfers.project_id || '/' || transfers.folder_id)`;

/**
 * The microsecond of a file's message, as a due time before all others (below 0): claims take the
 * oldest first.
 */
export const AGED = sql<number>`(select cast(substr(replace(shares.ts, '.', ''), 1, 16) as bigint)
  - 9000000000000000 from shares where shares.id = transfers.share_id)`;

/** Returns when files that waited are due again: a backfill's oldest first, the others at `now`. */
export function dueAgain(now: number): RawBuilder<number> {
  return sql`case when queue like '%/past' then ${AGED} else cast(${now} as bigint) end`;
}

interface Rescheduled {
  now: number;
  /** Default: `now`. */
  dueAt?: RawBuilder<unknown>;
}

/**
 * Has the jobs of these transfers fit the states that they have by now: their uploads or their folders
 * are due at `dueAt`, or at their own earlier time; other uploads are given up. A claimed upload loses
 * its lease if there is nothing to upload any more. What a hold keeps is shown to wait for that.
 */
export async function reschedule(
  trx: Db,
  transfers: readonly { id: number }[],
  due: Rescheduled,
): Promise<void> {
  await inChunks(transfers, (some) => {
    const these = among(some);
    const over = sql`select ${UPLOAD_KEY} from transfers where ${these} and not ${TO_UPLOAD}`;
    return dropJobs(trx, 'upload', over);
  });
  await scheduleNew(trx, transfers, due);
}

/** Does the same for transfers none of which has an upload to give up. */
export async function scheduleNew(
  trx: Db,
  transfers: readonly { id: number }[],
  { now, dueAt = sql`cast(${now} as bigint)` }: Rescheduled,
): Promise<void> {
  await inChunks(transfers, async (some) => {
    const these = among(some);
    // All in one order, so that two callers never wait for each other.
    await enqueueAll(
      trx,
      sql`select * from (select 'upload' as kind, ${UPLOAD_KEY} as key, ${SCOPE}, transfers.queue, ${dueAt}
          from transfers where ${these} and ${TO_UPLOAD}
        union all select 'folder', ${SCOPE}, ${SCOPE}, ${NO_QUEUE}, min(${dueAt})
          from transfers where ${these} and ${OF_FOLDER} group by project_id, folder_id) as due
        order by kind desc, key`,
    );
    await showHolds(trx, these);
  });
}

function among(transfers: readonly { id: number }[]): RawBuilder<unknown> {
  return sql`transfers.id in (${sql.join(transfers.map(({ id }) => id))})`;
}

/** Selects the transfers that are on their way, and have no job that would see to them. */
const WITHOUT_JOB = sql<boolean>`(${ON_THEIR_WAY} and not exists (select 1 from jobs
  where (${TO_UPLOAD} and kind = 'upload' and key = ${UPLOAD_KEY})
    or (${OF_FOLDER} and kind = 'folder' and key = ${SCOPE})))`;

/** Selects what else is open, with the kind and key of the job that sees to it. */
const OPEN_ENTITIES = sql`select 'hold' as kind, scope as key from holds
  union all select 'backfill', cast(id as text) from reports where reading = 1
  union all select 'watch', team || '/' || channel from channels where announces = 1`;

/**
 * Makes due what is open and has no job: transfers on their way, holds, backfills and watches; also jobs
 * that no hold keeps. Returns how many.
 */
export function enqueueMissing(db: Db, now: number): Promise<number> {
  return atomically(db, async (trx) => {
    const rows = await trx.selectFrom('transfers').select('id').where(WITHOUT_JOB).execute();
    await reschedule(trx, rows, { now });
    const others = await sql`insert into jobs (kind, key, queue, due_at)
      select kind, key, ${NO_QUEUE}, cast(${now} as bigint) from (${OPEN_ENTITIES}) as entities
      where true on conflict (kind, key) do nothing returning key`.execute(trx);
    return rows.length + others.rows.length + (await resumeJobs(trx, { now }));
  });
}

// Whether a hold keeps a transfer on its way.
const KEEPS = sql<boolean>`(held.scope in ('key', ${SCOPE})
  or (held.scope = 'slack-files' and state = 'recorded'))`;

/** Selects, of the transfers on their way, those that a hold keeps. */
export const KEPT = sql<boolean>`(${UNCLAIMED}
  and exists (select 1 from holds as held where ${KEEPS}))`;

/**
 * Has those of these transfers that a hold keeps wait for that, until its next probe; returns their
 * shares. A create that was answered keeps its answer, and one that an outage kept from being looked for
 * waits for the hold.
 */
export async function showHolds(
  trx: Db,
  which: RawBuilder<unknown>,
): Promise<{ shareId: number }[]> {
  const { rows } = await sql<{ shareId: number }>`update transfers
    set problem = held.reason, problem_note = null, next_try_at = held.probe_at
    from (select holds.scope, holds.reason, jobs.due_at as probe_at
      from holds left join jobs on kind = 'hold' and key = holds.scope) as held
    where ${which} and ${UNCLAIMED} and (${FILING}
        or (state = 'creating' and coalesce(problem in (${sql.join(OUTAGE)}), true)))
      and ${KEEPS} and problem is distinct from held.reason returning share_id`.execute(trx);
  return rows;
}

/**
 * Selects the transfers that follow their channel to another folder: not those of files that somebody
 * saved by hand, also where that file's own transfer was on its way there.
 */
export const FOLLOWS_CHANNEL = sql<boolean>`(own = 1 and queue not like '%/saved')`;

/**
 * Must be called before these transfers, of which the service has nothing, go to a folder. A file of a
 * message goes to a folder once: where somebody has saved it there by hand, that transfer becomes the
 * message's own, and this one is dropped. Returns the shares of those that were dropped: their lines
 * are to show the others.
 */
export async function yieldToSaved(
  trx: Db,
  which: RawBuilder<boolean>,
  { projectId, folderId }: Destination,
): Promise<{ shareId: number }[]> {
  const pairs = await sql<{ id: number; saved: number }>`
    select transfers.id, saved.id as saved from transfers join transfers as saved on saved.message = transfers.message
      and saved.slack_file_id = transfers.slack_file_id and saved.id <> transfers.id
      and saved.project_id = ${projectId} and saved.folder_id = ${folderId}
    where transfers.id in (select id from transfers where ${which})`.execute(trx);
  const dropped: { shareId: number }[] = [];
  for (const { id, saved } of pairs.rows) {
    // Its folder's job may have announced a create meanwhile.
    const own = trx.deleteFrom('transfers').where('id', '=', id).where(which);
    const share = await own.returning('shareId').executeTakeFirst();
    if (!share) continue;
    await dropJobs(trx, 'upload', sql`${String(id)}`);
    await trx.updateTable('transfers').set({ own: 1 }).where('id', '=', saved).execute();
    dropped.push(share);
  }
  return dropped;
}

/** The columns of a transfer of which the service has nothing. */
export const NOT_SENT = {
  attachmentId: null,
  uploadedAt: null,
  creatingSince: null,
  answeredAt: null,
  alone: 0,
  creates: 0,
  lastRecord: null,
  heldAt: null,
};

/**
 * Returns a share's transfers, in the order of its files; with `savedToo`, then its message's own
 * transfers that are not filed and belong to the shares of who saved them by hand (see yieldToSaved),
 * unless the share is not the message's own.
 */
export function transfersOfShare(
  db: Db,
  shareId: number,
  { savedToo = false } = {},
): Promise<Transfer[]> {
  // The cast keeps SQLite from planning it anew at each run: see claimJob.
  const id = sql<number>`cast(${shareId} as bigint)`;
  const saved = sql<boolean>`(own = 1 and message = (select team || '/' || channel || '/' || ts
    from shares where id = ${id} and saved_to = '') and state not in ('created', 'filed'))`;
  const transfers = selectTransfers(db)
    .where((eb) => eb.or([eb('shareId', '=', id), ...(savedToo ? [saved] : [])]))
    .orderBy(sql`share_id <> ${id}`)
    .orderBy('position')
    .orderBy('id');
  return findTransfers(transfers);
}

/** Places in the queue beyond this are not counted. */
const MAX_COUNTED = 1_000;

/**
 * Returns how many transfers of its queue come before this one, at most MAX_COUNTED; without those that
 * wait for something else than their turn.
 */
export async function countAhead(db: Db, { id, queue }: Transfer): Promise<number> {
  const { rows } = await sql<{ count: number }>`select cast(count(*) as integer) as count
    from (select id from transfers where queue = ${queue} and ${ON_THEIR_WAY} and ${FILING}
      and problem is null and id < ${id} limit ${sql.lit(MAX_COUNTED)}) as ahead`.execute(db);
  return rows[0]?.count ?? 0;
}

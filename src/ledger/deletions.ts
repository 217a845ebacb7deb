import { type RawBuilder, sql } from 'kysely';
import type { MessageRef } from '../core/index.ts';
import { dropJobs, endJob, enqueue, type JobClaim, lockIfHeld, whileHeld } from './jobs.ts';
import { IS_SHOWN, noteSharesChanged } from './messages.ts';
import { anyRow, atomically, inChunks, locked } from './run-statements.ts';
import type { Db, DeletionRow } from './schema.ts';
import { refused } from './steps.ts';
import {
  DELETED_AS,
  fileKey,
  messageKey,
  NOT_SENT,
  reschedule,
  selectTransfers,
  type Transfer,
  toTransfer,
  UNCLAIMED,
  UNSENT,
} from './transfer.ts';

/*
 * Files, and messages with files, that Slack reports as deleted. A deleted message's files that are
 * not on their way to the service yet are left unfiled at once, also when their share becomes known
 * only later. Reports of single files may be early or wrong: nothing is done with those files before
 * the worker has asked Slack. For filed ones, the sharer is asked, or the record is deleted: the
 * deletion is due until none is in progress. Attachments are deleted with their email. One without a known share is kept as long as such a
 * share may come.
 */

/** A file, by its identifier, or a message that was deleted in Slack. */
type DeletedInSlack = { team: string } & ({ fileId: string } | Pick<MessageRef, 'channel' | 'ts'>);

/** Slack reports a message and its files in several events; people are asked once. */
const GATHER_EVENTS_MS = 1_000;

/** Records deletions, those already recorded excepted; leaves deleted messages' files unfiled. */
export function recordDeletions(
  db: Db,
  deleted: readonly DeletedInSlack[],
  now: number,
): Promise<void> {
  return atomically(db, async (trx) => {
    const keyOf = (one: DeletedInSlack) =>
      'fileId' in one ? fileKey(one.fileId) : messageKey(one);
    const rows = deleted.map((one) => ({ team: one.team, what: keyOf(one), deletedAt: now }));
    const recorded = await trx
      .insertInto('deletions')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['team', 'what']).doNothing())
      .returning('id')
      .execute();
    await enqueueDeletions(trx, recorded, now + GATHER_EVENTS_MS);
    await refuseDeleted(trx, rows.filter(isMessage), now);
  });
}

async function enqueueDeletions(
  trx: Db,
  deletions: readonly { id: number }[],
  dueAt: number,
): Promise<void> {
  for (const { id } of deletions) await enqueue(trx, { kind: 'deletion', key: String(id), dueAt });
}

type What = Pick<DeletionRow, 'team' | 'what'>;

/**
 * Refuses the files of these deletions that are not on their way to the service, or were refused
 * before they were. A parked file passes through `recorded` in the same statement.
 */
export async function refuseDeleted(db: Db, deleted: readonly What[], now: number): Promise<void> {
  await atomically(db, async (trx) => {
    const changed: { shareId: number }[] = [];
    for (const one of deleted) {
      const unsent = await lockUnsent(trx, one);
      if (unsent.length === 0) continue;
      const ids = unsent.map(({ id }) => id);
      const problem = { code: 'SLACK_FILE_DELETED', note: null } as const;
      await trx
        .updateTable('transfers')
        .set({ ...NOT_SENT, ...refused(problem), refusedIn: 'recorded' })
        .where('id', 'in', ids)
        .execute();
      await reschedule(trx, unsent, { now });
      // Of most parked files nothing was said.
      changed.push(...unsent.filter(({ state, isShown }) => state !== 'parked' || isShown === 1));
    }
    await noteSharesChanged(trx, changed, now);
  });
}

// Locked, so that a file that another transaction is sending on its way is read in its new state.
function lockUnsent(trx: Db, deleted: What) {
  return trx
    .selectFrom('transfers')
    .select(['id', 'shareId', 'state'])
    .select(
      sql<number>`(select case when ${IS_SHOWN} then 1 else 0 end from shares where id = share_id)`.as(
        'isShown',
      ),
    )
    .where('shareId', 'in', sharesConcerned(deleted))
    .where((eb) => (isMessage(deleted) ? eb.lit(true) : eb(DELETED_AS, '=', deleted.what)))
    .where('problem', 'is distinct from', 'SLACK_FILE_DELETED')
    .where(UNCLAIMED)
    .where(sql<boolean>`(${UNSENT} or state = 'parked')`)
    .orderBy('id')
    .modifyEnd(locked(trx, 'transfers'))
    .execute();
}

function isMessage({ what }: What): boolean {
  return what.includes('/');
}

/** Selects the identifiers of the shares that a deletion concerns. */
function sharesConcerned({ team, what }: What) {
  const [channel, ts] = what.split('/');
  if (isMessage({ team, what }))
    return sql<number>`(select id from shares
      where team = ${team} and channel = ${channel} and ts = ${ts})`;
  // The cross join keeps SQLite from beginning with all shares of the workspace.
  return sql<number>`(select own.id from transfers as found cross join shares as own
    where found.slack_file_id = ${what} and own.id = found.share_id and own.team = ${team})`;
}

/**
 * Makes the deletions of these transfers' shares due, because the shares have just become known, or
 * some transfers continue or are filed after all. Deleted messages' files that are not begun are left
 * unfiled at once; claims on the deletions are lost.
 */
export async function reopenDeletions(
  db: Db,
  transfers: readonly { shareId: number }[],
  now: number,
): Promise<void> {
  if (transfers.length === 0) return;
  const ids = sql.join([...new Set(transfers.map(({ shareId }) => shareId))]);
  const known = await db
    .selectFrom('deletions')
    .select(['id', 'team', 'what'])
    .where('team', 'in', db.selectFrom('shares').select('team').where(sql<boolean>`id in (${ids})`))
    .where(sql<boolean>`what in (select channel || '/' || ts from shares where id in (${ids})
      union all select slack_file_id from transfers where share_id in (${ids}))`)
    .orderBy('id')
    .execute();
  await inChunks(known, (some) =>
    dropJobs(db, 'deletion', sql.join(some.map(({ id }) => String(id)))),
  );
  await enqueueDeletions(db, known, now);
  await refuseDeleted(db, known.filter(isMessage), now);
}

/** A file that was deleted in Slack, alone or with its message, and the message that shared it. */
export interface DeletedFile {
  transfer: Transfer;
  message: MessageRef & { threadTs: string | null };
  /** Whether the message itself was deleted. */
  withMessage: boolean;
  /** Who saved it to its folder by hand; null when nobody did. */
  savedBy: string | null;
}

/** Returns all deleted files of the shares that a deletion concerns, not only its own. */
export async function deletedFiles(db: Db, deletion: What): Promise<DeletedFile[]> {
  const among = (key: RawBuilder<string>) => sql<boolean>`exists (select 1 from deletions
    where deletions.team = shares.team and deletions.what = ${key})`;
  const withMessage = among(sql`shares.channel || '/' || shares.ts`);
  const rows = await selectTransfers(db)
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .select(['shares.team', 'shares.channel', 'shares.ts', 'shares.threadTs'])
    .select('shares.savedBy')
    .select(sql<number>`cast(${withMessage} as integer)`.as('withMessage'))
    .where('shares.id', 'in', sharesConcerned(deletion))
    .where((eb) => eb.or([withMessage, among(DELETED_AS)]))
    .orderBy('transfers.shareId')
    .orderBy('transfers.position')
    .execute();
  return rows.map(({ team, channel, ts, threadTs, savedBy, withMessage: whole, ...row }) => ({
    transfer: toTransfer(row),
    message: { team, channel, ts, threadTs },
    withMessage: whole === 1,
    savedBy,
  }));
}

/**
 * Removes a claimed deletion that never happened, or with `unlessKnown` that deletion if no share that it
 * concerns is known. Does nothing when the lease is lost.
 */
export function withdrawDeletion(db: Db, claim: JobClaim, unlessKnown?: What): Promise<void> {
  const isKnown = unlessKnown ? sql`exists ${sharesConcerned(unlessKnown)}` : sql`false`;
  return atomically(db, async (trx) => {
    const job = await lockIfHeld(trx, claim.token);
    if (!job) return;
    const gone = trx.deleteFrom('deletions').where('id', '=', Number(job.key));
    if (await anyRow(gone.where(sql<boolean>`not ${isKnown}`).returning('id')))
      await endJob(trx, claim, { dueAt: null });
  });
}

/**
 * Records that the sharer is about to be asked about these filed transfers, so that nobody is asked
 * twice; returns those not asked about before. Rejects with LEASE_LOST.
 */
export function markAsked(
  db: Db,
  claim: JobClaim,
  { transfers, now }: { transfers: readonly number[]; now: number },
): Promise<Set<number>> {
  return whileHeld(db, claim, async (trx) => {
    const rows = await trx
      .updateTable('transfers')
      .set({ askedAt: now })
      .where('id', 'in', transfers)
      .where('state', '=', 'filed')
      .where('askedAt', 'is', null)
      .returning('id')
      .execute();
    return new Set(rows.map(({ id }) => id));
  });
}

/** Takes markAsked back: the question was certainly not posted, and is asked again. */
export async function unmarkAsked(db: Db, transfers: readonly number[]): Promise<void> {
  await db.updateTable('transfers').set({ askedAt: null }).where('id', 'in', transfers).execute();
}

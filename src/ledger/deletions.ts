import { sql } from 'kysely';
import type { MessageRef, Share } from '../transfers/index.ts';
import { locked } from './dialect.ts';
import { assertClaim, type Claim, claimRow, heldBy, type Lease } from './lease.ts';
import { sharesChanged } from './notifications.ts';
import { inChunks } from './rows.ts';
import type { Db, DeletionRow } from './schema.ts';
import { atomically } from './shared-commits.ts';
import { fileKey, NOT_SENT, type Transfer, toTransfer, UNSENT } from './transfer.ts';

/*
 * What was deleted in Slack, a file or a message with files. What of it is not on its way to the service
 * yet is left unfiled at once, also when its share comes to be known only afterwards. Of what is filed
 * the sharer is asked, or it is deleted too: the deletion is due until nothing of it is in hand.
 */

/** A file by its identifier, or a message, that was deleted in Slack. */
export type DeletedInSlack = { team: string } & (
  | { fileId: string }
  | Pick<MessageRef, 'channel' | 'ts'>
);

/** Of one message and its files Slack tells in several events, and people are asked once. */
const GATHER_EVENTS_MS = 1_000;

/** Records what was deleted; what is recorded already stays as it is. */
export function recordDeletions(
  db: Db,
  deleted: readonly DeletedInSlack[],
  now: number,
): Promise<void> {
  return atomically(db, async (trx) => {
    const common = { deletedAt: now, dueAt: now + GATHER_EVENTS_MS };
    const rows = deleted.map((one) => ({ team: one.team, what: keyOf(one), ...common }));
    await trx
      .insertInto('deletions')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['team', 'what']).doNothing())
      .execute();
    await leaveDeleted(trx, rows, now);
  });
}

/** A message as it is looked for within its workspace. */
function messageKey({ channel, ts }: Omit<MessageRef, 'team'>): string {
  return `${channel}/${ts}`;
}

function keyOf(deleted: DeletedInSlack): string {
  return 'fileId' in deleted ? fileKey(deleted.fileId) : messageKey(deleted);
}

type What = Pick<DeletionRow, 'team' | 'what'>;

/** Which of these shares, or of their files, were deleted. */
export async function knownDeletions(db: Db, shares: readonly Share[]): Promise<What[]> {
  const known: What[] = [];
  const deletions = db.selectFrom('deletions').select(['team', 'what']);
  for (const [team, own] of Map.groupBy(shares, (share) => share.team)) {
    const keys = own.flatMap((share) => [
      messageKey(share),
      ...share.files.map(({ id }) => fileKey(id)),
    ]);
    const ofTeam = deletions.where('team', '=', team);
    known.push(...(await inChunks(keys, (some) => ofTeam.where('what', 'in', some).execute())));
  }
  return known;
}

/**
 * Leaves unfiled what of these is not on its way to the service, or was refused before it was. What
 * waited for a folder goes there over `recorded`, in the same statement.
 */
export function leaveDeleted(db: Db, deleted: readonly What[], now: number): Promise<void> {
  return atomically(db, async (trx) => {
    const changed: { shareId: number }[] = [];
    for (const one of deleted) {
      const unsent = await lockUnsent(trx, one);
      if (unsent.length === 0) continue;
      const ids = unsent.map(({ id }) => id);
      const refused = {
        state: 'refused',
        refusedIn: 'recorded',
        settledAt: now,
        dueAt: null,
      } as const;
      await trx
        .updateTable('transfers')
        .set({ ...NOT_SENT, ...refused, problem: 'SLACK_FILE_DELETED', problemNote: null })
        .where('id', 'in', ids)
        .execute();
      // Of what waited for a folder nothing was said.
      changed.push(...unsent.filter(({ state }) => state !== 'parked'));
    }
    await sharesChanged(trx, changed, now);
  });
}

// Locked, so that what another transaction is just sending on its way is seen as it then is.
function lockUnsent(trx: Db, deleted: What) {
  return trx
    .selectFrom('transfers')
    .select(['id', 'shareId', 'state'])
    .where('shareId', 'in', sharesOf(trx, deleted))
    .where((eb) => (isMessage(deleted) ? eb.lit(true) : eb('slackFileId', '=', deleted.what)))
    .where('problem', 'is distinct from', 'SLACK_FILE_DELETED')
    .where('leaseToken', 'is', null)
    .where(sql<boolean>`(${UNSENT} or state = 'parked')`)
    .orderBy('id')
    .modifyEnd(locked(trx, 'transfers'))
    .execute();
}

function isMessage({ what }: What): boolean {
  return what.includes('/');
}

/** The shares that a deletion is about, by their number. */
function sharesOf(db: Db, { team, what }: What) {
  const [channel = '', ts = ''] = what.split('/');
  if (isMessage({ team, what }))
    return db
      .selectFrom('shares')
      .select('shares.id')
      .where((eb) => eb.and({ team, channel, ts }));
  return (
    db
      .selectFrom('transfers')
      .where('transfers.slackFileId', '=', what)
      // In this order for SQLite, too, which else begins with all shares of the workspace.
      .crossJoin('shares')
      .whereRef('shares.id', '=', 'transfers.shareId')
      .where('shares.team', '=', team)
      .select('shares.id')
  );
}

/**
 * Makes due what was deleted in Slack of these transfers' shares, for some of them go on or are filed
 * after all: what is not begun is left unfiled at once, and who saw to it before loses the claim.
 */
export async function reopenDeletions(
  db: Db,
  transfers: readonly { shareId: number }[],
  now: number,
): Promise<void> {
  if (transfers.length === 0) return;
  const ids = sql.join([...new Set(transfers.map(({ shareId }) => shareId))]);
  const known = await db
    .updateTable('deletions')
    .set({ dueAt: now, leaseToken: null })
    .where('team', 'in', db.selectFrom('shares').select('team').where(sql<boolean>`id in (${ids})`))
    .where(sql<boolean>`what in (select channel || '/' || ts from shares where id in (${ids})
      union all select slack_file_id from transfers where share_id in (${ids}))`)
    .returning(['team', 'what'])
    .execute();
  await leaveDeleted(db, known, now);
}

/** Claims a deletion that is due. */
export function claimDeletion(db: Db, lease: Lease): Promise<DeletionRow | undefined> {
  return claimRow(db, 'deletions', { kind: 'deletions', lease });
}

/** A file that was deleted in Slack, by itself or with its message, with the message that shared it. */
export interface DeletedFile {
  transfer: Transfer;
  message: MessageRef & { threadTs: string | null; userId: string | null };
  /** Whether the message itself was deleted. */
  withMessage: boolean;
  /** Who saved it to its folder by hand; null for who did not. */
  savedBy: string | null;
}

/** All files of the shares that a deletion is about that were deleted, by this deletion or another. */
export async function deletedFiles(db: Db, deletion: What): Promise<DeletedFile[]> {
  const among = (keys: string) => sql<boolean>`exists (select 1 from deletions
    where deletions.team = shares.team and deletions.what = ${sql.raw(keys)})`;
  const withMessage = among(`shares.channel || '/' || shares.ts`);
  const rows = await db
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .selectAll('transfers')
    .select(['shares.team', 'shares.channel', 'shares.ts', 'shares.threadTs'])
    .select('shares.savedBy')
    .select(sql<number>`case when ${withMessage} then 1 else 0 end`.as('withMessage'))
    .where('shares.id', 'in', sharesOf(db, deletion))
    .where((eb) => eb.or([withMessage, among('transfers.slack_file_id')]))
    .orderBy('transfers.shareId')
    .orderBy('transfers.position')
    .execute();
  return rows.map(({ team, channel, ts, threadTs, savedBy, withMessage: whole, ...row }) => ({
    transfer: toTransfer(row),
    message: { team, channel, ts, threadTs, userId: row.userId },
    withMessage: whole === 1,
    savedBy,
  }));
}

/**
 * Written before the sharer is asked, so that nobody is asked twice: returns which of these filed
 * transfers they were not asked about before. Rejects with LEASE_LOST.
 */
export function markAsked(
  db: Db,
  claim: Claim,
  { transfers, now }: { transfers: readonly number[]; now: number },
): Promise<Set<number>> {
  return atomically(db, async (trx) => {
    await assertClaim(trx, 'deletions', claim);
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

/** The question was surely not put: it is asked again. */
export async function unmarkAsked(db: Db, transfers: readonly number[]): Promise<void> {
  await db.updateTable('transfers').set({ askedAt: null }).where('id', 'in', transfers).execute();
}

/** Ends a claim: all is seen to, or it is due again. A lost lease is no error here. */
export async function finishDeletion(db: Db, claim: Claim, dueAt: number | null): Promise<void> {
  const row = db.updateTable('deletions').where(heldBy(claim));
  await row.set({ leaseToken: null, attempts: 0, dueAt }).execute();
}

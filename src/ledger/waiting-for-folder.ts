import { type Kysely, sql } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import { type Destination, queueOf } from '../transfers/index.ts';
import type { ChannelRef } from './channels.ts';
import { shareChanged } from './notifications.ts';
import type { Tables } from './schema.ts';
import { atomically } from './shared-commits.ts';
import { NOT_SENT, redirectShare, retryShare } from './shares.ts';

/*
 * What of a channel waits for the folder that it was linked to before. It goes there still, unless
 * somebody sends it elsewhere or leaves it in Slack; what is in somebody's hands, or may be in the
 * folder, stays on its way.
 */

/** Refusals that another folder may mend; some accounts give no reason. */
const FOLDER_REFUSALS: ErrorCode[] = ['DESTINATION_GONE', 'SERVICE_FORBIDDEN', 'SERVICE_REFUSED'];

/** How many files of a channel are on their way to a folder. */
export async function countWaiting(
  db: Kysely<Tables>,
  ref: ChannelRef,
  { projectId, folderId }: Destination,
): Promise<number> {
  const { count } = await db
    .selectFrom('transfers')
    .select(sql<number>`cast(count(*) as integer)`.as('count'))
    .where('queue', 'in', queuesOf(ref))
    .where('dueAt', 'is not', null)
    .where('projectId', '=', projectId)
    .where('folderId', '=', folderId)
    .where('state', 'in', ['recorded', 'uploaded', 'creating'])
    .executeTakeFirstOrThrow();
  return count;
}

/** Sends to another folder what waits for this one; returns how many files. */
export function moveWaiting(
  db: Kysely<Tables>,
  ref: ChannelRef,
  { from, to, now }: { from: Destination; to: Destination; now: number },
): Promise<number> {
  const { projectId, folderId } = to;
  return atomically(db, async (trx) => {
    const moved = await ofWaiting(trx, ref, from)
      .set({ ...NOT_SENT, projectId, folderId, state: 'recorded' })
      .returning('shareId')
      .execute();
    return shown(trx, moved, now);
  });
}

/** Leaves in Slack what waits for this folder; returns how many files. */
export function leaveWaiting(
  db: Kysely<Tables>,
  ref: ChannelRef,
  { from, now }: { from: Destination; now: number },
): Promise<number> {
  return atomically(db, async (trx) => {
    const left = await ofWaiting(trx, ref, from)
      .set({ state: 'parked', dueAt: null })
      .returning('shareId')
      .execute();
    return shown(trx, left, now);
  });
}

/** Tries in another folder the shares with files that were refused because of this one. */
export async function retryElsewhere(
  db: Kysely<Tables>,
  ref: ChannelRef,
  { from, to, now }: { from: Destination; to: Destination; now: number },
): Promise<void> {
  const rows = await db
    .selectFrom('transfers')
    .select('shareId')
    .distinct()
    .where('queue', 'in', queuesOf(ref))
    .where('state', '=', 'refused')
    .where('problem', 'in', FOLDER_REFUSALS)
    .where('projectId', '=', from.projectId)
    .where('folderId', '=', from.folderId)
    .execute();
  for (const { shareId } of rows) {
    await redirectShare(db, shareId, to);
    await retryShare(db, shareId, now);
  }
}

function ofWaiting(trx: Kysely<Tables>, ref: ChannelRef, { projectId, folderId }: Destination) {
  return trx
    .updateTable('transfers')
    .where('queue', 'in', queuesOf(ref))
    .where('dueAt', 'is not', null)
    .where('leaseToken', 'is', null)
    .where('projectId', '=', projectId)
    .where('folderId', '=', folderId)
    .where('state', 'in', ['recorded', 'uploaded']);
}

function queuesOf(ref: ChannelRef): string[] {
  return [queueOf(ref), queueOf(ref, true)];
}

async function shown(
  trx: Kysely<Tables>,
  rows: readonly { shareId: number }[],
  now: number,
): Promise<number> {
  for (const id of new Set(rows.map(({ shareId }) => shareId))) await shareChanged(trx, id, now);
  return rows.length;
}

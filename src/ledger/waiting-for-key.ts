import type { Kysely } from 'kysely';
import type { Destination } from '../transfers/index.ts';
import type { Tables } from './schema.ts';

/** True once an outage: whoever gets it notifies the person who can have the key mended. */
export async function claimKeyNotice(db: Kysely<Tables>, now: number): Promise<boolean> {
  const row = await db
    .updateTable('runs')
    .set({ keyNoticeAt: now })
    .where('keyNoticeAt', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The outage is over, or nobody could be notified: the next notice is to be given. */
export async function dropKeyNotice(db: Kysely<Tables>): Promise<void> {
  await db.updateTable('runs').set({ keyNoticeAt: null }).execute();
}

/** A transfer that waits for the key. */
export interface WaitingForKey {
  destination: Destination;
  /** Who linked its channel; null when it goes to the default folder. */
  linkedBy: string | null;
}

/** The first transfer that waits for the key, of a channel that somebody linked if there is one. */
export async function firstWaitingForKey(db: Kysely<Tables>): Promise<WaitingForKey | null> {
  const row = await db
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .leftJoin('channels', (join) =>
      join
        .onRef('channels.team', '=', 'shares.team')
        .onRef('channels.channel', '=', 'shares.channel'),
    )
    .select(['transfers.projectId', 'transfers.folderId', 'channels.linkedBy'])
    .where('transfers.dueAt', 'is not', null)
    .where('transfers.problem', '=', 'SERVICE_UNAUTHORIZED')
    .orderBy((eb) => eb.case().when('channels.linkedBy', 'is', null).then(1).else(0).end())
    .orderBy('transfers.id')
    .limit(1)
    .executeTakeFirst();
  if (!row || row.projectId === null || row.folderId === null) return null;
  const { projectId, folderId, linkedBy } = row;
  return { destination: { projectId, folderId }, linkedBy };
}

/** Makes all that waits for the key due at once; returns how many there were. */
export async function hurryWaitingForKey(db: Kysely<Tables>, now: number): Promise<number> {
  const rows = await db
    .updateTable('transfers')
    .set({ dueAt: now })
    .where('dueAt', '>', now)
    .where('leaseToken', 'is', null)
    .where('problem', '=', 'SERVICE_UNAUTHORIZED')
    .returning('id')
    .execute();
  return rows.length;
}

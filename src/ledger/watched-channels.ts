import type { Kysely } from 'kysely';
import type { Tables, WatchRow } from './schema.ts';

/* Which channels are told what others add to their folders: off until somebody turns it on. */

type Channel = Pick<WatchRow, 'team' | 'channel'>;

/** Whether a channel is told what others add to its folder. */
export async function isWatched(db: Kysely<Tables>, { team, channel }: Channel): Promise<boolean> {
  const rows = db
    .selectFrom('watches')
    .select('id')
    .where((eb) => eb.and({ team, channel }));
  return (await rows.executeTakeFirst()) !== undefined;
}

/** Has a channel told, or no more. Resolves with whether that is a change. */
export async function setWatched(
  db: Kysely<Tables>,
  { team, channel }: Channel,
  { on, now }: { on: boolean; now: number },
): Promise<boolean> {
  if (!on) return endWatch(db, { team, channel });
  const row = await db
    .insertInto('watches')
    .values({ team, channel, dueAt: now })
    .onConflict((conflict) => conflict.columns(['team', 'channel']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** A channel's folder is not looked into any more. Resolves with whether it was. */
export async function endWatch(db: Kysely<Tables>, { team, channel }: Channel): Promise<boolean> {
  const row = await db
    .deleteFrom('watches')
    .where((eb) => eb.and({ team, channel }))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** A channel has another folder: nothing of that was seen, and who is looking into the one before loses the claim. */
export async function beginWatchAnew(
  db: Kysely<Tables>,
  { team, channel }: Channel,
  now: number,
): Promise<void> {
  const nothing = { lastRecord: null, lastCreatedAt: null, failures: 0 };
  await db
    .updateTable('watches')
    .set({ ...nothing, dueAt: now, leaseToken: null, attempts: 0 })
    .where((eb) => eb.and({ team, channel }))
    .execute();
}

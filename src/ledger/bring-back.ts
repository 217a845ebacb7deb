import { type RawBuilder, sql } from 'kysely';
import { CLOCKS_APART_MS } from '../core/index.ts';
import { skipLocked } from './run-statements.ts';
import type { Db } from './schema.ts';
import { ON_THEIR_WAY } from './transfer.ts';

/** Longer than anything waits for its next try, in milliseconds: see nextTryDelay. */
const MAX_DUE_MS = 2 * 60 * 60_000;

/**
 * Brings back the times of unfinished work that lie too far ahead: a process whose clock was ahead
 * wrote them, and the work would wait until then. Clocks of instances differ by less.
 */
export async function bringTimesBack(db: Db, now: number): Promise<void> {
  for (const at of ['dueAt', 'againAt'] as const) {
    const late = sql`select kind, key from jobs
      where ${sql.ref(at)} > ${now + MAX_DUE_MS} ${skipLocked(db)}`;
    const jobs = db.updateTable('jobs').set({ [at]: now });
    await jobs.where(sql<boolean>`(kind, key) in (${late})`).execute();
  }
  await unlocked(db, 'transfers', sql`${ON_THEIR_WAY} and next_try_at > ${now + MAX_DUE_MS}`)
    .set({ nextTryAt: null })
    .execute();
  const latest = now + CLOCKS_APART_MS;
  // An open create counts as sent now.
  const ofCreate = sql`${ON_THEIR_WAY} and (creating_since > ${latest} or answered_at > ${latest})`;
  await unlocked(db, 'transfers', ofCreate).set({ creatingSince: now, answeredAt: null }).execute();
  // The line of a share is due some time after this.
  const hasJob = sql`exists (select 1 from jobs where kind = 'message' and key = 'share/' || shares.id)`;
  await unlocked(db, 'shares', sql`recorded_at > ${latest} and ${hasJob}`)
    .set({ recordedAt: now })
    .execute();
  await db.updateTable('holds').set({ since: now }).where('since', '>', latest).execute();
  // Lists are read anew.
  const unread = db.updateTable('folders').set({ readAt: null, completeAt: null });
  await unread
    .where((eb) => eb.or([eb('readAt', '>', latest), eb('completeAt', '>', latest)]))
    .execute();
  const run = db.updateTable('runs').set({ announceRequestAt: null });
  await run.where('announceRequestAt', '>', latest).execute();
}

/** Begins an update of the rows that no other instance is writing: that instance may be frozen. */
export function unlocked<Table extends 'transfers' | 'shares'>(
  db: Db,
  table: Table,
  which: RawBuilder<unknown>,
): ReturnType<typeof db.updateTable<Table>>;
// Kysely cannot tell the columns of a table that is not known yet.
export function unlocked(db: Db, table: 'transfers' | 'shares', which: RawBuilder<unknown>) {
  const ids = sql`(select id from ${sql.table(table)} where ${which} ${skipLocked(db)})`;
  return db.updateTable(table).where(sql<boolean>`id in ${ids}`);
}

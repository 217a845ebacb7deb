import { type RawBuilder, sql } from 'kysely';
import { CLOCKS_APART_MS } from '../transfers/index.ts';
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
  const late = sql`select kind, key from jobs where due_at > ${now + MAX_DUE_MS} ${skipLocked(db)}`;
  await db
    .updateTable('jobs')
    .set({ dueAt: now })
    .where(sql<boolean>`(kind, key) in (${late})`)
    .execute();
  await rows(db, 'transfers', sql`${ON_THEIR_WAY} and next_try_at > ${now + MAX_DUE_MS}`)
    .set({ nextTryAt: null })
    .execute();
  const latest = now + CLOCKS_APART_MS;
  // An open create counts as sent now.
  const ofCreate = sql`${ON_THEIR_WAY} and (creating_since > ${latest} or answered_at > ${latest})`;
  await rows(db, 'transfers', ofCreate).set({ creatingSince: now, answeredAt: null }).execute();
  // The line of a share is due some time after this.
  const hasJob = sql`exists (select 1 from jobs where kind = 'share' and key = cast(shares.id as text))`;
  await rows(db, 'shares', sql`recorded_at > ${latest} and ${hasJob}`)
    .set({ recordedAt: now })
    .execute();
  await db.updateTable('holds').set({ since: now }).where('since', '>', latest).execute();
  const run = db.updateTable('runs').set({ announceRequestAt: null });
  await run.where('announceRequestAt', '>', latest).execute();
}

/** Begins an update of the rows that no other instance is writing: that instance may be frozen. */
function rows<Table extends 'transfers' | 'shares'>(
  db: Db,
  table: Table,
  which: RawBuilder<unknown>,
): ReturnType<typeof db.updateTable<Table>>;
// Kysely cannot tell the columns of a table that is not known yet.
function rows(db: Db, table: 'transfers' | 'shares', which: RawBuilder<unknown>) {
  const ids = sql`(select id from ${sql.table(table)} where ${which} ${skipLocked(db)})`;
  return db.updateTable(table).where(sql<boolean>`id in ${ids}`);
}

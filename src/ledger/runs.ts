import { sql } from 'kysely';
import { anyRow } from './rows.ts';
import type { Db } from './schema.ts';
import { atomically } from './shared-commits.ts';

/** The identifier of the table's row. */
const ONLY_ROW = 1;
/** As much as recording a share takes, and more. In turn: SQLite writes no page that stays as it is. */
const BALLAST_BYTES = 64 * 1024;
const BALLASTS = { one: '1'.repeat(BALLAST_BYTES), other: '2'.repeat(BALLAST_BYTES) };

/**
 * Notes that a process begins to work with the ledger. Returns when the run before ended; `now` when it
 * crashed, as it may have sent until just before; null when there was none.
 */
export function beginRun(db: Db, now: number): Promise<number | null> {
  return atomically(db, async (trx) => {
    const last = await trx.selectFrom('runs').select('endedAt').executeTakeFirst();
    await trx
      .insertInto('runs')
      .values({ id: ONLY_ROW, startedAt: now, endedAt: null })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet({ startedAt: now, endedAt: null }),
      )
      .execute();
    return last ? (last.endedAt ?? now) : null;
  });
}

/** Notes that the process that began at `startedAt` has ended in order; one that began since runs on. */
export async function endRun(db: Db, startedAt: number, now: number): Promise<void> {
  await theRun(db).set({ endedAt: now }).where('startedAt', '=', startedAt).execute();
}

/** Notes the scopes that are missing in Slack, null for none. Resolves with whether that is news. */
export function noteMissingScopes(db: Db, missing: string | null): Promise<boolean> {
  const note = theRun(db).set({ missingScopes: missing });
  return anyRow(note.where('missingScopes', 'is distinct from', missing).returning('id'));
}

/** True once an outage of the key: whoever gets it notifies the person who can have it mended. */
export function claimKeyNotice(db: Db, now: number): Promise<boolean> {
  const note = theRun(db).set({ keyNoticeAt: now });
  return anyRow(note.where('keyNoticeAt', 'is', null).returning('id'));
}

/** The outage is over, or nobody could be notified: the next notice is to be given. */
export async function dropKeyNotice(db: Db): Promise<void> {
  await theRun(db).set({ keyNoticeAt: null }).execute();
}

/** Writes as much as work does, so that a full disk shows before a share is turned away. */
export async function tryWriting(db: Db): Promise<void> {
  const { one, other } = BALLASTS;
  const next = sql<string>`case when ballast = ${one} then ${other} else ${one} end`;
  await theRun(db).set({ ballast: next }).execute();
}

/** The table's row, to be written. */
export function theRun(db: Db) {
  return db.updateTable('runs').where('id', '=', ONLY_ROW);
}

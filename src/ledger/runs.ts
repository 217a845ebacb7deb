import { type RawBuilder, sql } from 'kysely';
import { REDELIVERED_MS } from '../core/index.ts';
import { bringTimesBack, unlocked } from './bring-back.ts';
import { countActive } from './claim-transfers.ts';
import { anyRow, atomically, COUNT } from './run-statements.ts';
import type { Db } from './schema.ts';
import { FILING, ON_THEIR_WAY, reschedule, SCOPE, UPLOAD_KEY } from './transfer.ts';

/** The identifier of the table's row. */
const ONLY_ROW = 1;
/** More than recording a share writes. The values alternate: SQLite skips unchanged pages. */
const BALLAST_BYTES = 64 * 1024;
const BALLASTS = { one: '1'.repeat(BALLAST_BYTES), other: '2'.repeat(BALLAST_BYTES) };

/** How the last run with a ledger ended. */
interface LastRun {
  /** `now` if it crashed, as it may have sent requests until just before. */
  endedAt: number;
  /** Whether it crashed, or ended so long ago that Slack may have given up events. */
  wasAway: boolean;
}

/**
 * Records that a process begins to work with the ledger, and brings back times that lie too far
 * ahead. The first process's `awaySince` is where catch-ups start. After an absence what is in hand is
 * doubted: see doubtInHand. Returns how the previous run ended; null when there was none, to one process
 * only.
 */
export async function beginRun(
  db: Db,
  now: number,
  awaySince: string | null = null,
): Promise<LastRun | null> {
  await bringTimesBack(db, now);
  return atomically(db, async (trx) => {
    const run = { startedAt: now, endedAt: null };
    const insert = trx.insertInto('runs').values({ id: ONLY_ROW, ...run, awaySince });
    const begun = insert.onConflict((conflict) => conflict.column('id').doNothing());
    if (await anyRow(begun.returning('id'))) return null;
    const last = await trx.selectFrom('runs').select('endedAt').executeTakeFirst();
    await theRun(trx).set(run).execute();
    const endedAt = last?.endedAt ?? null;
    // A clock that was ahead says nothing.
    const isShort = endedAt !== null && endedAt <= now && now - endedAt < REDELIVERED_MS;
    if (!isShort) await doubtInHand(trx, now);
    return { endedAt: endedAt ?? now, wasAway: !isShort };
  });
}

/**
 * Has files in hand looked for in their folders before they are sent: the ledger may be an old copy,
 * and they may have been filed since. Leaves alone what another instance has claimed.
 */
async function doubtInHand(trx: Db, now: number): Promise<void> {
  const doubt = (which: RawBuilder<unknown>) =>
    unlocked(trx, 'transfers', sql`earlier is null and ${which}`).set({ earlier: 'look' });
  // The conditions repeat those of the indexes.
  await doubt(
    sql`(state = 'parked' or (problem is not null and refused_in = 'recorded'))`,
  ).execute();
  const isFree = sql`not exists (select 1 from jobs where lease_token is not null
    and due_at > ${now} and ((kind = 'upload' and key = ${UPLOAD_KEY})
      or (kind = 'folder' and key = ${SCOPE})))`;
  const inHand = doubt(sql`${ON_THEIR_WAY} and ${FILING} and ${isFree}`).returning('id');
  await reschedule(trx, await inHand.execute(), { now });
}

/** Returns what an operator knows a ledger by. `isNew`: no process has begun to work with it. */
export async function describeLedger(db: Db) {
  const run = await db.selectFrom('runs').select('id').executeTakeFirst();
  const links = db.selectFrom('channels').where('projectId', 'is not', null);
  const { count } = await links.select(COUNT).executeTakeFirstOrThrow();
  const { rows } = await LAST_MIGRATION.execute(db);
  return {
    isNew: !run,
    links: count,
    waitingFiles: await countActive(db),
    ledgerVersion: rows[0]?.version,
  };
}

const LAST_MIGRATION = sql<{ version: string }>`select max(name) as version from kysely_migration`;

/** Records that the process that began at `startedAt` shut down; one that began later runs on. */
export async function endRun(db: Db, startedAt: number, now: number): Promise<void> {
  await theRun(db).set({ endedAt: now }).where('startedAt', '=', startedAt).execute();
}

/** Forgets the first run, of a process that could not start: the ledger is as new as before. */
export async function abandonRun(db: Db, startedAt: number): Promise<void> {
  const run = db.deleteFrom('runs').where('id', '=', ONLY_ROW);
  await run.where('startedAt', '=', startedAt).execute();
}

/** Records the scopes that Slack has not granted, or null. Resolves with whether they changed. */
export function noteMissingScopes(db: Db, missing: string | null): Promise<boolean> {
  const note = theRun(db).set({ missingScopes: missing });
  return anyRow(note.where('missingScopes', 'is distinct from', missing).returning('id'));
}

/** Writes as much as recording a share, so that a full disk shows before a share is rejected. */
export async function tryWriting(db: Db): Promise<void> {
  const { one, other } = BALLASTS;
  const next = sql<string>`case when ballast = ${one} then ${other} else ${one} end`;
  await theRun(db).set({ ballast: next }).execute();
}

/** Begins an update of the table's only row. */
export function theRun(db: Db) {
  return db.updateTable('runs').where('id', '=', ONLY_ROW);
}

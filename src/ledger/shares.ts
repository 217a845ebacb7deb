import { type Kysely, sql } from 'kysely';
import type { Destination } from '../transfers/index.ts';
import { toLedgerError } from './ledger-error.ts';
import type { ShareRow } from './rows.ts';
import type { Tables } from './schema.ts';
import { shareChanged } from './tellings.ts';
import { type Transfer, toTransfer } from './transfer.ts';

export async function findShareById(db: Kysely<Tables>, id: number): Promise<ShareRow | undefined> {
  return db.selectFrom('shares').selectAll().where('id', '=', id).executeTakeFirst();
}

/** A share's transfers, in the order of its files. */
export async function transfersOfShare(db: Kysely<Tables>, shareId: number): Promise<Transfer[]> {
  const rows = await db
    .selectFrom('transfers')
    .selectAll()
    .where('shareId', '=', shareId)
    .orderBy('position')
    .orderBy('id')
    .execute();
  return rows.map(toTransfer);
}

/** Further than this nobody counts a place in the queue. */
const LONGEST_COUNTED = 1_000;

/** How many transfers of the same queue come before this one: its place in the queue. */
export async function countAhead(db: Kysely<Tables>, transfer: Transfer): Promise<number> {
  const { count } = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('transfers')
        .select('id')
        .where('queue', '=', transfer.queue)
        .where('nextAt', 'is not', null)
        .where('id', '<', transfer.id)
        .limit(LONGEST_COUNTED)
        .as('ahead'),
    )
    .select(sql<number>`cast(count(*) as integer)`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Makes a share's refused and waiting transfers due at once, each in the state that it was in.
 * Those refused start their count of failures anew. Answers how many there were.
 */
export async function retryShare(
  db: Kysely<Tables>,
  shareId: number,
  now: number,
): Promise<number> {
  const refused = await retryRefused(db, shareId, now);
  const waiting = await hurryWaiting(db, shareId, now);
  if (refused + waiting > 0) await shareChanged(db, shareId, now);
  return refused + waiting;
}

// One by one: a twin of one that is on its way stays refused, and holds nobody else back.
async function retryRefused(db: Kysely<Tables>, shareId: number, now: number): Promise<number> {
  const transfers = await transfersOfShare(db, shareId);
  let retried = 0;
  for (const { id, state } of transfers)
    if (state === 'refused' && (await retryTransfer(db, id, now))) retried += 1;
  return retried;
}

async function retryTransfer(db: Kysely<Tables>, id: number, now: number): Promise<boolean> {
  try {
    return await releaseRefused(db, id, now);
  } catch (error) {
    if (toLedgerError(error).code === 'LEDGER_CONFLICT') return false;
    throw error;
  }
}

async function releaseRefused(db: Kysely<Tables>, id: number, now: number): Promise<boolean> {
  const row = await db
    .updateTable('transfers')
    .set({
      state: sql`refused_in`,
      refusedIn: null,
      failures: 0,
      losses: 0,
      failingSince: null,
      problem: null,
      problemNote: null,
      settledAt: null,
      nextAt: now,
    })
    .where('id', '=', id)
    .where('state', '=', 'refused')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

async function hurryWaiting(trx: Kysely<Tables>, shareId: number, now: number): Promise<number> {
  const rows = await trx
    .updateTable('transfers')
    .set({ nextAt: now })
    .where('shareId', '=', shareId)
    .where('nextAt', '>', now)
    .where('leaseToken', 'is', null)
    .returning('id')
    .execute();
  return rows.length;
}

/** Sends what has not left for the service yet to another folder: the channel was linked anew. */
export async function redirectShare(
  db: Kysely<Tables>,
  shareId: number,
  { projectId, folderId }: Destination,
): Promise<void> {
  await db
    .updateTable('transfers')
    .set({
      projectId,
      folderId,
      state: sql`case when state = 'refused' then state else 'recorded' end`,
      refusedIn: sql`case when state = 'refused' then 'recorded' else refused_in end`,
      attachmentId: null,
      creatingSince: null,
    })
    .where('shareId', '=', shareId)
    .where('leaseToken', 'is', null)
    .where((eb) =>
      eb.or([
        eb('projectId', 'is distinct from', projectId),
        eb('folderId', 'is distinct from', folderId),
      ]),
    )
    .where((eb) =>
      eb.or([
        eb('state', 'in', ['recorded', 'uploaded']),
        eb.and([eb('state', '=', 'refused'), eb('refusedIn', 'in', ['recorded', 'uploaded'])]),
      ]),
    )
    .execute();
}

/** Which messages of a channel the ledger has as shares. */
export async function knownShares(
  db: Kysely<Tables>,
  { team, channel }: { team: string; channel: string },
  timestamps: string[],
): Promise<Set<string>> {
  const known = new Set<string>();
  for (let start = 0; start < timestamps.length; start += 500) {
    const rows = await db
      .selectFrom('shares')
      .select('ts')
      .where('team', '=', team)
      .where('channel', '=', channel)
      .where('ts', 'in', timestamps.slice(start, start + 500))
      .execute();
    for (const row of rows) known.add(row.ts);
  }
  return known;
}

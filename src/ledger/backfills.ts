import { type Kysely, sql } from 'kysely';
import { type Destination, queueOf } from '../transfers/index.ts';
import type { ChannelRef } from './channels.ts';
import { reportChanged, reportDue } from './notifications.ts';
import type { ReportRow, Tables } from './schema.ts';
import { atomically } from './shared-commits.ts';

/**
 * A backfill files what a channel held before it was linked, under one report. First its history is
 * read, newest page first, and what is found recorded as parked; when all is read the parked files
 * are sent on their way, oldest first. Until then the report has `readUntil`, so that whoever
 * starts next takes the reading up where it was.
 */

export interface ReadClaim {
  reportId: number;
  token: string;
}

/** How soon a report is told of that may be through in a moment. */
const QUICK_MS = 1_000;

/** Begins a backfill, unless the channel's history is being read for one already. */
export async function beginBackfill(
  db: Kysely<Tables>,
  { team, channel }: ChannelRef,
  { startedBy, now }: { startedBy: string; now: number },
): Promise<void> {
  const row = { team, channel, kind: 'backfill' as const, startedBy, startedAt: now };
  await db
    .insertInto('reports')
    .values({ ...row, readUntil: now, dueAt: now + QUICK_MS })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Claims a backfill whose history nobody reads just now; undefined when there is none. */
export async function claimReading(
  db: Kysely<Tables>,
  { now, until, token }: { now: number; until: number; token: string },
): Promise<ReportRow | undefined> {
  const due = sql<number>`(select id from reports where read_until <= ${now} order by id limit 1)`;
  return db
    .updateTable('reports')
    .set({ readUntil: until, readToken: token })
    .where('id', '=', due)
    .where('readUntil', '<=', now)
    .returningAll()
    .executeTakeFirst();
}

/** Moves the end of claims; answers the tokens that still held theirs. */
export async function renewReadings(
  db: Kysely<Tables>,
  tokens: string[],
  until: number,
): Promise<Set<string>> {
  if (tokens.length === 0) return new Set();
  const rows = await db
    .updateTable('reports')
    .set({ readUntil: until })
    .where('readUntil', 'is not', null)
    .where('readToken', 'in', tokens)
    .returning('readToken')
    .execute();
  return new Set(rows.flatMap((row) => row.readToken ?? []));
}

/** What came after `readTo` is in the ledger. False when the claim is lost: stopped, or another's. */
export async function markReadTo(
  db: Kysely<Tables>,
  { reportId, token }: ReadClaim,
  { readTo, now }: { readTo: string; now: number },
): Promise<boolean> {
  const row = await ofClaim(db, { reportId, token })
    .set({ readTo, readFailures: 0, readProblem: null })
    .returning('id')
    .executeTakeFirst();
  if (row) await reportChanged(db, reportId, now);
  return row !== undefined;
}

/** Hands a claim back: the reading is due again at `again`. A lost claim is no error here. */
export async function releaseReading(
  db: Kysely<Tables>,
  claim: ReadClaim,
  again: number,
): Promise<void> {
  await ofClaim(db, claim).set({ readUntil: again, readToken: null }).execute();
}

/** Ends a claim with a failure, and counts it: the reading is due again at `again`. */
export async function postponeReading(
  db: Kysely<Tables>,
  claim: ReadClaim,
  { again, problem, now }: { again: number; problem: string; now: number },
): Promise<void> {
  await ofClaim(db, claim)
    .set((eb) => ({
      readUntil: again,
      readToken: null,
      readFailures: eb('readFailures', '+', 1),
      readProblem: problem,
    }))
    .execute();
  await reportChanged(db, claim.reportId, now);
}

/** Ends a backfill whose history cannot be read, with the reason; what was found stays parked. */
export async function failReading(
  db: Kysely<Tables>,
  claim: ReadClaim,
  { problem, now }: { problem: string; now: number },
): Promise<void> {
  await ofClaim(db, claim)
    .set({ stopped: 1, readUntil: null, readToken: null, readProblem: problem })
    .execute();
  await reportDue(db, claim.reportId, now);
}

/**
 * All is read: sends the channel's parked past on its way, oldest first, also what an earlier
 * backfill was stopped at. False, with nothing done, when the claim is lost.
 */
export function fileBackfill(
  db: Kysely<Tables>,
  claim: ReadClaim,
  { destination, now }: { destination: Destination; now: number },
): Promise<boolean> {
  return atomically(db, async (trx) => {
    const report = await ofClaim(trx, claim)
      .set({ readUntil: null, readToken: null, readProblem: null })
      .returning(['team', 'channel'])
      .executeTakeFirst();
    if (!report) return false;
    await adoptParkedPast(trx, claim.reportId, report);
    await sendParkedPast(trx, report, destination);
    await reportDue(trx, claim.reportId, now);
    return true;
  });
}

/** How many files of the channel's past are parked: those that a backfill was stopped at. */
export async function countParkedPast(db: Kysely<Tables>, ref: ChannelRef): Promise<number> {
  const { count } = await db
    .selectFrom('transfers')
    .select(sql<number>`cast(count(*) as integer)`.as('count'))
    .where('state', '=', sql.lit('parked'))
    .where('queue', '=', queueOf(ref, true))
    .executeTakeFirstOrThrow();
  return count;
}

/** Up to which message a channel's history is confirmed; null while it is not. */
export async function findConfirmed(
  db: Kysely<Tables>,
  { team, channel }: ChannelRef,
): Promise<string | null> {
  const row = await db
    .selectFrom('channels')
    .select('confirmedTs')
    .where('team', '=', team)
    .where('channel', '=', channel)
    .executeTakeFirst();
  return row?.confirmedTs ?? null;
}

/** Ends the claims that a crash left: right only when no other process can hold any. */
export async function endReadings(db: Kysely<Tables>, now: number): Promise<void> {
  await db
    .updateTable('reports')
    .set({ readUntil: now, readToken: null })
    .where('readUntil', 'is not', null)
    .execute();
}

async function adoptParkedPast(
  trx: Kysely<Tables>,
  reportId: number,
  ref: ChannelRef,
): Promise<void> {
  await trx
    .updateTable('shares')
    .set({ reportId })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('transfers')
        .select('shareId')
        .where('state', '=', sql.lit('parked'))
        .where('queue', '=', queueOf(ref, true)),
    )
    .execute();
}

// Due since long ago, in the order of sharing: who claims what has been due longest takes the oldest.
async function sendParkedPast(
  trx: Kysely<Tables>,
  ref: ChannelRef,
  { projectId, folderId }: Destination,
): Promise<void> {
  await trx
    .updateTable('transfers')
    .from(
      trx
        .selectFrom('transfers as past')
        .innerJoin('shares', 'shares.id', 'past.shareId')
        .select((eb) => [
          'past.id',
          eb.fn
            .agg<number>('row_number')
            .over((over) => over.orderBy('shares.ts').orderBy('past.position'))
            .as('rank'),
        ])
        .where('past.state', '=', sql.lit('parked'))
        .where('past.queue', '=', queueOf(ref, true))
        .as('ranked'),
    )
    .set((eb) => ({
      projectId,
      folderId,
      state: 'recorded',
      dueAt: eb.ref('ranked.rank'),
      attachmentId: null,
    }))
    .whereRef('transfers.id', '=', 'ranked.id')
    .execute();
}

function ofClaim(db: Kysely<Tables>, { reportId, token }: ReadClaim) {
  return db
    .updateTable('reports')
    .where('id', '=', reportId)
    .where('readToken', '=', token)
    .where('readUntil', 'is not', null);
}

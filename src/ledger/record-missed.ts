import type { Kysely } from 'kysely';
import type { Destination, Share } from '../transfers/index.ts';
import type { ChannelRef } from './channels.ts';
import type { Claim } from './lease.ts';
import { isUnrecordable } from './ledger-error.ts';
import { reportChanged } from './notifications.ts';
import { assertReading } from './readings.ts';
import { recordShares, type ShareToRecord } from './record-share.ts';
import { createReport } from './reports.ts';
import type { Tables } from './schema.ts';
import { atomically } from './shared-commits.ts';

export interface Missed extends ChannelRef {
  /** What no event brought, the oldest first. */
  shares: Share[];
  destination: Destination;
  now: number;
}

export interface RecordedMissed {
  /** How many files were new. */
  files: number;
  /** What the database does not take: see recordShare. */
  unrecordable: Share[];
}

/**
 * Records what a channel's catch-up found, and the report that speaks for it, all or nothing: a crash
 * in the middle would have the rest reported by a second report. Only where one of them cannot be
 * recorded is each recorded by itself, so that it keeps none of the others back. Rejects with
 * LEASE_LOST, with nothing recorded, when the channel is another's by now.
 */
export async function recordMissed(
  db: Kysely<Tables>,
  claim: Claim,
  missed: Missed,
): Promise<RecordedMissed> {
  try {
    return { files: await recordAll(db, claim, missed), unrecordable: [] };
  } catch (error) {
    if (!isUnrecordable(error)) throw error;
    return recordEach(db, missed);
  }
}

function recordAll(db: Kysely<Tables>, claim: Claim, missed: Missed): Promise<number> {
  return atomically(db, async (trx) => {
    await assertReading(trx, claim);
    const reportId = await createReport(trx, reportOf(missed));
    const inputs = missed.shares.map((share) => toRecord(share, reportId, missed));
    const recorded = await recordShares(trx, inputs);
    await reportChanged(trx, reportId, missed.now);
    return recorded.reduce((sum, { transfers }) => sum + transfers, 0);
  });
}

async function recordEach(db: Kysely<Tables>, missed: Missed): Promise<RecordedMissed> {
  const reportId = await createReport(db, reportOf(missed));
  const recorded: RecordedMissed = { files: 0, unrecordable: [] };
  for (const share of missed.shares) {
    try {
      const [one] = await recordShares(db, [toRecord(share, reportId, missed)]);
      recorded.files += one?.transfers ?? 0;
    } catch (error) {
      if (!isUnrecordable(error)) throw error;
      recorded.unrecordable.push(share);
    }
  }
  if (recorded.files > 0) await reportChanged(db, reportId, missed.now);
  return recorded;
}

function reportOf({ team, channel, now }: Missed) {
  return { team, channel, kind: 'catch-up' as const, startedBy: null, now };
}

function toRecord(share: Share, reportId: number, { destination, now }: Missed): ShareToRecord {
  return { share, origin: 'catch-up', destination, reportId, now };
}

import type { Kysely } from 'kysely';
import type { Destination, Share } from '../transfers/index.ts';
import type { ChannelRef } from './channels.ts';
import { recordShareIn } from './record-share.ts';
import { createReport } from './reports.ts';
import type { Tables } from './schema.ts';
import { reportChanged } from './tellings.ts';

export interface Missed extends ChannelRef {
  /** What no event brought, the oldest first. */
  shares: Share[];
  destination: Destination;
  now: number;
}

/**
 * Records what a channel's catch-up found, and the report that speaks for it, all or nothing: a crash
 * in the middle would have the rest told of by a second report. Answers how many files were new.
 */
export function recordMissed(db: Kysely<Tables>, missed: Missed): Promise<number> {
  const { team, channel, shares, destination, now } = missed;
  const report = { team, channel, kind: 'catch-up' as const, startedBy: null, now };
  return db.transaction().execute(async (trx) => {
    const reportId = await createReport(trx, report);
    const spokenFor = { origin: 'catch-up' as const, destination, reportId, now };
    let files = 0;
    for (const share of shares)
      files += (await recordShareIn(trx, { share, ...spokenFor })).transfers;
    await reportChanged(trx, reportId, now);
    return files;
  });
}

import type { ChannelRef } from '../ledger/index.ts';
import type { Destination, Share } from '../transfers/index.ts';
import type { CatchUpContext } from './catch-up-context.ts';

/** Counting for an offer stops here: "more than 2,000" is answer enough. */
const MOST_COUNTED = 2_000;

type BackfillContext = Pick<CatchUpContext, 'ledger' | 'workspace' | 'clock' | 'wake'>;

export interface EarlierFiles {
  count: number;
  /** Whether there may be more than were counted. */
  more: boolean;
}

/** How many files a channel already holds that are not in the ledger. */
export async function countEarlier(
  channel: ChannelRef,
  context: BackfillContext,
): Promise<EarlierFiles> {
  let count = 0;
  for await (const shares of unknownShares(channel, context)) {
    count += shares.reduce((sum, share) => sum + share.files.length, 0);
    if (count >= MOST_COUNTED) return { count: MOST_COUNTED, more: true };
  }
  return { count, more: false };
}

/**
 * Records what a channel held before it was linked, oldest first, under one report. What an earlier
 * backfill was stopped at is taken up again. Answers the report, or null when there was nothing.
 */
export async function startBackfill(
  channel: ChannelRef,
  { destination, startedBy }: { destination: Destination; startedBy: string },
  context: BackfillContext,
): Promise<number | null> {
  const { ledger, clock } = context;
  const shares: Share[] = [];
  for await (const page of unknownShares(channel, context)) shares.push(...page);
  shares.sort((a, b) => (a.ts < b.ts ? -1 : 1));
  const { team, channel: id } = channel;
  const begin = { team, channel: id, kind: 'backfill' as const, startedBy, now: clock.now() };
  const reportId = await ledger.createReport(begin);
  const resumed = await ledger.resumeParkedPast(channel, {
    reportId,
    destination,
    now: clock.now(),
  });
  for (const share of shares) {
    const input = { share, origin: 'backfill' as const, destination, reportId, now: clock.now() };
    await ledger.recordShare(input);
  }
  if (shares.length + resumed === 0) return null;
  await ledger.reportChanged(reportId, clock.now());
  context.wake();
  return reportId;
}

async function* unknownShares(
  { team, channel }: ChannelRef,
  { workspace, ledger }: BackfillContext,
): AsyncGenerator<Share[]> {
  for await (const page of workspace.history(channel, { oldest: '0', threadsSince: '0' })) {
    const timestamps = page.shares.map((share) => share.ts);
    const known = await ledger.knownShares({ team, channel }, timestamps);
    yield page.shares.filter((share) => !known.has(share.ts));
  }
}

import type { ChannelRef } from '../ledger/index.ts';
import type { CatchUpContext } from './catch-up-context.ts';
import { pastOf } from './past-of.ts';

/** Counting for an offer stops here: "more than 2,000" is answer enough. */
const MOST_COUNTED = 2_000;

export interface EarlierFiles {
  count: number;
  /** Whether there may be more than were counted. */
  more: boolean;
}

/** How many files a channel already holds that are not in the ledger, or that a backfill was stopped at. */
export async function countEarlier(
  { team, channel }: ChannelRef,
  { ledger, workspace, clock }: Pick<CatchUpContext, 'ledger' | 'workspace' | 'clock'>,
): Promise<EarlierFiles> {
  const past = await pastOf({ team, channel }, { ledger, clock });
  let count = await ledger.countParkedPast({ team, channel });
  for await (const { shares } of workspace.history(channel, past)) {
    const timestamps = shares.map((share) => share.ts);
    const known = await ledger.knownShares({ team, channel }, timestamps);
    for (const share of shares) count += known.has(share.ts) ? 0 : share.files.length;
    if (count >= MOST_COUNTED) return { count: MOST_COUNTED, more: true };
  }
  return { count, more: false };
}

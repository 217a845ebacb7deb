import type { ChannelRef } from '../ledger/index.ts';
import { slackTs } from '../slack/index.ts';
import type { CatchUpContext } from './catch-up-context.ts';

/** How long an event may be on its way, in milliseconds. */
const DELIVERY_MS = 60_000;

/** The part of a channel's history that is its past, for Workspace.history. */
export interface Past {
  oldest: string;
  latest: string;
  threadsSince: string;
}

/**
 * The part of a channel's history that is filed on request alone: all before its last confirmed
 * message. What came after that is brought by events, or else by the catch-up, and has a line of
 * its own.
 */
export async function pastOf(
  channel: ChannelRef,
  { ledger, clock }: Pick<CatchUpContext, 'ledger' | 'clock'>,
): Promise<Past> {
  const confirmed = await ledger.findConfirmed(channel);
  const latest = confirmed ?? slackTs(clock.now() - DELIVERY_MS);
  return { oldest: '0', latest, threadsSince: '0' };
}

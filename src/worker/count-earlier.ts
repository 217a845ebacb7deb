import type { Random } from '../base/index.ts';
import type { ChannelRef } from '../ledger/index.ts';
import { isPermanent, SlackCallError } from '../slack/index.ts';
import { backoff, type Share } from '../transfers/index.ts';
import { type Past, pastOf } from './backfill.ts';
import type { ReadingContext } from './reading-context.ts';

/** Counting for an offer stops here: "more than 2,000" is answer enough. */
const MOST_COUNTED = 2_000;
/** With the waits between them, most of an hour: who linked the channel still knows of it. */
const MOST_FAILURES = 10;

export interface EarlierFiles {
  count: number;
  /** Whether there may be more than were counted. */
  more: boolean;
}

export interface CountContext extends Pick<ReadingContext, 'ledger' | 'workspace' | 'clock'> {
  random: Random;
  /** Ends the count. */
  signal: AbortSignal;
}

interface Counting {
  channel: ChannelRef;
  past: Past;
  files: number;
  /** A reply that was also sent to the channel is met twice. */
  met: Set<string>;
  readTo: string | undefined;
}

/**
 * How many files a channel already holds that are not in the ledger, or that a backfill was stopped
 * at. When Slack fails it goes on from there, after growing waits; rejects with SlackCallError when
 * that goes on for long or cannot pass, and with the signal's reason.
 */
export async function countEarlier(
  channel: ChannelRef,
  context: CountContext,
): Promise<EarlierFiles> {
  const { ledger, clock, random, signal } = context;
  const past = await pastOf(channel, context);
  const files = await ledger.countParked(channel, { past: true });
  const counting: Counting = { channel, past, files, met: new Set(), readTo: undefined };
  for (let failures = 1; ; failures += 1)
    try {
      return await countOn(counting, context);
    } catch (error) {
      const mayPass = error instanceof SlackCallError && !isPermanent(error);
      if (!mayPass || failures === MOST_FAILURES) throw error;
      await clock.sleep(backoff(failures, random.fraction(), error.retryAfterMs), signal);
    }
}

async function countOn(
  counting: Counting,
  { ledger, workspace, signal }: CountContext,
): Promise<EarlierFiles> {
  const { channel, past, readTo, met } = counting;
  const range = { ...past, readTo, signal };
  for await (const page of workspace.history(channel.channel, range)) {
    const fresh = page.shares.filter((share) => !met.has(share.ts));
    for (const { ts } of fresh) met.add(ts);
    counting.files += await countUnknown(channel, fresh, ledger);
    counting.readTo = page.readTo ?? counting.readTo;
    if (counting.files >= MOST_COUNTED) return { count: MOST_COUNTED, more: true };
  }
  return { count: counting.files, more: false };
}

async function countUnknown(
  channel: ChannelRef,
  shares: Share[],
  ledger: CountContext['ledger'],
): Promise<number> {
  const timestamps = shares.map((share) => share.ts);
  const known = await ledger.knownShares(channel, timestamps);
  const unknown = shares.filter((share) => !known.has(share.ts));
  return unknown.reduce((sum, share) => sum + share.files.length, 0);
}

import { type ChannelRef, LedgerError } from '../ledger/index.ts';
import { slackTs, slackTsBefore } from '../slack/index.ts';
import type { Destination, Share } from '../transfers/index.ts';
import type { CatchUpContext } from './catch-up-context.ts';
import { leaveUnrecorded } from './leave-unrecorded.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** A thread is looked into when its first message is no older than this before the last catch-up. */
const THREADS_MS = 30 * DAY_MS;
/** How long an event may be on its way: what is younger is not missed yet. */
const DELIVERY_MS = 60_000;
/**
 * How long a channel is this instance's, from the claim or its last call to Slack on: longer than
 * Slack may ask to wait before the next.
 */
const CLAIM_MS = 5 * 60_000;

export interface CatchUpNeed {
  /** Our clock's time: a channel that was read since then needs nothing. */
  neededAt: number;
  /**
   * Up to where every channel had been read before this run: from here on channels that are new to
   * the ledger are read. Null for the first run.
   */
  awaySince: string | null;
}

/**
 * Catches one channel up, unless an instance has read it since `neededAt`. Answers how many files
 * were recorded; null while it is another instance's.
 */
export async function catchUpChannel(
  channel: ChannelRef,
  { neededAt, awaySince }: CatchUpNeed,
  context: CatchUpContext,
): Promise<number | null> {
  const { ledger, clock } = context;
  const destination = await context.findDestination(channel);
  if (!destination) return 0;
  let claim = { ...channel, until: clock.now() + CLAIM_MS };
  const claimed = await ledger.claimCatchUp(claim, clock.now());
  if (!claimed) return null;
  const keep = async () => {
    const until = clock.now() + CLAIM_MS;
    if (!(await ledger.renewCatchUp(claim, until)))
      throw new LedgerError('LEASE_LOST', `another instance reads channel ${channel.channel}`);
    claim = { ...claim, until };
  };
  let caughtUpAt: number | null = null;
  try {
    if (claimed.caughtUpAt !== null && claimed.caughtUpAt >= neededAt) return 0;
    const readAt = clock.now();
    const { confirmedTs } = claimed;
    const claimedChannel = { ...channel, confirmedTs, awaySince, destination, keep };
    const recorded = await readClaimed(claimedChannel, context);
    caughtUpAt = readAt;
    return recorded;
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'LEASE_LOST') return null;
    throw error;
  } finally {
    await ledger.endCatchUp(claim, caughtUpAt);
  }
}

interface ClaimedChannel extends ChannelRef {
  /** Up to where it has been read; null for never. */
  confirmedTs: string | null;
  awaySince: string | null;
  destination: Destination;
  /** Keeps the claim; rejects with LEASE_LOST when it is another instance's by now. */
  keep: () => Promise<void>;
}

async function readClaimed(channel: ClaimedChannel, context: CatchUpContext): Promise<number> {
  const { ledger, clock } = context;
  const readAt = clock.now();
  const missed = await readMissed(channel, context);
  await channel.keep();
  const recorded = missed.length > 0 ? await record(channel, missed, context) : 0;
  await ledger.confirmUpTo(channel, slackTsBefore(readAt));
  return recorded;
}

async function readMissed(
  { team, channel, confirmedTs, awaySince, keep }: ClaimedChannel,
  { workspace, ledger, clock, eventsSince }: CatchUpContext,
): Promise<Share[]> {
  const oldest = confirmedTs ?? awaySince;
  if (oldest === null) return [];
  const missedBefore = slackTs(Math.max(eventsSince(), clock.now() - DELIVERY_MS));
  const threadsSince = slackTs(Math.max(0, Number(oldest) * 1000 - THREADS_MS));
  const shares: Share[] = [];
  const bot: BotInChannel = { joinedTs: null, leftTs: null };
  const range = { oldest, threadsSince, beforeCall: keep };
  for await (const page of workspace.history(channel, range)) {
    shares.push(...page.shares);
    bot.joinedTs ??= page.joinedTs;
    bot.leftTs ??= page.leftTs ?? null;
  }
  // In a channel that is new to us only what came after the bot itself was missed; the bot was in
  // there before, where nothing tells of it joining since.
  const from = confirmedTs ?? bot.joinedTs ?? oldest;
  const fresh = shares.filter(({ ts }) => ts > from && ts < missedBefore && !isWithoutBot(ts, bot));
  const timestamps = fresh.map((share) => share.ts);
  const known = await ledger.knownShares({ team, channel }, timestamps);
  const missed = fresh.filter((share) => !known.has(share.ts));
  return missed.sort((a, b) => (a.ts < b.ts ? -1 : 1));
}

/** When the bot last joined a channel and last left it, as far as its history tells. */
interface BotInChannel {
  joinedTs: string | null;
  leftTs: string | null;
}

// Where Slack does not tell of a leave the bot may have been there all the time.
function isWithoutBot(ts: string, { joinedTs, leftTs }: BotInChannel): boolean {
  return joinedTs !== null && leftTs !== null && leftTs < ts && ts < joinedTs;
}

async function record(
  { team, channel, destination }: ClaimedChannel,
  shares: Share[],
  context: CatchUpContext,
): Promise<number> {
  const { ledger, clock, logger, wake } = context;
  const missed = { team, channel, shares, destination, now: clock.now() };
  const { files, unrecordable } = await ledger.recordMissed(missed);
  for (const share of unrecordable) await leaveUnrecorded(share, context);
  logger.info({ channel, files }, 'Files that no event brought were recorded');
  wake();
  return files;
}

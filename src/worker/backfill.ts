import type { EarlierFiles } from '../blocks/index.ts';
import { type ChannelRef, isUnrecordable, type ReadingRow } from '../ledger/index.ts';
import { type HistoryPage, isPermanent, SlackCallError, slackTs } from '../slack/index.ts';
import { backoff, type Share } from '../transfers/index.ts';
import { DELIVERY_MS, leaveUnrecorded } from './catch-up.ts';
import type { HeldRow } from './job.ts';
import type { ReadingContext } from './worker-context.ts';

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
async function pastOf(
  channel: ChannelRef,
  { ledger, clock }: Pick<ReadingContext, 'ledger' | 'clock'>,
): Promise<Past> {
  const confirmed = await ledger.findConfirmed(channel);
  const latest = confirmed ?? slackTs(clock.now() - DELIVERY_MS);
  return { oldest: '0', latest, threadsSince: '0' };
}

/**
 * Reads what a channel held before it was linked, from where an earlier try ended, records it page
 * by page as parked, and sends all of it on its way, oldest first. What is in the ledger already
 * stays as it is. A claim that is lost on the way ends it: somebody pressed Stop, or another
 * instance reads on.
 */
export async function backfill(
  { row, claim, held }: HeldRow<ReadingRow>,
  context: ReadingContext,
): Promise<void> {
  const { ledger, workspace, clock, wake } = context;
  const { signal } = held;
  const past = await pastOf(row, context);
  const range = { ...past, readTo: row.readTo ?? undefined, signal };
  for await (const page of workspace.history(row.channel, range)) {
    signal.throwIfAborted();
    await recordPage(row, page, context);
    const { readTo } = page;
    if (readTo && !(await ledger.markReadTo(claim, { readTo, now: clock.now() }))) return;
    wake();
  }
  const found = await context.findDestination(row);
  if (found) {
    const { projectId, folderId } = found;
    await ledger.fileBackfill(claim, { destination: { projectId, folderId }, now: clock.now() });
  } else await stop(row, context);
  wake();
}

// The channel was unlinked meanwhile.
async function stop({ reportId }: ReadingRow, { ledger, clock }: ReadingContext): Promise<void> {
  const report = reportId === null ? undefined : await ledger.findReport(reportId);
  if (report) await ledger.stopReport(report, clock.now());
}

async function recordPage(
  { reportId, team, channel }: ReadingRow,
  { shares }: HistoryPage,
  context: ReadingContext,
): Promise<void> {
  const { ledger, clock } = context;
  const timestamps = shares.map((share) => share.ts);
  const known = await ledger.knownShares({ team, channel }, timestamps);
  const parked = { origin: 'backfill' as const, destination: null, reportId };
  for (const share of shares)
    if (!known.has(share.ts))
      await ledger
        .recordShare({ share, ...parked, now: clock.now() })
        .catch((error: unknown) => passOver(share, error, context));
}

function passOver(share: Share, error: unknown, context: ReadingContext): Promise<void> {
  if (!isUnrecordable(error)) throw error;
  return leaveUnrecorded(share, context, error);
}

/** Counting for an offer stops here: "more than 2,000" is answer enough. */
const MOST_COUNTED = 2_000;
/** With the waits between them, most of an hour: who linked the channel still knows of it. */
const MOST_FAILURES = 10;

interface CountContext extends Pick<ReadingContext, 'ledger' | 'workspace' | 'clock' | 'random'> {
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
  const files = await ledger.countParked(channel, 'past');
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

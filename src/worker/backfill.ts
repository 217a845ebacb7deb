import { createSingleFlight } from '../base/index.ts';
import type { EarlierFiles } from '../blocks/index.ts';
import { isUnrecordable, type ReadingRow } from '../ledger/index.ts';
import { type HistoryPage, isPermanent, SlackCallError, slackTs } from '../slack/index.ts';
import { backoff, type ChannelRef, type Share } from '../transfers/index.ts';
import { DELIVERY_MS, laterOf, leaveUnrecorded, withoutKnownFiles } from './catch-up.ts';
import type { HeldRow } from './job.ts';
import type { ReadingContext } from './worker-context.ts';

/**
 * Returns the range, for Workspace.history, that is filed only on request: all before the channel's
 * last confirmed message or the bot's last join, whichever is later. Events or a catch-up bring
 * later shares, which are reported separately.
 */
async function pastOf(
  channel: ChannelRef,
  { ledger, clock }: Pick<ReadingContext, 'ledger' | 'clock'>,
) {
  const { confirmedTs, joinedTs } = await ledger.findHistoryMarks(channel);
  const latest = laterOf(confirmedTs, joinedTs) ?? slackTs(clock.now() - DELIVERY_MS);
  return { oldest: '0', latest, threadsSince: '0' };
}

/**
 * Reads what a channel held before it was linked, from where an earlier try ended, records it page
 * by page as parked, and sends all of it on its way, oldest first. Files already in the ledger stay
 * unchanged. Ends early when the claim is lost: a member pressed Stop, or another instance
 * continues.
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
  } else {
    // The channel was unlinked meanwhile.
    const report = row.reportId === null ? undefined : await ledger.findReport(row.reportId);
    if (report) await ledger.stopReport(report, clock.now());
  }
  wake();
}

async function recordPage(
  { reportId, team, channel }: ReadingRow,
  { shares }: HistoryPage,
  context: ReadingContext,
): Promise<void> {
  const { ledger, clock } = context;
  const parked = { origin: 'backfill' as const, destination: null, reportId };
  for (const share of await withoutKnownFiles(shares, { team, channel }, ledger))
    try {
      await ledger.recordShare({ share, ...parked, now: clock.now() });
    } catch (error) {
      if (!isUnrecordable(error)) throw error;
      await leaveUnrecorded(share, context, error);
    }
}

/** Counting for an offer stops here: "at least 2,000" is answer enough. */
const MAX_COUNTED = 2_000;
/** With the waits between them, most of an hour: who linked the channel still knows of it. */
const MAX_FAILURES = 10;

/**
 * Counts a channel's files that are not in the ledger, or that a stopped backfill left parked.
 * Reads threads, one call each, only if nothing else has such a file, and until one thread has.
 * Continues after transient errors of Slack's, with growing waits. Rejects with SlackCallError for
 * a permanent error or the MAX_FAILURES-th transient one, and with the signal's reason.
 */
async function countEarlier(
  { team, channel }: ChannelRef,
  context: Pick<ReadingContext, 'ledger' | 'workspace' | 'clock' | 'random'> & {
    signal: AbortSignal;
  },
): Promise<EarlierFiles> {
  const { ledger, workspace, clock, random, signal } = context;
  const past = await pastOf({ team, channel }, context);
  let count = await ledger.countParked({ team, channel }, 'past');
  let readTo: string | undefined;
  const threads: string[] = [];
  // A reply that was also sent to the channel appears twice.
  const met = new Set<string>();
  const add = async (shares: readonly Share[]) => {
    const fresh = shares.filter(({ ts }) => !met.has(ts));
    for (const { ts } of fresh) met.add(ts);
    for (const { files } of await withoutKnownFiles(fresh, { team, channel }, ledger))
      count += files.length;
  };
  const countOn = async (): Promise<EarlierFiles> => {
    const range = { ...past, readTo, skipThreads: true, signal };
    for await (const page of workspace.history(channel, range)) {
      await add(page.shares);
      threads.push(...page.skippedThreads);
      readTo = page.readTo ?? readTo;
      if (count >= MAX_COUNTED) return { count: MAX_COUNTED, more: true };
    }
    while (count === 0 && threads.length > 0) {
      const [ts = ''] = threads;
      await add(await workspace.thread({ channel, ts }, { ...past, signal }));
      threads.shift();
    }
    return { count, more: count > 0 && threads.length > 0 };
  };
  for (let failures = 1; ; failures += 1)
    try {
      return await countOn();
    } catch (error) {
      const mayPass = error instanceof SlackCallError && !isPermanent(error);
      if (!mayPass || failures === MAX_FAILURES) throw error;
      await clock.sleep(backoff(failures, random.fraction(), error.retryAfterMs), signal);
    }
}

/** Returns countEarlier as a function of the channel; callers during a count share its result. */
export function createEarlierCount(context: Parameters<typeof countEarlier>[1]) {
  const once = createSingleFlight<EarlierFiles>({ clock: context.clock, keepMs: 0 });
  return (channel: ChannelRef) => once(channel.channel, () => countEarlier(channel, context));
}

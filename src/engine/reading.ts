import {
  askedToWaitMs,
  createSingleFlight,
  hasCode,
  isFinal,
  PigeonholeError,
} from '../base/index.ts';
import { type ChannelRef, type EarlierFiles, nextTryDelay, type Share } from '../core/index.ts';
import type { ClaimedRow } from '../ledger/index.ts';
import { isRefused, SlackCallError, slackTs } from '../slack/index.ts';
import { catchUp, DELIVERY_MS, laterOf } from './catch-up.ts';
import type { EngineContext } from './engine-context.ts';
import { type Handler, type HeldRow, rowJobs } from './job.ts';

/** Backfills that read at once: all share Slack's rate limit. */
const BACKFILLS_AT_ONCE = 4;
/** With the waits between them, some days. */
const MAX_FAILURES = 100;

/** Reads channels' histories: for catch-ups one at a time, for backfills several at once. */
export function reading(context: EngineContext): Handler[] {
  const { ledger, clock } = context;
  const catchUps = rowJobs(context, {
    ...{ kind: 'catch-up', concurrency: 1, pause: { until: 0 } },
    run: (one) => catchUp(one, context),
    failed: async ({ row, held }, error) => {
      // What Slack refuses is not retried: the schedule requests it again within the hour.
      const dueAt = nextTry(row, { error, isLasting: isRefused(error) }, context);
      await ledger.endJob(held, { dueAt, unfinished: true });
    },
  });
  const backfills = rowJobs(context, {
    ...{ kind: 'backfill', concurrency: BACKFILLS_AT_ONCE, pause: { until: 0 } },
    run: (one) => backfill(one, context),
    failed: async ({ row, held }, error) => {
      const dueAt = nextTry(row, { error, isLasting: isFinal(error) }, context);
      await ledger.failBackfill(held, { problem: problemOf(error), dueAt, now: clock.now() });
    },
  });
  return [catchUps, backfills];
}

/** Returns when a failed reading is tried again; null for never. */
function nextTry(
  { channel, attempts: failures }: Pick<ClaimedRow<'catch-up'>, 'channel' | 'attempts'>,
  { error, isLasting }: { error: unknown; isLasting: boolean },
  { clock, logger, random }: EngineContext,
): number | null {
  const isLast = isLasting || failures >= MAX_FAILURES;
  if (!hasCode(error, 'LEASE_LOST'))
    logger.warn({ channel, error, failures, isLast }, 'A channel’s history could not be read');
  const askedMs = askedToWaitMs(error) ?? 0;
  return isLast ? null : clock.now() + nextTryDelay(failures, random.fraction(), askedMs);
}

function problemOf(error: unknown): string {
  if (error instanceof SlackCallError && error.reason) return error.reason;
  return error instanceof PigeonholeError ? error.code : 'UNEXPECTED';
}

/**
 * Returns the range, for Workspace.history, that is filed only on request: all before the channel's
 * last confirmed message or the bot's last join, whichever is later. Events or a catch-up bring
 * later shares, which are reported separately.
 */
async function pastOf(channel: ChannelRef, { ledger, clock }: EngineContext) {
  const { confirmedTs, joinedTs } = await ledger.findHistoryMarks(channel);
  const latest = laterOf(confirmedTs, joinedTs) ?? slackTs(clock.wall() - DELIVERY_MS);
  return { oldest: '0', latest };
}

/**
 * Reads what a channel held before it was linked, from where an earlier try ended, records it page
 * by page as parked, and sends all of it on its way, oldest first. Files already in the ledger stay
 * unchanged. Ends early when the claim is lost: a member pressed Stop, or another instance
 * continues.
 */
async function backfill(
  { row, held }: HeldRow<ClaimedRow<'backfill'>>,
  context: EngineContext,
): Promise<void> {
  const { ledger, workspace, clock, wake } = context;
  const { signal } = held;
  const past = await pastOf(row, context);
  const range = { ...past, threadsSince: '0', readTo: row.readTo ?? undefined, signal };
  for await (const { shares: all, readTo } of workspace.history(row.channel, range)) {
    signal.throwIfAborted();
    const shares = await ledger.unknownFiles(row, all);
    const found = { channel: row, reportId: row.id, shares, destination: null, now: clock.now() };
    const { unrecordable } = await ledger.recordFound(held, found);
    for (const { share, error } of unrecordable) await context.notices.ofUnrecorded(share, error);
    if (readTo && !(await ledger.markReadTo(held, readTo))) return;
    wake();
  }
  const destination = await context.findDestination(row);
  const now = clock.now();
  if (destination) await ledger.fileBackfill(held, { destination, now });
  // The channel was unlinked meanwhile.
  else await ledger.failBackfill(held, { problem: null, dueAt: null, now });
  wake();
}

/** Counting for an offer stops here: "at least 2,000" is answer enough. */
const MAX_COUNTED = 2_000;

/**
 * Counts a channel's files that are not in the ledger, or that a stopped backfill left parked.
 * Reads threads, one call each, only if nothing else has such a file, and until one thread has.
 * Rejects with SlackCallError, and at a shutdown with its reason.
 */
async function countEarlier(
  { team, channel }: ChannelRef,
  context: EngineContext,
): Promise<EarlierFiles> {
  const { ledger, workspace, stopping: signal } = context;
  const past = await pastOf({ team, channel }, context);
  let count = await ledger.countParked({ team, channel }, 'past');
  const threads: string[] = [];
  // A reply that was also sent to the channel appears twice.
  const met = new Set<string>();
  const add = async (shares: readonly Share[]) => {
    const fresh = shares.filter(({ ts }) => !met.has(ts));
    for (const { ts } of fresh) met.add(ts);
    for (const { files } of await ledger.unknownFiles({ team, channel }, fresh))
      count += files.length;
  };
  for await (const page of workspace.history(channel, { ...past, signal })) {
    await add(page.shares);
    threads.push(...page.skippedThreads);
    if (count >= MAX_COUNTED) return { count: MAX_COUNTED, more: true };
  }
  while (count === 0) {
    const ts = threads.shift();
    if (ts === undefined) break;
    await add(await workspace.thread({ channel, ts }, { ...past, signal }));
  }
  return { count, more: count > 0 && threads.length > 0 };
}

/** Returns countEarlier as a function of the channel; callers during a count share its result. */
export function createEarlierCount(context: EngineContext) {
  const once = createSingleFlight<EarlierFiles>({ clock: context.clock, keepMs: 0 });
  return (channel: ChannelRef) => once(channel.channel, () => countEarlier(channel, context));
}

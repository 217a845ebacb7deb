import {
  askedToWaitMs,
  createSingleFlight,
  hasCode,
  isFinal,
  PigeonholeError,
} from '../base/index.ts';
import type { EarlierFiles } from '../blocks/index.ts';
import type { ClaimedRow, ReadingKind } from '../ledger/index.ts';
import { isRefused, SlackCallError, slackTs } from '../slack/index.ts';
import { type ChannelRef, nextTryDelay, type Share } from '../transfers/index.ts';
import { catchUp, DELIVERY_MS, laterOf, leaveUnrecorded } from './catch-up.ts';
import { type Handler, type HeldRow, rowJobs } from './job.ts';
import type { WorkerContext } from './worker-context.ts';

/** Backfills that read at once: all share Slack's rate limit. */
const BACKFILLS_AT_ONCE = 4;
/** With the waits between them, some days. */
const MAX_FAILURES = 100;

type HeldReading = HeldRow<ClaimedRow<ReadingKind>>;

/** Reads channels' histories: for catch-ups one at a time, for backfills several at once. */
export function reading(context: WorkerContext): Handler[] {
  const jobs = (
    kind: ReadingKind,
    concurrency: number,
    read: (reading: HeldReading, context: WorkerContext) => Promise<void>,
  ): Handler =>
    rowJobs(context, {
      ...{ kind, concurrency, pause: { until: 0 } },
      run: (one) => read(one, context),
      failed: (one, error) => settleFailure(one, error, context),
    });

  return [jobs('catch-up', 1, catchUp), jobs('backfill', BACKFILLS_AT_ONCE, backfill)];
}

async function settleFailure(
  { row, claim }: HeldReading,
  error: unknown,
  { ledger, clock, logger, random }: WorkerContext,
): Promise<void> {
  if (hasCode(error, 'LEASE_LOST')) return;
  const now = clock.now();
  const failures = row.attempts;
  // A catch-up that Slack refuses is not retried: the schedule requests it again within the hour.
  const isLasting = row.reportId === null ? isRefused(error) : isFinal(error);
  const isLast = isLasting || failures >= MAX_FAILURES;
  const { channel } = row;
  logger.warn({ channel, error, failures, isLast }, 'A channel’s history could not be read');
  const askedMs = askedToWaitMs(error) ?? 0;
  const dueAt = isLast ? null : now + nextTryDelay(failures, random.fraction(), askedMs);
  await ledger.failReading(claim, { problem: problemOf(error), dueAt, now });
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
async function pastOf(channel: ChannelRef, { ledger, clock }: WorkerContext) {
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
async function backfill({ row, claim, held }: HeldReading, context: WorkerContext): Promise<void> {
  const { ledger, workspace, clock, wake } = context;
  const { signal } = held;
  const past = await pastOf(row, context);
  const range = { ...past, threadsSince: '0', readTo: row.readTo ?? undefined, signal };
  for await (const { shares: all, readTo } of workspace.history(row.channel, range)) {
    signal.throwIfAborted();
    const shares = await ledger.unknownFiles(row, all);
    const found = { reading: row, shares, destination: null, now: clock.now() };
    const { unrecordable } = await ledger.recordFound(claim, found);
    for (const { share, error } of unrecordable) await leaveUnrecorded(share, context, error);
    if (readTo && !(await ledger.markReadTo(claim, readTo))) return;
    wake();
  }
  const destination = await context.findDestination(row);
  const now = clock.now();
  if (destination) await ledger.fileBackfill(claim, { destination, now });
  // The channel was unlinked meanwhile.
  else await ledger.failReading(claim, { problem: null, dueAt: null, now });
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
  context: WorkerContext,
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
export function createEarlierCount(context: WorkerContext) {
  const once = createSingleFlight<EarlierFiles>({ clock: context.clock, keepMs: 0 });
  return (channel: ChannelRef) => once(channel.channel, () => countEarlier(channel, context));
}

import type { Clock, Logger } from '../base/index.ts';
import type { Ledger, ReportRow, WatchRow } from '../ledger/index.ts';
import type { CallOptions } from '../service/index.ts';
import {
  ANNOUNCE_EVERY_MS,
  announceRequestEveryMs,
  CLOCKS_APART_MS,
  nextAnnounceMs,
  type SeenUpTo,
} from '../transfers/index.ts';
import type { FindDestination } from './destinations.ts';
import { type FindAddedContext, findAdded } from './find-added.ts';
import { type HeldRow, type JobKind, rowJobs } from './job.ts';

export interface AnnounceContext extends FindAddedContext {
  ledger: Ledger;
  findDestination: FindDestination;
  /** The account's rate limit. */
  rateLimit: { requests: number; windowMs: number };
  clock: Clock;
  logger: Logger;
}

/** Folders that are looked into at once: a large one keeps no other waiting until it is read. */
const LOOKS_AT_ONCE = 4;
/** How soon it is looked again whether a message was posted, in milliseconds. */
const UNSAID_MS = 60_000;
/** How often it is asked whether a request may be sent now, in milliseconds. */
const ASK_EVERY_MS = 1_000;

/**
 * Looks into the folders of the channels that are told what others add there, once in ten minutes each.
 * The first look notes what there is; each later one makes a message due of what came since and is none
 * of ours. All requests for it together keep to their part of the rate limit, and to when no file waits.
 */
export function announcing(context: AnnounceContext): JobKind {
  const { ledger } = context;
  const turn = createTurns(context);
  return rowJobs(ledger, {
    table: 'watches',
    kind: 'watches',
    concurrency: LOOKS_AT_ONCE,
    claimNext: ledger.claimWatch,
    run: (watch) =>
      lookInto(watch, turn, context).catch((error: unknown) =>
        settleFailure(watch, error, context),
      ),
  });
}

type Turn = NonNullable<CallOptions['turn']>;
type HeldWatch = HeldRow<WatchRow>;

// First come, first served: a large folder takes many turns, and a small one is through after its one.
function createTurns({ ledger, clock, rateLimit }: AnnounceContext): Turn {
  const everyMs = announceRequestEveryMs(rateLimit);
  let last: Promise<unknown> = Promise.resolve();
  const take = async (signal?: AbortSignal) => {
    signal?.throwIfAborted();
    while (!(await ledger.takeAnnounceRequest({ now: clock.now(), everyMs })))
      await clock.sleep(ASK_EVERY_MS, signal);
  };
  return (signal) => {
    const turn = last.then(() => take(signal));
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function lookInto(watch: HeldWatch, turn: Turn, context: AnnounceContext): Promise<void> {
  const { row, claim, held } = watch;
  const { ledger, clock, logger } = context;
  const folder = await context.findDestination(row);
  const waitMs = await untilNextLine(row, context);
  // What goes into the default folder is for the channel that shared it.
  if (waitMs > 0 || !folder || folder.isDefault) {
    const dueAt = clock.now() + (waitMs || ANNOUNCE_EVERY_MS);
    return ledger.putOffLook(claim, { dueAt, failures: row.failures });
  }
  const call = { lane: 'bulk', signal: held.signal, turn } as const;
  const found = await findAdded({ ...folder, before: seenBefore(row) }, call, context);
  if (!found) return putOffFailed(watch, context);
  const isOurs = await ledger.recordLook(claim, { ...found, now: clock.now() });
  if (!isOurs || !found.added) return;
  const { team, channel } = row;
  const { projectId, folderId } = folder;
  const files = found.added.count;
  logger.info({ team, channel, projectId, folderId, files }, 'Others added files');
}

function seenBefore({ lastRecord, lastCreatedAt }: WatchRow): SeenUpTo | null {
  return lastRecord === null ? null : { lastRecord, lastCreatedAt };
}

/** How long a channel is not to be told again, as it was just now or is about to be, in milliseconds. */
async function untilNextLine(
  { reportId }: WatchRow,
  { ledger, clock }: AnnounceContext,
): Promise<number> {
  const report = reportId === null ? undefined : await ledger.findReport(reportId);
  return report ? afterLine(report, clock.now()) : 0;
}

function afterLine({ replyTs, dueAt }: ReportRow, now: number): number {
  if (replyTs === null) return dueAt === null ? 0 : UNSAID_MS;
  const leftMs = Math.ceil(Number(replyTs) * 1_000 + ANNOUNCE_EVERY_MS - now);
  // By Slack's clock, which may be ahead of ours; further ahead, ours was set back since.
  return leftMs > ANNOUNCE_EVERY_MS + CLOCKS_APART_MS ? 0 : Math.max(0, leftMs);
}

async function settleFailure(
  watch: HeldWatch,
  error: unknown,
  context: AnnounceContext,
): Promise<void> {
  const { row, claim, held } = watch;
  const { ledger, clock, logger } = context;
  if (held.signal.aborted) return ledger.release('watches', { claim, dueAt: clock.now() });
  const { channel, failures } = row;
  const message = 'A folder could not be looked into for what others add';
  logger.warn({ channel, error, failures }, message);
  await putOffFailed(watch, context);
}

function putOffFailed(
  { claim, row }: HeldWatch,
  { ledger, clock }: AnnounceContext,
): Promise<void> {
  const failures = row.failures + 1;
  return ledger.putOffLook(claim, { dueAt: clock.now() + nextAnnounceMs(failures), failures });
}

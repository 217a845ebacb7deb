import { PigeonholeError } from '../base/index.ts';
import { LedgerError, type ReadingKind, type ReadingRow } from '../ledger/index.ts';
import { isPermanent, isRefused, SlackCallError } from '../slack/index.ts';
import { backoff } from '../transfers/index.ts';
import { backfill } from './backfill.ts';
import { catchUp } from './catch-up.ts';
import { type HeldRow, type JobKind, rowJobs } from './job.ts';
import type { ReadingContext } from './worker-context.ts';

/** Backfills that read at once: all share Slack's rate limit. */
const BACKFILLS_AT_ONCE = 4;
/** With the waits between them, some days. */
const MAX_FAILURES = 100;

/** Reads channels' histories: for catch-ups one at a time, for backfills several at once. */
export function reading(context: ReadingContext): JobKind[] {
  const { clock } = context;
  const jobs = (
    kind: ReadingKind,
    concurrency: number,
    read: (reading: HeldRow<ReadingRow>, context: ReadingContext) => Promise<void>,
  ): JobKind => {
    const pause = { until: 0 };
    return rowJobs(context, {
      kind,
      concurrency,
      pause,
      run: (one) => read(one, context),
      failed: (one, error) => {
        if (error instanceof SlackCallError) pause.until = clock.now() + (error.retryAfterMs ?? 0);
        return settleFailure(one, error, context);
      },
    });
  };

  return [jobs('catch-up', 1, catchUp), jobs('backfill', BACKFILLS_AT_ONCE, backfill)];
}

async function settleFailure(
  { row, claim }: HeldRow<ReadingRow>,
  error: unknown,
  { ledger, clock, logger, random }: ReadingContext,
): Promise<void> {
  if (error instanceof LedgerError && error.code === 'LEASE_LOST') return;
  const now = clock.now();
  const failures = row.failures + 1;
  // A catch-up that Slack refuses is not retried: the schedule requests it again within the hour.
  const isLasting = row.reportId === null ? isRefused(error) : isPermanent(error);
  const isFinal = isLasting || failures >= MAX_FAILURES;
  const { channel } = row;
  logger.warn({ channel, error, failures, isFinal }, 'A channel’s history could not be read');
  const retryAfterMs = error instanceof SlackCallError ? error.retryAfterMs : undefined;
  const dueAt = isFinal ? null : now + backoff(failures, random.fraction(), retryAfterMs);
  await ledger.failReading(claim, { problem: problemOf(error), dueAt, now });
}

function problemOf(error: unknown): string {
  if (error instanceof SlackCallError && error.reason) return error.reason;
  return error instanceof PigeonholeError ? error.code : 'UNEXPECTED';
}

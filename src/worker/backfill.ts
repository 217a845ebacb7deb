import { type ChannelRef, isUnrecordable, type ReadingRow } from '../ledger/index.ts';
import { type HistoryPage, slackTs } from '../slack/index.ts';
import type { Share } from '../transfers/index.ts';
import { type HeldReading, leaveUnrecorded, type ReadingContext } from './reading-context.ts';

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
  { row, claim, held }: HeldReading,
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
  return leaveUnrecorded(share, context);
}

import { isUnrecordable, type ReadClaim, type ReportRow } from '../ledger/index.ts';
import type { HistoryPage } from '../slack/index.ts';
import type { Share } from '../transfers/index.ts';
import type { CatchUpContext } from './catch-up-context.ts';
import { leaveUnrecorded } from './leave-unrecorded.ts';
import { pastOf } from './past-of.ts';

export type BackfillContext = Omit<CatchUpContext, 'eventsSince'>;

export interface ClaimedBackfill {
  report: ReportRow;
  claim: ReadClaim;
  /** Aborts when the claim is lost or the process stops. */
  signal: AbortSignal;
}

/**
 * Reads what a channel held before it was linked, from where an earlier try ended, records it page
 * by page as parked, and sends all of it on its way, oldest first. What is in the ledger already
 * stays as it is. A claim that is lost on the way ends it: somebody pressed Stop, or another
 * instance reads on.
 */
export async function runBackfill(
  { report, claim, signal }: ClaimedBackfill,
  context: BackfillContext,
): Promise<void> {
  const { ledger, workspace, clock, wake } = context;
  const past = await pastOf(report, context);
  const range = { ...past, readTo: report.readTo ?? undefined, signal };
  for await (const page of workspace.history(report.channel, range)) {
    signal.throwIfAborted();
    await recordPage(report, page, context);
    const { readTo } = page;
    if (readTo && !(await ledger.markReadTo(claim, { readTo, now: clock.now() }))) return;
    wake();
  }
  const found = await context.findDestination(report);
  if (!found) return ledger.stopReport(report, clock.now());
  const { projectId, folderId } = found;
  await ledger.fileBackfill(claim, { destination: { projectId, folderId }, now: clock.now() });
  wake();
}

async function recordPage(
  { id: reportId, team, channel }: ReportRow,
  { shares }: HistoryPage,
  context: BackfillContext,
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

function passOver(share: Share, error: unknown, context: BackfillContext): Promise<void> {
  if (!isUnrecordable(error)) throw error;
  return leaveUnrecorded(share, context);
}

import { folderReason, isOnItsWay, mayPutBack, OPERATOR, queueOf, SHUT } from '../../core/index.ts';
import type { ShareRow, Transfer } from '../../ledger/index.ts';
import type { ShareFile } from '../kit/file-lines.ts';
import type { RenderContext } from '../kit/render-context.ts';

/**
 * Returns what is shown of each of a share's transfers. Counts the queue only for the first that waits:
 * the others come right behind it.
 */
export async function describeFiles(
  transfers: readonly Transfer[],
  { ledger, uploads, clock }: RenderContext,
): Promise<ShareFile[]> {
  const waits = (one: Transfer) =>
    (one.state === 'recorded' || one.state === 'uploaded') &&
    one.problem === null &&
    !one.isClaimed;
  const first = transfers.find(waits);
  let place = first ? await ledger.countAhead(first) : 0;
  return transfers.map((transfer) => {
    const { state, problem } = transfer;
    if (waits(transfer)) place += 1;
    return {
      name: transfer.name,
      url: state === 'filed' ? transfer.recordUrl : null,
      sizeBytes: transfer.byteSize ?? transfer.file.size,
      phase: phaseOf(transfer),
      problem,
      problemNote: transfer.problemNote,
      nextTryAt: problem && !transfer.isClaimed ? transfer.nextTryAt : null,
      progress: uploads.get(transfer.id) ?? null,
      place: waits(transfer) ? place : null,
      deletedBy: transfer.deletedBy,
      mayComeBack: mayComeBack(transfer, clock.now()),
      hasRecord: state !== 'filed' || transfer.recordId !== null,
    };
  });
}

// One whose sharer was asked about it is gone from Slack, too.
function mayComeBack({ state, deletedBy, deletedAt, askedAt }: Transfer, now: number): boolean {
  return (
    state === 'deleted' && deletedBy !== null && askedAt === null && mayPutBack(deletedAt, now)
  );
}

function phaseOf({ state, problem, leftInSlack, isClaimed }: Transfer): ShareFile['phase'] {
  if (state === 'created') return 'filed';
  // A folder that is gone or forbidden cannot be checked.
  if (state === 'creating') return SHUT.some((one) => one === problem) ? 'waiting' : 'checking';
  if (state === 'parked') return leftInSlack === 1 ? 'skipped' : 'parked';
  if (state === 'refused' && problem === 'SLACK_FILE_DELETED') return 'withdrawn';
  if (state === 'filed' || state === 'refused' || state === 'deleted') return state;
  return isClaimed ? 'sending' : 'waiting';
}

/** Whether a transfer waits for its folder, or for another one that its channel is linked to. */
export function waitsForFolder(transfer: Transfer): boolean {
  return isOnItsWay(transfer) && folderReason(transfer.problem) !== null;
}

/** Returns the hold of the folder that these transfers wait for; null for none. */
export async function pauseOf(
  row: ShareRow,
  transfers: readonly Transfer[],
  { ledger }: RenderContext,
): Promise<{ isNotified: boolean } | null> {
  const folder = transfers.find(waitsForFolder)?.destination;
  return folder ? ledger.findNotice(folder, [queueOf(row), OPERATOR]) : null;
}

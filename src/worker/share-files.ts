import type { ShareFile } from '../blocks/index.ts';
import type { Transfer } from '../ledger/index.ts';
import type { Progress } from './progress.ts';

/** A transfer as the share's line tells of it. */
export function shareFile(
  transfer: Transfer,
  { progress, place }: { progress: Progress | null; place: number | null },
): ShareFile {
  const sending = progress !== null && progress.remainingMs !== null && progress.sentBytes > 0;
  return {
    name: transfer.name,
    sizeBytes: transfer.byteSize ?? transfer.file.size,
    phase: phaseOf(transfer, sending),
    problem: transfer.problem,
    problemNote: transfer.problemNote,
    nextTryAt: transfer.problem && transfer.leaseToken === null ? transfer.dueAt : null,
    progress: sending ? { ...progress, remainingMs: progress.remainingMs ?? 0 } : null,
    place,
    deletedBy: transfer.deletedBy,
    isTraced: transfer.state !== 'filed' || transfer.recordId !== null,
  };
}

function phaseOf({ state }: Transfer, sending: boolean): ShareFile['phase'] {
  if (state === 'created') return 'filed';
  if (state === 'creating') return 'checking';
  if (state === 'filed' || state === 'refused' || state === 'parked' || state === 'deleted')
    return state;
  return sending ? 'sending' : 'waiting';
}

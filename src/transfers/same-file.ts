import type { ErrorCode } from '../base/index.ts';
import { isInFolder, type TransferState } from './state.ts';

/** Another transfer of the same file of the same message to the same folder. */
export interface SameFile {
  state: TransferState;
  refusedIn: TransferState | null;
  problem: ErrorCode | null;
  /** Not null while somebody works on it. */
  leaseToken: string | null;
}

/**
 * Whether a file that is about to be sent gets into its folder by another transfer, so that it would be
 * there twice: `yes`, it is there; `damaged`, it is, and with another size than was sent; `perhaps`, where
 * the other is on its way, or nobody knows what became of it; or `no`. Of two that ask each other at once
 * both hear `perhaps`: one of them has to wait for longer.
 */
export function isFiledByAnother(
  others: readonly SameFile[],
): 'yes' | 'damaged' | 'perhaps' | 'no' {
  if (others.some(isInFolder)) return 'yes';
  const isDamaged = ({ refusedIn, problem }: SameFile) =>
    refusedIn === 'creating' && problem === 'RECORD_SIZE_MISMATCH';
  if (others.some(isDamaged)) return 'damaged';
  return others.some(mayCome) ? 'perhaps' : 'no';
}

/** Each Slack file once, of copies that may be in several folders. */
export function eachFileOnce<T extends { slackFileId: string }>(copies: readonly T[]): T[] {
  const byFile = Map.groupBy(copies, ({ slackFileId }) => slackFileId);
  return [...byFile.values()].flatMap(([first]) => first ?? []);
}

// What was refused as an attachment left nothing in the folder, and a Retry has it ask for this one first.
function mayCome({ state, refusedIn, leaseToken }: SameFile): boolean {
  if (state === 'recorded') return leaseToken !== null;
  return state === 'uploaded' || state === 'creating' || refusedIn === 'creating';
}

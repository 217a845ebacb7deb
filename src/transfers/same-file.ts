import type { ErrorCode } from '../base/index.ts';
import { isInFolder, type TransferState } from './state.ts';

/** Another transfer of the same file of the same message to the same folder. */
export interface SameFile {
  state: TransferState;
  refusedIn: TransferState | null;
  problem: ErrorCode | null;
  /** Not null while it is claimed. */
  leaseToken: string | null;
}

/**
 * Returns whether another transfer puts the same file into the folder, so that uploading it would
 * file it twice. `yes`: it is there; `damaged`: it is there with another size than was sent;
 * `perhaps`: another transfer is in progress, or its outcome is unknown; `no`: none. Two claimed
 * transfers that check each other both get `perhaps`, so they must not retry in step.
 */
export function filedByAnother(others: readonly SameFile[]): 'yes' | 'damaged' | 'perhaps' | 'no' {
  if (others.some(isInFolder)) return 'yes';
  const isDamaged = ({ refusedIn, problem }: SameFile) =>
    refusedIn === 'creating' && problem === 'RECORD_SIZE_MISMATCH';
  if (others.some(isDamaged)) return 'damaged';
  return others.some(mayCome) ? 'perhaps' : 'no';
}

/** Returns the first copy of each Slack file, from copies that may be in several folders. */
export function eachFileOnce<T extends { slackFileId: string }>(copies: readonly T[]): T[] {
  const byFile = Map.groupBy(copies, ({ slackFileId }) => slackFileId);
  return [...byFile.values()].flatMap(([first]) => first ?? []);
}

// A transfer refused as `uploaded` left no record; after a Retry it checks for this one first.
function mayCome({ state, refusedIn, leaseToken }: SameFile): boolean {
  if (state === 'recorded') return leaseToken !== null;
  return state === 'uploaded' || state === 'creating' || refusedIn === 'creating';
}

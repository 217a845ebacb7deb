import type { TransferState } from './state.ts';

/** Another transfer of the same file of the same message to the same folder. */
export interface SameFile {
  state: TransferState;
  refusedIn: TransferState | null;
  /** Not null while somebody works on it. */
  leaseToken: string | null;
}

/**
 * Whether a file that is about to be sent gets into its folder by another transfer, so that it would be
 * there twice: `yes`; `perhaps`, where the other is being sent just now; or `no`. Of two that ask each
 * other at once both hear `perhaps`: one of them has to wait for longer.
 */
export function comesOtherwise(others: readonly SameFile[]): 'yes' | 'perhaps' | 'no' {
  if (others.some(isSent)) return 'yes';
  const isBeingSent = ({ state, leaseToken }: SameFile) =>
    state === 'recorded' && leaseToken !== null;
  return others.some(isBeingSent) ? 'perhaps' : 'no';
}

const SENT: readonly (TransferState | null)[] = ['uploaded', 'creating', 'created', 'filed'];

function isSent({ state, refusedIn }: SameFile): boolean {
  return SENT.includes(state) || (state === 'refused' && SENT.includes(refusedIn));
}

import type { Clock, Logger, Random } from '../base/index.ts';
import type { Ledger, TellingClaim } from '../ledger/index.ts';
import type { NameCache } from '../service/index.ts';
import type { Workspace } from '../slack/index.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { ProgressBoard } from './progress.ts';

/** What telling people works with. */
export interface TellContext {
  ledger: Ledger;
  workspace: Pick<Workspace, 'find' | 'post' | 'react' | 'unreact' | 'update'>;
  names: Pick<NameCache, 'folderName'>;
  clock: Clock;
  random: Random;
  logger: Logger;
  progress: ProgressBoard;
  checkpoint: Checkpoint;
  /** Stretches or shrinks all waits before another try; 1 in the product. */
  backoffScale: number;
}

/** A share or report that is held by a claim, to be told of. */
export interface HeldTelling extends TellingClaim {
  /** Until when the claim holds, by our clock. */
  until: number;
}

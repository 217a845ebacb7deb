import type { Clock, Logger, Random } from '../base/index.ts';
import type { Operator } from '../blocks/index.ts';
import type { Ledger, NotificationClaim } from '../ledger/index.ts';
import type { NameCache } from '../service/index.ts';
import type { Workspace } from '../slack/index.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { HeldLease } from './job-loop.ts';
import type { ProgressBoard } from './progress.ts';

/** What notifying people works with. */
export interface NotifyContext {
  ledger: Ledger;
  workspace: Pick<Workspace, 'find' | 'post' | 'react' | 'unreact' | 'update'>;
  names: Pick<NameCache, 'folderName'>;
  clock: Clock;
  random: Random;
  logger: Logger;
  progress: ProgressBoard;
  checkpoint: Checkpoint;
  operator: Operator;
  /** Stretches or shrinks all waits before another try; 1 in the product. */
  backoffScale: number;
}

/** A share or report whose message is held by a lease. */
export interface HeldNotification<Row> {
  row: Row;
  claim: NotificationClaim;
  held: HeldLease;
}

/** What a message says now. */
export interface Said {
  fingerprint: string | null;
  /** When to look again though nothing changed; null when all is said. */
  againAt: number | null;
}

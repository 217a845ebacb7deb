import type { Clock } from '../../base/index.ts';
import { type BulkStanding, earliestBulkCall, nextDue, type Pace } from './pace.ts';

/** Spreads the calls of the bulk lane. */
export interface BulkPace {
  /** Resolves when the next bulk call may go; rejects with the signal's reason when that aborts. */
  wait(): Promise<void>;
  /** A bulk call goes now. */
  sent(): void;
}

export interface BulkPaceOptions {
  clock: Clock;
  pace: () => Pace;
  /** How the places stand now. */
  places: () => Promise<Pick<BulkStanding, 'taken' | 'takenByPeople' | 'free' | 'nextReturnAt'>>;
  signal: AbortSignal;
}

/** The pace of a bulk lane that has not sent anything yet. */
export function createBulkPace({ clock, pace, places, signal }: BulkPaceOptions): BulkPace {
  let lastSentAt: number | null = null;
  let due = 0;

  async function wait(): Promise<void> {
    const standing = { ...(await places()), lastSentAt, due };
    const delay = earliestBulkCall(pace(), standing) - clock.now();
    if (delay > 0) await clock.sleep(delay, signal);
  }

  function sent(): void {
    lastSentAt = clock.now();
    due = nextDue(due, lastSentAt, pace().intervalMs);
  }

  return { wait, sent };
}

import type { Clock } from './base/index.ts';

/**
 * How long after the first signal others count as the same, in milliseconds: npm hands on to the
 * process what the terminal, or a platform that signals all processes, has sent it already.
 */
const SAME_SIGNAL_MS = 250;

export interface OnSignalOptions {
  clock: Clock;
  stop: (signal: NodeJS.Signals) => void;
  endAtOnce: () => void;
}

/** What a signal does: the first begins the stop; one that comes noticeably later ends at once. */
export function createOnSignal(options: OnSignalOptions): (signal: NodeJS.Signals) => void {
  const { clock, stop, endAtOnce } = options;
  let first: number | null = null;
  return (signal) => {
    if (first === null) {
      first = clock.now();
      stop(signal);
    } else if (clock.now() - first >= SAME_SIGNAL_MS) endAtOnce();
  };
}

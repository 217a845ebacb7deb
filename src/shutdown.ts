import { type Clock, type Logger, PigeonholeError, within } from './base/index.ts';

/** A part that was opened and must be closed. */
interface Opened {
  name: string;
  close: () => Promise<unknown>;
  /** How long closing may take, in milliseconds; after that the shutdown goes on without it. */
  withinMs: number;
}

export type Shutdown = ReturnType<typeof createShutdown>;

/** Records what a start opens; closes it in the opposite order, within a bounded time. */
export function createShutdown({ clock, logger }: { clock: Clock; logger: Logger }) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const steps: Opened[][] = [];
  let closed: Promise<void> | null = null;
  const closeInTime = ({ name: part, close, withinMs: timeoutMs }: Opened) => {
    const timedOut = () => new Error(`not closed within ${timeoutMs} ms`);
    return within({ clock, timeoutMs, timedOut }, close).catch((error: unknown) =>
      logger.error({ part, error }, 'A part could not be closed, and is left as it is'),
    );
  };
  const closeAll = async () => {
    for (let step = steps.pop(); step; step = steps.pop()) await Promise.all(step.map(closeInTime));
  };
  return {
    /** Aborts with STOPPED when the shutdown begins. */
    signal,
    /**
     * Records parts; those of one call are closed together. Throws STOPPED once the shutdown has
     * begun, but the parts are closed all the same.
     */
    opened: (...parts: Opened[]): void => {
      steps.push(parts);
      signal.throwIfAborted();
    },
    /** Closes all parts. Always resolves, within the sum of each step's longest `withinMs`. */
    close: (): Promise<void> => {
      // What this ends is not refused: the next process may try it again.
      const retry = 'later';
      stopping.abort(new PigeonholeError('STOPPED', 'Pigeonhole is being stopped', { retry }));
      closed = closed ? closed.then(closeAll) : closeAll();
      return closed;
    },
  };
}

/**
 * How long after the first signal others count as the same, in milliseconds: npm forwards a signal
 * that a terminal, or a platform that signals all processes, has also sent to the process itself.
 */
const SAME_SIGNAL_MS = 250;

interface OnSignalOptions {
  clock: Clock;
  stop: (signal: NodeJS.Signals) => void;
  endAtOnce: () => void;
}

/**
 * Creates the signal handler: the first signal begins the stop, a SIGINT clearly later ends at once.
 * Further SIGTERMs change nothing: a platform may send several to one process.
 */
export function createOnSignal(options: OnSignalOptions): (signal: NodeJS.Signals) => void {
  const { clock, stop, endAtOnce } = options;
  let first: number | null = null;
  return (signal) => {
    if (first === null) {
      first = clock.now();
      stop(signal);
    } else if (signal === 'SIGINT' && clock.now() - first >= SAME_SIGNAL_MS) endAtOnce();
  };
}

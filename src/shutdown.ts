import { type Clock, type Logger, PigeonholeError, within } from './base/index.ts';

/** Something that was opened and wants to be closed. */
interface Opened {
  name: string;
  close: () => Promise<unknown>;
  /** How long that may take, in milliseconds; what takes longer is left behind. */
  withinMs: number;
}

export type Shutdown = ReturnType<typeof createShutdown>;

/** Keeps the order of a start, for a stop that closes all in the opposite order, and always ends. */
export function createShutdown(tools: { clock: Clock; logger: Logger }) {
  const steps: Opened[][] = [];
  let closed: Promise<void> | null = null;
  const closeAll = async () => {
    for (let step = steps.pop(); step; step = steps.pop())
      await Promise.all(step.map((part) => closeInTime(part, tools)));
  };
  const goOn = () => {
    if (closed) throw new PigeonholeError('STOPPED', 'stopped before the start was through');
  };
  return {
    /** Throws STOPPED once the shutdown has begun: the start must not go on. */
    goOn,
    /**
     * Parts that are named together are closed together. Throws as `goOn` does; they are closed all the
     * same.
     */
    opened: (...parts: Opened[]): void => {
      steps.push(parts);
      goOn();
    },
    /** Closes all. Resolves whatever fails or hangs: the sum of the steps is the longest it takes. */
    close: (): Promise<void> => {
      closed = closed ? closed.then(closeAll) : closeAll();
      return closed;
    },
  };
}

async function closeInTime(
  { name, close, withinMs }: Opened,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<void> {
  const timedOut = () => new Error(`not closed within ${withinMs} ms`);
  await within({ clock, timeoutMs: withinMs, timedOut }, close).catch((error: unknown) =>
    logger.error({ part: name, error }, 'Something could not be closed, and is left'),
  );
}

export type BackgroundWork = ReturnType<typeof createBackgroundWork>;

/** Work that nobody waits for, but that a shutdown lets end. */
export function createBackgroundWork(logger: Logger) {
  const running = new Set<Promise<unknown>>();
  return {
    add: (work: Promise<unknown>): void => {
      const quiet: Promise<unknown> = work
        .catch((error: unknown) => logger.warn({ error }, 'Something in the background failed'))
        .finally(() => running.delete(quiet));
      running.add(quiet);
    },
    /** Resolves when all that was added has ended, and all that it has led to. */
    settled: async (): Promise<void> => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/**
 * How long after the first signal others count as the same, in milliseconds: npm hands on to the
 * process what the terminal, or a platform that signals all processes, has sent it already.
 */
const SAME_SIGNAL_MS = 250;

interface OnSignalOptions {
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

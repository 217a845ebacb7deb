import { type Clock, type Logger, PigeonholeError } from './base/index.ts';

/** Something that was opened and wants to be closed. */
export interface Opened {
  name: string;
  close: () => Promise<unknown>;
  /** How long that may take, in milliseconds; what takes longer is left behind. */
  withinMs: number;
}

/** What is open, to be closed in the opposite order. */
export interface Closing {
  /**
   * Parts that are named together are closed together. Throws STOPPED once closing has begun: they
   * are closed too, and the start must not go on.
   */
  opened(...parts: Opened[]): void;
  /** Closes all. Resolves whatever fails or hangs: the sum of the steps is the longest it takes. */
  close(): Promise<void>;
}

/** Keeps the order of a start, for a stop that always ends. */
export function createClosing(tools: { clock: Clock; logger: Logger }): Closing {
  const steps: Opened[][] = [];
  let closed: Promise<void> | null = null;
  const closeAll = async () => {
    for (let step = steps.pop(); step; step = steps.pop())
      await Promise.all(step.map((part) => closeInTime(part, tools)));
  };
  return {
    opened: (...parts) => {
      steps.push(parts);
      if (closed) throw new PigeonholeError('STOPPED', 'stopped before the start was through');
    },
    close: () => {
      closed = closed ? closed.then(closeAll) : closeAll();
      return closed;
    },
  };
}

async function closeInTime(
  { name, close, withinMs }: Opened,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<void> {
  const closed = new AbortController();
  const late = clock.sleep(withinMs, closed.signal).then(
    () => logger.error({ part: name, withinMs }, 'Something did not close in time, and is left'),
    () => undefined,
  );
  const closing = close().catch((error: unknown) =>
    logger.error({ part: name, error }, 'Something could not be closed'),
  );
  await Promise.race([closing, late]);
  closed.abort(new Error('closed'));
}

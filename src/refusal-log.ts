import type { Clock, Logger } from './base/index.ts';

/** The shortest time between two lines of refused requests, in milliseconds. */
const EVERY_MS = 60_000;

/**
 * Refused requests, logged as counts: a flood of requests does not flood the log. The first is logged at
 * once, what follows with its count once a minute.
 */
export function createRefusalLog({ clock, logger }: { clock: Clock; logger: Logger }) {
  const closed = new AbortController();
  let counts: Record<string, number> = {};
  let logging: Promise<void> | null = null;

  const log = () => {
    const requests = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (requests === 0) return false;
    logger.warn({ requests, why: counts }, 'Requests to the port were refused');
    counts = {};
    return true;
  };
  const keepLogging = async () => {
    while (log()) await clock.sleep(EVERY_MS, closed.signal).catch(() => undefined);
    logging = null;
  };

  return {
    /** Counts one, with why it was refused in a few words. */
    count: (why: string): void => {
      counts[why] = (counts[why] ?? 0) + 1;
      logging ??= keepLogging();
    },
    /** Logs what is still to be logged, and no more. */
    close: async (): Promise<void> => {
      closed.abort(new Error('closed'));
      await logging;
    },
  };
}

import type { Clock, Logger } from './base/index.ts';

/** How often refused requests are logged at the most, in milliseconds. */
const EVERY_MS = 60_000;

/** Refused requests, logged as counts: whoever floods the port does not flood the log. */
export interface Refusals {
  /** Counts one, with why it was refused in a few words. */
  count(why: string): void;
  /** Logs what is still to be logged, and no more. */
  close(): Promise<void>;
}

/** The first is logged at once, what follows with its count once a minute. */
export function createRefusals({ clock, logger }: { clock: Clock; logger: Logger }): Refusals {
  const closed = new AbortController();
  let counts: Record<string, number> = {};
  let telling: Promise<void> | null = null;

  const tell = () => {
    const requests = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (requests === 0) return false;
    logger.warn({ requests, why: counts }, 'Requests to the port were refused');
    counts = {};
    return true;
  };
  const keepTelling = async () => {
    while (tell()) await clock.sleep(EVERY_MS, closed.signal).catch(() => undefined);
    telling = null;
  };

  return {
    count: (why) => {
      counts[why] = (counts[why] ?? 0) + 1;
      telling ??= keepTelling();
    },
    close: async () => {
      closed.abort(new Error('closed'));
      await telling;
    },
  };
}

import type { Logger } from '../../base/index.ts';

/** Says once that something is out of order, and once that it is back. */
export interface Outage {
  failed(error: unknown): void;
  fine(): void;
}

/** An outage of `what`, none at first. */
export function createOutage(logger: Logger, what: string): Outage {
  let out = false;
  return {
    failed(error) {
      if (out) return;
      out = true;
      logger.warn({ error }, `${what} cannot be reached: calls wait until it is back`);
    },
    fine() {
      if (!out) return;
      out = false;
      logger.info(`${what} is back`);
    },
  };
}

import type { Logger } from './logger.ts';

/** Logs once that something is out of order, and once that it works again. */
export interface Outage {
  failed(fields: object): void;
  fine(): void;
}

/** What the log says when an outage begins, and when it is over. */
export interface OutageWords {
  begins: string;
  ends: string;
}

/** No outage at first. */
export function createOutage(logger: Logger, { begins, ends }: OutageWords): Outage {
  let out = false;
  return {
    failed(fields) {
      if (out) return;
      out = true;
      logger.warn(fields, begins);
    },
    fine() {
      if (!out) return;
      out = false;
      logger.info(ends);
    },
  };
}

import type { Runtime } from '../base/index.ts';
import type { Ledger } from '../ledger/index.ts';

const EVERY_MS = 60 * 60_000;

interface Context extends Runtime {
  ledger: Pick<Ledger, 'enqueueMissing'>;
  wake(): void;
}

/**
 * Looks for files on their way that no job would see to, at the start and every hour, and makes them
 * due: however a row lost its job, its file is filed. Ends when the process stops.
 */
export async function findMissing(context: Context): Promise<void> {
  const { ledger, clock, logger, stopping, wake } = context;
  while (!stopping.aborted) {
    try {
      const files = await ledger.enqueueMissing(clock.now());
      if (files > 0) logger.error({ files }, 'Files on their way had no job, and are due now');
      if (files > 0) wake();
    } catch (error) {
      logger.warn({ error }, 'Files without a job could not be looked for; that is tried again');
    }
    await clock.sleep(EVERY_MS, stopping).catch(() => undefined);
  }
}

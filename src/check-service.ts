import type { Clock, Logger } from './base/index.ts';
import { isRateLimited, type ServiceClient, ServiceError } from './service/index.ts';

interface CheckServiceOptions {
  service: Pick<ServiceClient, 'check'>;
  clock: Clock;
  logger: Logger;
  /** Ends the check at once; nothing is logged. */
  signal: AbortSignal;
}

/**
 * Calls the file service once, in the bulk lane, and logs what is wrong with its address or the
 * key: nothing else may show that before a file is shared. Never rejects.
 */
export async function checkService({
  service,
  clock,
  logger,
  signal,
}: CheckServiceOptions): Promise<void> {
  try {
    const call = { lane: 'bulk', queue: 'check', signal } as const;
    if (!(await whenAdmitted(() => service.check(call), { clock, signal })))
      logger.warn(
        'The file service shows no list of projects: check FILES_ACCOUNT_URL, unless the account is known to have none',
      );
  } catch (error) {
    if (signal.aborted || isRateLimited(error)) return;
    if (error instanceof ServiceError && error.code === 'SERVICE_UNAUTHORIZED')
      logger.error(
        'The file service does not accept FILES_API_KEY: put in a valid key and start Pigeonhole again',
      );
    else
      logger.warn(
        { problem: error instanceof Error ? error.message : String(error) },
        'FILES_ACCOUNT_URL does not answer like the file service: check it',
      );
  }
}

const MIN_WAIT_MS = 1_000;

/** Repeats the call until the throttle lets it through, so one request is sent at most. */
async function whenAdmitted<T>(
  call: () => Promise<T>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isRateLimited(error) || error.sent !== 'no') throw error;
      await clock.sleep(Math.max(MIN_WAIT_MS, error.retryAfterMs ?? 0), signal);
    }
  }
}

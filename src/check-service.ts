import type { Clock, Logger } from './base/index.ts';
import { type ServiceClient, ServiceError } from './service/index.ts';

interface CheckServiceOptions {
  service: Pick<ServiceClient, 'check'>;
  clock: Clock;
  logger: Logger;
  /** Ends it at once, without a word. */
  signal: AbortSignal;
}

/**
 * Asks the file service once, when it is a bulk call's turn, and logs what is wrong with its address or
 * the key: until a file is shared nothing else might. Never rejects.
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
    if (signal.aborted || isLimited(error)) return;
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

/** The same again for as long as nothing is let through: one request at the most. */
async function whenAdmitted<T>(
  call: () => Promise<T>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isLimited(error) || error.sent !== 'no') throw error;
      await clock.sleep(Math.max(MIN_WAIT_MS, error.retryAfterMs ?? 0), signal);
    }
  }
}

function isLimited(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'SERVICE_RATE_LIMITED';
}

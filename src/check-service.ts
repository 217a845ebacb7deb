import { messageOf, type Runtime } from './base/index.ts';
import { isHeldBack, isRateLimited, type ServiceClient, ServiceError } from './service/index.ts';

interface CheckServiceOptions extends Omit<Runtime, 'inBackground'> {
  service: Pick<ServiceClient, 'check'>;
}

/**
 * Calls the file service once, in the bulk lane, and logs whether its address and the key are
 * right: nothing else may show that before a file is shared. A stop ends the check at once, and
 * nothing is logged. Never rejects.
 */
export async function checkService(options: CheckServiceOptions): Promise<void> {
  const { logger, stopping } = options;
  // Soon after the last stop, the answer takes until the rate limit has room again.
  logger.info('Checking the file service and the key');
  try {
    if (await listsProjects(options)) logger.info('The file service answers and accepts the key');
    else logger.warn(NO_PROJECTS);
  } catch (error) {
    if (stopping.aborted || isRateLimited(error)) return;
    const code = error instanceof ServiceError ? error.code : '';
    if (code === 'SERVICE_UNAUTHORIZED') logger.error(serviceAdvice(error));
    else logger.warn({ problem: messageOf(error) }, serviceAdvice(error));
  }
}

/** Said when the account offers no list of projects. */
export const NO_PROJECTS =
  'FILES_ACCOUNT_URL shows no list of projects. Is it the account’s address alone, without a project or folder behind it? (A few accounts list no projects; then ignore this.)';
const KEY_REFUSED =
  'The file service does not accept FILES_API_KEY: put in a valid key and start Pigeonhole again';
const STRANGE = 'FILES_ACCOUNT_URL does not answer like the file service: check it';
const AWAY =
  'The file service cannot be reached, and files wait until it can: check FILES_ACCOUNT_URL and the network';
const ADVICE: Partial<Record<string, string>> = {
  SERVICE_UNREACHABLE: AWAY,
  SERVICE_TIMEOUT: AWAY,
  SERVICE_FAILED:
    'The file service fails, and files wait until it works: if that lasts, check FILES_ACCOUNT_URL',
  SERVICE_UNAUTHORIZED: KEY_REFUSED,
};

/** Returns what an operator should do after a failed call of the file service, as a sentence. */
export function serviceAdvice(error: unknown): string {
  const code = error instanceof ServiceError ? error.code : '';
  return ADVICE[code] ?? STRANGE;
}

const MIN_WAIT_MS = 1_000;

/** Asks until the throttle lets the call through, so one request is sent at most. */
async function listsProjects(options: CheckServiceOptions): Promise<boolean> {
  const { service, clock, stopping: signal } = options;
  for (;;) {
    try {
      return await service.check({ lane: 'bulk', queue: 'check', signal });
    } catch (error) {
      if (!isHeldBack(error)) throw error;
      await clock.sleep(Math.max(MIN_WAIT_MS, error.retryAfterMs ?? 0), signal);
    }
  }
}

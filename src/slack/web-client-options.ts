import type { webApi } from '@slack/bolt';
import type { Logger } from '../base/index.ts';
import { slackLogger } from './slack-logger.ts';

/**
 * Options of every Web API client. One try a call: who calls knows whether a repeat is safe (a
 * message posted twice is not) and when; a 429 comes back at once instead of holding up the
 * client's other calls. `fetch` carries the calls.
 */
export function webClientOptions(
  slackApiUrl: string,
  logger: Logger,
  fetch = globalThis.fetch,
): webApi.WebClientOptions {
  return {
    slackApiUrl,
    fetch,
    logger: slackLogger(logger),
    timeout: 10_000,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
  };
}

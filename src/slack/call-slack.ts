import { webApi } from '@slack/bolt';
import { SlackCallError } from './slack-error.ts';

/** Runs one Web API call and turns its failure into a SlackCallError. */
export async function callSlack<T>(method: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toCallError(method, error);
  }
}

function toCallError(method: string, error: unknown): SlackCallError {
  if (error instanceof webApi.WebAPIRateLimitedError) {
    const retryAfterMs = error.retryAfter * 1000;
    return new SlackCallError('SLACK_RATE_LIMITED', `${method}: wait ${error.retryAfter} s`, {
      retryAfterMs,
    });
  }
  if (error instanceof webApi.WebAPIPlatformError) {
    const reason = String(error.data.error).slice(0, 100);
    return new SlackCallError('SLACK_REFUSED', `${method}: ${reason}`, { reason });
  }
  const message = error instanceof Error ? error.message : String(error);
  // The original carries the request, token included: only its message is kept.
  return new SlackCallError('SLACK_UNREACHABLE', `${method}: ${message}`, {});
}

import { webApi } from '@slack/bolt';
import { believedWait, PigeonholeError } from '../base/index.ts';
import { SlackCallError, type SlackCallErrorCode } from './slack-error.ts';

/** Runs one Web API call and turns its failure into a SlackCallError. */
export async function callSlack<T>(method: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toCallError(method, error);
  }
}

/** What a call of a method, or a connection that it was for, failed with. */
export function toCallError(method: string, error: unknown): SlackCallError {
  if (error instanceof webApi.WebAPIRateLimitedError) {
    const retryAfterMs = believedWait(error.retryAfter * 1000);
    return new SlackCallError('SLACK_RATE_LIMITED', `${method}: wait ${error.retryAfter} s`, {
      retryAfterMs,
    });
  }
  if (error instanceof webApi.WebAPIPlatformError) {
    const reason = String(error.data.error).slice(0, 100);
    return new SlackCallError(MOMENTARY[reason] ?? 'SLACK_REFUSED', `${method}: ${reason}`, {
      reason,
    });
  }
  // The original carries the request, token included: only its words are kept.
  return new SlackCallError('SLACK_UNREACHABLE', `${method}: ${words(error)}`, {});
}

/** Slack's own words for a trouble of the moment: as a status that says so, and no refusal. */
const MOMENTARY: Record<string, SlackCallErrorCode> = {
  fatal_error: 'SLACK_UNREACHABLE',
  internal_error: 'SLACK_UNREACHABLE',
  ratelimited: 'SLACK_RATE_LIMITED',
  request_timeout: 'SLACK_UNREACHABLE',
  service_unavailable: 'SLACK_UNREACHABLE',
};

// The reason of a failed connection stands in the innermost cause.
function words(error: unknown): string {
  if (error === undefined) return 'the connection ended';
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  return error.cause instanceof Error ? words(error.cause) : `${error.message}${code}`;
}

/**
 * For the calls of the start: a refusal means that a token is wrong. Rejects with CONFIG_INVALID,
 * whose message says which setting to look at.
 */
export async function callAtStart<T>(setting: string, call: () => Promise<T>): Promise<T> {
  try {
    return await callSlack('start', call);
  } catch (error) {
    throw startProblem(setting, error);
  }
}

/** CONFIG_INVALID: why a call of the start failed, and which setting to look at. */
export function startProblem(setting: string, error: unknown): PigeonholeError {
  return new PigeonholeError('CONFIG_INVALID', advice(setting, error), { cause: error });
}

function advice(setting: string, error: unknown): string {
  const refused = error instanceof SlackCallError && error.code === 'SLACK_REFUSED';
  if (refused)
    return `Slack does not accept ${setting} (${error.reason}). Copy it again from your app at api.slack.com/apps.`;
  const why = error instanceof Error ? error.message : String(error);
  return `Slack cannot be reached (${why}). Check the network, and SLACK_API_URL if it is set.`;
}

import { SlackCallError } from '../slack/index.ts';

// Refusals that stay until somebody changes the app or the channel
// (https://docs.slack.dev/reference/methods/conversations.history). Whatever else Slack says may pass.
const HOPELESS = new Set([
  'access_denied',
  'channel_not_found',
  'ekm_access_denied',
  'enterprise_is_restricted',
  'method_not_supported_for_channel_type',
  'missing_scope',
  'no_permission',
  'not_allowed_token_type',
  'not_in_channel',
  'team_access_not_granted',
]);

/** Whether a channel's history could not be read for a reason that no later try mends. */
export function isHopelessReading(error: unknown): boolean {
  return error instanceof SlackCallError && HOPELESS.has(error.reason);
}

import { signatureHeaders } from '../../src/playground/embedded-slack/index.ts';
import type { Stack } from './start-stack.ts';

/**
 * Delivers the event of a message in #general that carries these files, whether or not Slack has
 * them.
 */
export function deliverFiles(
  { slack, port }: Stack,
  { ts, files }: { ts: string; files: object[] },
): Promise<Response> {
  const { general: channel } = slack.ids.channels;
  const { ben: user } = slack.ids.users;
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: slack.ids.team,
    event_id: `Ev${ts}`,
    event: { type: 'message', channel, user, ts, files },
    authorizations: [{ team_id: slack.ids.team, user_id: slack.ids.bot, is_bot: true }],
  });
  const signature = signatureHeaders(slack.signingSecret, body, Date.now());
  const headers = { 'content-type': 'application/json', ...signature };
  return fetch(`http://127.0.0.1:${port}/slack/events`, { method: 'POST', body, headers });
}

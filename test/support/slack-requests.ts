import { signatureHeaders } from '../../src/playground/embedded-slack/index.ts';
import type { Stack } from './start-stack.ts';

interface SignedRequest {
  secret: string;
  /** Default: JSON. */
  type?: string;
  /** When it claims to be sent, in epoch milliseconds; default: now. */
  at?: number;
}

/** Posts a body to the app as Slack does, signed. */
export function postSigned(
  port: number,
  body: string,
  { secret, type = 'application/json', at = Date.now() }: SignedRequest,
): Promise<Response> {
  const headers = { 'content-type': type, ...signatureHeaders(secret, body, at) };
  return fetch(`http://127.0.0.1:${port}/slack/events`, { method: 'POST', body, headers });
}

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
  return postSigned(port, body, { secret: slack.signingSecret });
}

/** Returns the head of a request to the app in Slack's form, with an invalid signature. */
export function eventsHead(length: number, headers: Record<string, string> = {}): string {
  const given = {
    host: 'app',
    'content-type': 'application/json',
    'content-length': String(length),
    ...headers,
  };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
  return `POST /slack/events HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

/** Returns the same of a request whose body comes in chunks, with a forged signature. */
export function chunkedEventsHead(): string {
  const chunked = { ...forgedSignature(), 'transfer-encoding': 'chunked' };
  return eventsHead(0, chunked).replace('content-length: 0\r\n', '');
}

/** Returns headers in the form of Slack's, with the current time and a forged signature. */
export function forgedSignature(): Record<string, string> {
  return {
    'x-slack-request-timestamp': String(Math.floor(Date.now() / 1000)),
    'x-slack-signature': `v0=${'0'.repeat(64)}`,
  };
}

import type { RequestListener } from 'node:http';
import type { Clock } from '../base/index.ts';

const ADDRESS = '/slack/events';
const TOLERANCE_MS = 5 * 60_000;

/**
 * Lets through to Bolt's receiver what may be Slack's: `POST /slack/events`. All else is not found,
 * as that receiver ends the process over an address it does not know.
 *
 * What says that it will be sent more than five minutes from now is refused: kept that long, it
 * could be replayed later. Older requests, and signatures, are judged by the receiver
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack).
 */
export function admitRequests(receiver: RequestListener, clock: Clock): RequestListener {
  return (request, response) => {
    const path = request.url?.split('?')[0];
    const sentAt = Number(request.headers['x-slack-request-timestamp']) * 1000;
    if (request.method !== 'POST' || path !== ADDRESS) response.writeHead(404).end();
    else if (sentAt - clock.now() > TOLERANCE_MS) response.writeHead(401).end();
    else receiver(request, response);
  };
}

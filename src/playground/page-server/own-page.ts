import type { IncomingMessage, ServerResponse } from 'node:http';
import { ElementGone } from '../embedded-slack/index.ts';
import { PageRefusal } from './refusal.ts';
import { isFromOwnPage } from './same-origin.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Returns a request handler that never rejects: it refuses requests from other origins with 403, and
 * responds to an error of `answer` with its reason.
 */
export function forOwnPage(answer: Answer): Answer {
  return async (request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    try {
      if (!isFromOwnPage(request))
        throw new PageRefusal(403, 'Only the playground’s own page may ask.');
      await answer(request, response);
    } catch (error) {
      refuse(response, error);
    }
  };
}

/** Sent with every response: the page loads only its own files, and no site may frame it. */
const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** Responds with the reason for a refusal; destroys a response whose headers are already sent. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status, message } = refusalFor(error);
  sendJson(response, status, { error: message });
}

function refusalFor(error: unknown): PageRefusal {
  if (error instanceof PageRefusal) return error;
  if (error instanceof ElementGone) return new PageRefusal(409, CHANGED);
  const why = error instanceof Error ? error.message : String(error);
  return new PageRefusal(500, `Something went wrong in the playground: ${why}`);
}

const CHANGED = 'This has changed meanwhile, so nothing was done. Look at it again.';

/** Responds with JSON that may not be cached. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

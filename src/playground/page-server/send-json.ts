import type { ServerResponse } from 'node:http';
import { ElementGone } from '../embedded-slack/index.ts';
import { PageRefusal } from './refusal.ts';

/** Responds with the reason for a refusal; destroys a response whose headers are already sent. */
export function refuse(response: ServerResponse, error: unknown): void {
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

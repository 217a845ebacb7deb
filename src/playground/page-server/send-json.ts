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
  return new PageRefusal(500, error instanceof Error ? error.message : String(error));
}

const CHANGED =
  'That message has changed meanwhile. Nothing was done: look at it, and press again.';

/** Responds with JSON that may not be cached. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

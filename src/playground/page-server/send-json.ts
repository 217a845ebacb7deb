import type { ServerResponse } from 'node:http';
import { PageRefusal } from './refusal.ts';

/** Answers with why a request was not followed; one that is half answered is broken off. */
export function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const status = error instanceof PageRefusal ? error.status : 500;
  sendJson(response, status, { error: error instanceof Error ? error.message : String(error) });
}

/** Answers with JSON that nobody may keep. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

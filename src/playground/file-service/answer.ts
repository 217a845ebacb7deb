import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The response to a request. */
export interface Answer {
  status: number;
  headers: OutgoingHttpHeaders;
  /** A string is sent with its `Content-Length`; null is an empty body. */
  body: string | Readable | null;
  /** The code of an error that is reported with status 200. */
  errorCode?: number;
}

export function jsonAnswer(status: number, value: unknown): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(value),
  };
}

/** Success without a body (204). */
export const noContent: Answer = { status: 204, headers: {}, body: null };

/** Returns an error response. Its body is our own choice: the interface shows none. */
export function errorAnswer(status: number, message: string): Answer {
  return jsonAnswer(status, { code: status, message });
}

/** Sends a response; waits until a streamed body is sent or the caller disconnects. */
export async function sendAnswer(
  response: ServerResponse,
  { status, headers, body }: Answer,
): Promise<void> {
  if (body !== null && typeof body !== 'string') {
    response.writeHead(status, headers);
    // A caller that disconnects half-way is not an error of the service.
    return pipeline(body, response).catch(() => undefined);
  }
  const bytes = Buffer.from(body ?? '');
  const length = status === 204 ? {} : { 'Content-Length': bytes.length };
  response.writeHead(status, { ...headers, ...length });
  response.end(bytes);
}

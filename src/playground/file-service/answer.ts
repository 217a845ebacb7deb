import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What a request is answered with. */
export interface Answer {
  status: number;
  headers: OutgoingHttpHeaders;
  /** Text is sent whole, with its length; null is an empty body. */
  body: string | Readable | null;
  /** Of an error that is told inside a success. */
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

/** The body of an error is this service's own: the interface shows none. */
export function errorAnswer(status: number, message: string): Answer {
  return jsonAnswer(status, { code: status, message });
}

/** Sends an answer whole; settles when it has left or the caller has. */
export async function sendAnswer(
  response: ServerResponse,
  { status, headers, body }: Answer,
): Promise<void> {
  if (body !== null && typeof body !== 'string') {
    response.writeHead(status, headers);
    // A caller who leaves half-way is no error of the service.
    return pipeline(body, response).catch(() => undefined);
  }
  const bytes = Buffer.from(body ?? '');
  const length = status === 204 ? {} : { 'Content-Length': bytes.length };
  response.writeHead(status, { ...headers, ...length });
  response.end(bytes);
}

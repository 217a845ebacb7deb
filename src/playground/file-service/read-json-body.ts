import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

const MAX_BYTES = 1024 * 1024;

const begun = new WeakMap<IncomingMessage, Promise<string>>();

/** Takes the body in now, so that it can be read even when the sender has left by then. */
export function beginBody(request: IncomingMessage): void {
  const text = readText(request);
  text.catch(() => undefined);
  begun.set(request, text);
}

/** The request's body, a JSON object (else 400). */
export async function readJsonBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const value = parse(await (begun.get(request) ?? readText(request)));
  if (!isObject(value)) throw new Refusal(400, 'The body must be a JSON object.');
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'The body is not JSON.');
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Refusal(400, 'The body is longer than 1 MiB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

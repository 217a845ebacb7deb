import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

const MAX_BYTES = 1024 * 1024;

const begun = new WeakMap<IncomingMessage, Promise<string>>();

/** Starts reading the body now, so that `readJsonBody` works after the sender disconnects. */
export function beginBody(request: IncomingMessage): void {
  const text = readText(request);
  text.catch(() => undefined);
  begun.set(request, text);
}

/** Returns the body. Throws 400 if it is not a JSON object or longer than 1 MiB. */
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

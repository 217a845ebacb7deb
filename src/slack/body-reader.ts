import type { IncomingMessage } from 'node:http';
import type { Clock } from '../base/index.ts';

interface BodyLimits {
  /** The most bytes that one body may have. */
  bodyBytes: number;
  /** The most bytes that all unfinished bodies hold together. */
  allBytes: number;
}

/** Slack's own are small; a message with thousands of files takes some megabytes. */
export const BODY_LIMITS: BodyLimits = { bodyBytes: 4 * 1024 ** 2, allBytes: 32 * 1024 ** 2 };

/** Why there is no body: it is larger than one may be, made room for others, or never ended. */
export type NoBody = 'too large' | 'crowded out' | 'broken off';

export type BodyReader = ReturnType<typeof createBodyReader>;

/** A body that is still coming in, in one buffer, as a chunk costs more than the byte that may be in it. */
interface Unfinished {
  buffer: Buffer;
  length: number;
  /** In milliseconds since the epoch. */
  since: number;
  end(outcome: NoBody): void;
}

const FIRST_BYTES = 1_024;

/**
 * Reads bodies within limits on what they hold. When all together hold too much, the costliest
 * make room: cost is bytes times the time that they are held, so that a large body that comes quickly
 * outlives many that dribble.
 */
export function createBodyReader(clock: Clock, limits: BodyLimits = BODY_LIMITS) {
  const unfinished = new Set<Unfinished>();
  let held = 0;

  const take = (body: Unfinished, chunk: Buffer) => {
    if (body.length + chunk.length > limits.bodyBytes) return body.end('too large');
    held += append(body, chunk);
    while (held > limits.allBytes) costliest(unfinished, clock.now())?.end('crowded out');
  };

  /** Resolves with the body once it is whole; the caller closes the connection of one that is not. */
  const read = (request: IncomingMessage) =>
    new Promise<Buffer | NoBody>((resolve) => {
      const onChunk = (chunk: Buffer) => take(body, chunk);
      const end = (outcome: Buffer | NoBody) => {
        if (!unfinished.delete(body)) return;
        held -= body.buffer.length;
        request.off('data', onChunk);
        resolve(outcome);
      };
      const body: Unfinished = { buffer: Buffer.alloc(0), length: 0, since: clock.now(), end };
      unfinished.add(body);
      request.on('data', onChunk);
      request.once('end', () => end(body.buffer.subarray(0, body.length)));
      for (const event of ['error', 'close']) request.once(event, () => end('broken off'));
    });

  return {
    read,
    /** The bytes that all unfinished bodies hold now. */
    heldBytes: () => held,
  };
}

/** Adds a chunk; returns by how many bytes the buffer grew. */
function append(body: Unfinished, chunk: Buffer): number {
  const { buffer, length } = body;
  body.length += chunk.length;
  if (body.length > buffer.length) {
    body.buffer = Buffer.allocUnsafeSlow(Math.max(body.length, buffer.length * 2, FIRST_BYTES));
    buffer.copy(body.buffer, 0, 0, length);
  }
  chunk.copy(body.buffer, length);
  return body.buffer.length - buffer.length;
}

function costliest(bodies: Iterable<Unfinished>, now: number): Unfinished | undefined {
  const cost = ({ buffer, since }: Unfinished) => buffer.length * (now - since + 1);
  let found: Unfinished | undefined;
  for (const body of bodies) if (!found || cost(body) > cost(found)) found = body;
  return found;
}

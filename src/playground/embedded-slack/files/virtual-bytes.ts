import { Readable } from 'node:stream';

const PERIOD = 1024 * 1024 - 3;
const CHUNK = 64 * 1024;

/** Bytes that are made as they are read: as many as wanted, the same for the same seed. */
export interface VirtualContent {
  /** Bytes. */
  size: number;
  seed: number;
}

/** Streams the content; what it hands out are views of one block, which nobody may write to. */
export function virtualBytes({ size, seed }: VirtualContent): Readable {
  const block = blockOf(seed);
  let position = 0;
  return new Readable({
    highWaterMark: CHUNK,
    read() {
      if (position >= size) return void this.push(null);
      const start = position % PERIOD;
      const end = Math.min(start + CHUNK, PERIOD, start + size - position);
      position += end - start;
      this.push(block.subarray(start, end));
    },
  });
}

// The period divides no power of two, so that a chunk that is lost or twice there shifts the rest.
function blockOf(seed: number): Buffer {
  const block = Buffer.allocUnsafe(PERIOD);
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  for (let index = 0; index < PERIOD; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    block[index] = state & 0xff;
  }
  return block;
}

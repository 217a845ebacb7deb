import { Readable } from 'node:stream';

const PERIOD = 1024 * 1024 - 3;
const CHUNK = 64 * 1024;

/** Content of any size, generated while it is read; the same seed gives the same bytes. */
interface VirtualContent {
  /** Bytes. */
  size: number;
  seed: number;
}

/** Streams the content as views of one shared block, which must not be modified. */
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

// The period is odd, so that losing or repeating a chunk of a power of two shifts what follows.
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

import type { Random } from '../../src/base/index.ts';

/** Returns random values that are the same for the same seed. */
export function seededRandom(seed: number): Random & { below(limit: number): number } {
  const fraction = fractionsFrom(seed);
  let count = 0;
  return {
    fraction,
    below: (limit) => Math.floor(fraction() * limit),
    id: () => {
      count += 1;
      return `id-${seed}-${count}`;
    },
  };
}

/** Returns numbers in [0, 1) that are the same for the same seed: mulberry32. */
export function fractionsFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

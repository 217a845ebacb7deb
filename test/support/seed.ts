import fc from 'fast-check';

/**
 * The seed of whatever tests draw at random. It is fixed, so that the same sources give the same
 * result; `PIGEONHOLE_SEED` sets another one, as `.ci/long` does.
 */
export const SEED = readSeed(process.env['PIGEONHOLE_SEED'] ?? '1');

/**
 * How long hostile input is made up, in seconds; null for a fixed number of inputs, so that the same
 * sources get the same ones. `PIGEONHOLE_FUZZ_SECONDS` sets it, as `.ci/long` does.
 */
export const FUZZ_SECONDS = Number(process.env['PIGEONHOLE_FUZZ_SECONDS']) || null;

// The tests' configurations name this file as setup, so that each property is drawn from this seed.
fc.configureGlobal({ seed: SEED });

function readSeed(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new Error('PIGEONHOLE_SEED is no whole number below 1,000,000,000');
  return Number(text);
}

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const PRINT = `
  const { SEED } = await import('./test/support/seed.ts');
  const { default: fc } = await import('fast-check');
  console.log(SEED, fc.sample(fc.nat(), 3).join(' '));`;

/** Returns what a process of its own prints: its seed, and what a property draws there. */
async function drawn(seed?: string): Promise<string> {
  const { PIGEONHOLE_SEED: _mine, ...env } = process.env;
  const given = seed === undefined ? env : { ...env, PIGEONHOLE_SEED: seed };
  const args = ['--input-type=module', '--eval', PRINT];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: given });
  return stdout.trim();
}

it.each(['test/vitest.config.ts', 'test/crash/vitest.config.ts'])(
  '%s gives every property the seed',
  (config) => {
    expect(fc.readConfigureGlobal().seed).toBe(Number(process.env['PIGEONHOLE_SEED'] ?? 1));
    expect(readFileSync(config, 'utf8')).toContain("setupFiles: 'test/support/seed.ts'");
  },
);

it('what tests draw is the same in each run, and another for another seed', async () => {
  const [one, again, other] = await Promise.all([drawn(), drawn('1'), drawn('2')]);
  expect(again).toBe(one);
  expect(one).toMatch(/^1 \d+ \d+ \d+$/);
  expect(other).toMatch(/^2 \d+ \d+ \d+$/);
  expect(other.slice(2)).not.toBe(one.slice(2));
});

it('a seed that is no number ends the run', async () => {
  await expect(drawn('today')).rejects.toThrow('PIGEONHOLE_SEED is no whole number');
});

it('the check of a landing draws nothing of its own', () => {
  const steps = readFileSync('.ci/run', 'utf8');
  expect(steps).toMatch(/^unset PIGEONHOLE_SEED/m);
  expect(steps).not.toMatch(/--minutes|\/dev\/u?random|\$RANDOM|\$\(date/);
});

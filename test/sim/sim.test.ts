import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

/** Runs the simulator's command; resolves with what it printed, rejects when a world fails. */
async function sim(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['test/sim/main.ts', ...args]);
  return stdout;
}

it('holds every property in a fixed set of worlds', async () => {
  expect(await sim('--seeds', '1..28')).toContain('Every property held.');
}, 120_000);

it('runs each world twice in the same way, byte by byte', async () => {
  expect(await sim('--seeds', '30..35', '--check')).toContain('Every property held.');
}, 120_000);

it('prints a trace, one line an event', async () => {
  const trace = await sim('--seed', '3', '--trace');
  expect(trace).toMatch(/^ +0\.000 {2}app 1 is started$/m);
  expect(trace).toMatch(/ → service create: 201/);
}, 120_000);

it('says what it does not understand', async () => {
  const wrong = sim('--without', 'rain', '--seed', '1');
  await expect(wrong).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('rain') });
}, 120_000);

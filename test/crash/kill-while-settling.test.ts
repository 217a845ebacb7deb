import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { around, at, describePoint } from './kill-point.ts';
import { type KillRun, startKillRun } from './kill-run.ts';

// Longer than a start takes, so that the app finds the create still to be left alone.
const SETTLE_MS = 6_000;

let run: KillRun;
beforeAll(async () => {
  run = await startKillRun({ appOptions: { settleMs: SETTLE_MS } });
});
afterEach(() => run.recover());
afterAll(async () => {
  console.info(`kills while a create settles: ${await run.stop()}`);
});

describe('killed while a create without an answer is left alone', () => {
  const points = around('release').map((point) => [describePoint(point), point] as const);
  it.each(points)('%s', async (_name, point) => {
    await run.dieAt([at('creating'), point]);
  });
});

import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { around, at, type KillRun, named, startKillRun } from './kill-run.ts';

// Longer than a start takes, so that the restarted app must still leave the create alone.
const SETTLE_MS = 6_000;

let run: KillRun;
beforeAll(async () => {
  run = await startKillRun({ appOptions: { settleMs: SETTLE_MS } });
});
afterEach(() => run.recover());
afterAll(async () => {
  console.info(`kills while a create settles: ${await run.stop()}`);
});

describe('an app killed while it leaves a create without a response alone', () => {
  it.each(named(around('release')))(
    'files everything once after a kill %s',
    async (_name, point) => {
      await run.dieAt([at('creating'), point]);
    },
  );
});

import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { around, at, describePoint, type KillPoint } from './kill-point.ts';
import { type KillRun, startKillRun } from './kill-run.ts';

// After the app has stopped to wait for the answer, and before it looks for the record.
const LANDS_AFTER_MS = 2_000;
const SETTLE_MS = 4_000;

const POINTS: KillPoint[] = [at('creating'), ...around('postpone'), ...around('markFiled')];

let run: KillRun;
beforeAll(async () => {
  run = await startKillRun({ attachmentUse: 'often', appOptions: { settleMs: SETTLE_MS } });
});
afterEach(() => run.recover());
afterAll(async () => {
  console.info(`kills while a create is late: ${await run.stop()}`);
});

describe('killed while a create lands late, where an attachment may be used again', () => {
  it.each(POINTS.map((point) => [describePoint(point), point] as const))(
    '%s',
    async (_name, point) => {
      run.delayCreate(LANDS_AFTER_MS);
      await run.dieAt([point]);
    },
  );
});

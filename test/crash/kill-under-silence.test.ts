import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import type { KillPoint } from '../support/app-process-main.ts';
import { around, at, CALLS, type Call, type KillRun, named, startKillRun } from './kill-run.ts';

// The moments that follow a call without a response.
const UPLOAD_SILENT: KillPoint[] = [...around('postpone'), at('uploaded'), at('filed')];
const CREATE_SILENT: Record<Call['when'], KillPoint[]> = {
  before: [
    ...around('postpone'),
    ...around('claimLook'),
    at('looking'),
    at('absent'),
    ...around('markAbsent'),
    at('create-answered'),
  ],
  after: [...around('postpone'), ...around('claimLook'), ...around('markFiled'), at('filed')],
};

let run: KillRun;
beforeAll(async () => {
  run = await startKillRun();
  // A list of exactly 100 may be incomplete, so the app must not conclude from it that a create
  // failed.
  await run.share(101);
}, 60_000);
afterEach(() => run.recover());
afterAll(async () => {
  console.info(`kills while the service is silent: ${await run.stop()}`);
});

describe.each(CALLS)('an app killed while the service is silent $when its $operation', (call) => {
  const points = call.operation === 'upload' ? UPLOAD_SILENT : CREATE_SILENT[call.when];
  it.each(named(points))('files everything once after a kill %s', async (_name, point) => {
    run.silence(call);
    await run.dieAt([point]);
  });
});

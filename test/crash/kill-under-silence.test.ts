import { describe, it } from 'vitest';
import type { KillPoint } from '../support/app-process-main.ts';
import { around, at, CALLS, type Call, MORE_THAN_A_PAGE, named, useKillRun } from './kill-run.ts';

// The moments that follow a call without a response.
const UPLOAD_SILENT: KillPoint[] = [...around('postpone'), at('uploaded'), at('filed')];
const CREATE_SILENT: Record<Call['when'], KillPoint[]> = {
  before: [
    ...around('postpone'),
    ...around('unfiledIn'),
    at('looking'),
    at('absent'),
    ...around('markAbsent'),
    at('create-answered'),
  ],
  after: [...around('postpone'), ...around('unfiledIn'), ...around('markFiled'), at('filed')],
};

const run = useKillRun('kills while the service is silent', { filed: MORE_THAN_A_PAGE });

describe.each(CALLS)('an app killed while the service is silent $when its $operation', (call) => {
  const points = call.operation === 'upload' ? UPLOAD_SILENT : CREATE_SILENT[call.when];
  it.each(named(points))('files everything once after a kill %s', async (_name, point) => {
    run.silence(call);
    await run.dieAt([point]);
  });
});

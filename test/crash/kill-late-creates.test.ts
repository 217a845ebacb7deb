import { describe, it } from 'vitest';
import type { KillPoint } from '../support/app-process-main.ts';
import { around, at, named, useKillRun } from './kill-run.ts';

// Later than the app's request timeout, and before it looks for the record.
const LANDS_AFTER_MS = 2_000;
const SETTLE_MS = 4_000;

const POINTS: KillPoint[] = [at('creating'), ...around('postpone'), ...around('markFiled')];

const run = useKillRun('kills while a create is late', {
  attachmentUse: 'often',
  appOptions: { settleMs: SETTLE_MS },
});

describe('an app killed while a create lands late, where attachments can be reused', () => {
  it.each(named(POINTS))('files everything once after a kill %s', async (_name, point) => {
    run.delayCreate(LANDS_AFTER_MS);
    await run.dieAt([point]);
  });
});

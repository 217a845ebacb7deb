import { describe, it } from 'vitest';
import type { KillPoint } from '../support/app-process-main.ts';
import { around, at, CALLS, MORE_THAN_A_PAGE, named, useKillRun } from './kill-run.ts';

const TRANSFER_POINTS: KillPoint[] = [
  ...around('recordShare'),
  ...around('claimFiling'),
  at('claimed'),
  at('uploading'),
  at('upload-answered'),
  ...around('markUploaded'),
  at('uploaded'),
  { when: 'before', name: 'claimFiling', nth: 2 },
  { when: 'after', name: 'claimFiling', nth: 2 },
  at('creating'),
  at('create-answered'),
  ...around('markFiled'),
  at('filed'),
];

const NOTIFY_POINTS: KillPoint[] = [
  ...around('claimMessage'),
  ...around('beginReaction'),
  ...around('beginPost'),
  at('reply-begun'),
  at('reply-posted'),
  ...around('endMessage'),
];

const run = useKillRun('kill matrix', { filed: MORE_THAN_A_PAGE });

describe('an app killed while the service responds', () => {
  it.each(named([...TRANSFER_POINTS, ...NOTIFY_POINTS]))(
    'files everything once after a kill %s',
    async (_name, point) => {
      await run.dieAt([point]);
    },
  );

  it.each(CALLS)(
    'files everything once after a kill $when the service does its $operation',
    async (call) => {
      await run.dieDuring(call);
    },
  );
});

describe('an app killed twice', () => {
  const FILED_UNHEARD = at('create-answered');
  it.each([
    ['when the create is found', [FILED_UNHEARD, ...around('markFiled').slice(0, 1)]],
    ['when the create is not found', [at('creating'), ...around('markAbsent').slice(1)]],
    ['at the same step', [at('uploaded'), at('uploaded')]],
    ['at the next step', [at('uploading'), at('upload-answered'), at('creating')]],
    ['when the lost reply is found', [at('reply-posted'), ...around('endMessage').slice(0, 1)]],
  ])('files everything once after a kill %s', async (_name, points) => {
    await run.dieAt(points);
  });
});

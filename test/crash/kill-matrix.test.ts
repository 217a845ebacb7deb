import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import type { KillPoint } from '../support/app-process-main.ts';
import { around, at, type Call, describePoint, type KillRun, startKillRun } from './kill-run.ts';

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
  ...around('claimRow'),
  ...around('beginReaction'),
  ...around('beginReply'),
  at('reply-begun'),
  at('reply-posted'),
  ...around('finishNotification'),
];

const CALLS: Call[] = [
  { operation: 'upload', when: 'before' },
  { operation: 'upload', when: 'after' },
  { operation: 'create', when: 'before' },
  { operation: 'create', when: 'after' },
];

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
  console.info(`kill matrix: ${await run.stop()}`);
});

const named = (points: KillPoint[]) =>
  points.map((point) => [describePoint(point), point] as const);

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

describe.each(CALLS)('an app killed while the service is silent $when its $operation', (call) => {
  const points = call.operation === 'upload' ? UPLOAD_SILENT : CREATE_SILENT[call.when];
  it.each(named(points))('files everything once after a kill %s', async (_name, point) => {
    run.silence(call);
    await run.dieAt([point]);
  });
});

describe('an app killed twice', () => {
  const FILED_UNHEARD = at('create-answered');
  it.each([
    ['when the create is found', [FILED_UNHEARD, ...around('markFiled').slice(0, 1)]],
    ['when the create is not found', [at('creating'), ...around('markAbsent').slice(1)]],
    ['at the same step', [at('uploaded'), at('uploaded')]],
    ['at the next step', [at('uploading'), at('upload-answered'), at('creating')]],
    [
      'when the lost reply is found',
      [at('reply-posted'), ...around('finishNotification').slice(0, 1)],
    ],
  ])('files everything once after a kill %s', async (_name, points) => {
    await run.dieAt(points);
  });
});

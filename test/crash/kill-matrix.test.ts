import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FaultMoment } from '../../src/playground/file-service/index.ts';
import { NOTHING } from '../support/watch-shares.ts';
import { type CrashWorld, startCrashWorld } from './crash-world.ts';
import { around, at, describePoint, type KillPoint } from './kill-point.ts';
import type { AppProcess } from './start-app-process.ts';

/** A call of this kind, before or after it has taken effect. */
type Call = Pick<FaultMoment, 'operation' | 'when'>;

const TRANSFER_POINTS: KillPoint[] = [
  ...around('recordShare'),
  ...around('claimTransfer'),
  at('claimed'),
  at('uploading'),
  at('upload-answered'),
  ...around('markUploaded'),
  at('uploaded'),
  ...around('markCreating'),
  at('creating'),
  at('create-answered'),
  ...around('markFiled'),
  at('filed'),
];

const TELLING_POINTS: KillPoint[] = [
  ...around('claimShareToTell'),
  ...around('beginReaction'),
  ...around('recordReaction'),
  ...around('beginReply'),
  at('reply-begun'),
  at('reply-posted'),
  ...around('recordReply'),
  at('reply-recorded'),
  ...around('finishTelling'),
];

const CALLS: Call[] = [
  { operation: 'upload', when: 'before' },
  { operation: 'upload', when: 'after' },
  { operation: 'create', when: 'before' },
  { operation: 'create', when: 'after' },
];

// What follows a call without an answer.
const UPLOAD_SILENT: KillPoint[] = [...around('postpone'), at('uploaded'), at('filed')];
const CREATE_SILENT: Record<Call['when'], KillPoint[]> = {
  before: [...around('postpone'), ...around('markNotCreated'), at('create-answered')],
  after: [...around('postpone'), ...around('markFiled'), at('filed')],
};

let world: CrashWorld;
let app: AppProcess;
let kills = 0;

beforeAll(async () => {
  // Only events and their redelivery bring shares here: no catch-up stands in for them.
  world = await startCrashWorld({ seams: { historyEveryMs: 10 ** 9, settleMs: 1_500 } });
  app = await world.start();
});
afterEach(async () => {
  world.service.faults.clear();
  if (await app.died(0)) app = await world.start();
  else await app.arm(null);
});
afterAll(async () => {
  await app.stop();
  const { watch } = world;
  const { states } = world.readLedger();
  const summary = `${watch.shares()} shares of ${watch.files()} files, ${kills} kills`;
  console.info(`kill matrix: ${summary}; in the ledger ${JSON.stringify(states)}`);
  await world.stop();
});

/** Shares two files, and starts the app again each time it dies, until all is at rest. */
async function survive(label: string, killed: () => Promise<unknown>): Promise<void> {
  const posting = world.watch.share({
    channel: 'general',
    user: 'ben',
    text: label,
    files: [
      { name: `${label} a.bin`, bytes: randomBytes(20_000) },
      { name: `${label} b.bin`, bytes: randomBytes(300) },
    ],
  });
  await killed();
  await posting;
  await world.watch.settled(AbortSignal.timeout(20_000));
  expect(await app.atRest()).toBe(true);
  expect(await world.watch.findings()).toEqual(NOTHING);
}

/** The app dies at each of the points in turn. */
async function dieAt(points: KillPoint[]): Promise<void> {
  await app.arm(points[0] ?? null);
  await survive(`${kills} ${points.map(describePoint)}`, async () => {
    for (const next of [...points.slice(1), null]) {
      expect(await app.died(15_000)).toBe(true);
      kills += 1;
      const started = await world.begin(next).started;
      if (started) app = started;
    }
  });
}

/** The app dies while the service is at a call. */
async function dieDuring({ operation, when }: Call): Promise<void> {
  const end = world.service.faults.intercept(async (moment) => {
    if (moment.operation !== operation || moment.when !== when) return undefined;
    end();
    app.kill();
    await app.died(5_000);
    return undefined;
  });
  await survive(`${kills} ${when} ${operation}`, async () => {
    expect(await app.died(15_000)).toBe(true);
    kills += 1;
    app = await world.start();
  });
}

/** The next such calls have no answer: they hang until the app's patience ends. */
function silence({ operation, when }: Call): void {
  // The client itself tries each of the two uploads once more.
  let left = operation === 'upload' ? 4 : 1;
  world.service.faults.intercept((moment) => {
    if (left === 0 || moment.operation !== operation || moment.when !== when) return undefined;
    left -= 1;
    return { mode: 'hang' };
  });
}

const named = (points: KillPoint[]) =>
  points.map((point) => [describePoint(point), point] as const);

describe('killed while the service answers', () => {
  it.each(named([...TRANSFER_POINTS, ...TELLING_POINTS]))('%s', async (_name, point) => {
    await dieAt([point]);
  });

  it.each(CALLS)('$when the service does its $operation', async (call) => {
    await dieDuring(call);
  });
});

describe.each(CALLS)('killed when the service is silent $when its $operation', (call) => {
  const points = call.operation === 'upload' ? UPLOAD_SILENT : CREATE_SILENT[call.when];
  it.each(named(points))('%s', async (_name, point) => {
    silence(call);
    await dieAt([point]);
  });
});

describe('killed again', () => {
  const FILED_UNHEARD = at('create-answered');
  it.each([
    ['while the create settles', [at('creating'), ...around('releaseTransfer').slice(0, 1)]],
    ['when the create has settled', [at('creating'), ...around('releaseTransfer').slice(1)]],
    ['when the create is found', [FILED_UNHEARD, ...around('markFiled').slice(0, 1)]],
    ['when the create is not found', [at('creating'), ...around('markNotCreated').slice(1)]],
    ['at the same step', [at('uploaded'), at('uploaded')]],
    ['at the next step', [at('uploading'), at('upload-answered'), at('creating')]],
    ['when the lost reply is found', [at('reply-posted'), ...around('recordReply').slice(0, 1)]],
  ])('%s', async (_name, points) => {
    await dieAt(points);
  });
});

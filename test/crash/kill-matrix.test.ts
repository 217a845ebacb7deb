import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultMoment, Operation } from '../../src/playground/file-service/index.ts';
import { NOTHING } from '../support/watch-shares.ts';
import { type CrashWorld, startCrashWorld } from './crash-world.ts';
import { describePoint, type KillPoint } from './kill-point.ts';
import type { AppProcess } from './start-app-process.ts';

/** How the service treats the next call of that kind. */
type Answering = { to: Operation; effect: boolean } | 'answers';

const FIRST = { nth: 1 };
const at = (name: Extract<KillPoint, { when: 'at' }>['name']): KillPoint => ({
  ...FIRST,
  when: 'at',
  name,
});
const around = (name: Extract<KillPoint, { when: 'before' }>['name']): KillPoint[] => [
  { ...FIRST, when: 'before', name },
  { ...FIRST, when: 'after', name },
];

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
  ...around('recordReaction'),
  ...around('beginReply'),
  at('reply-begun'),
  at('reply-posted'),
  ...around('recordReply'),
  at('reply-recorded'),
  ...around('finishTelling'),
];
const AFTER_SILENCE: KillPoint[] = [
  ...around('postpone'),
  { when: 'after', name: 'claimTransfer', nth: 3 },
  ...around('releaseTransfer'),
];

let world: CrashWorld;
let app: AppProcess;
let kills = 0;

beforeAll(async () => {
  // Only events and their redelivery bring shares here: no catch-up stands in for them.
  world = await startCrashWorld({ seams: { historyEveryMs: 10 ** 9 } });
  app = await world.start();
});
afterAll(async () => {
  await app.stop();
  const { watch } = world;
  console.info(`kill matrix: ${kills} kills, ${watch.shares()} shares, ${watch.files()} files`);
  await world.stop();
});

/** Shares two files, kills the app at the point, starts it again and waits for the end. */
async function dieAt(point: KillPoint, answering: Answering): Promise<void> {
  const label = `${kills}-${describePoint(point)}`;
  await app.arm(point);
  const stopFault = muteNext(answering);
  const posting = world.watch.share({
    channel: 'general',
    user: 'ben',
    text: label,
    files: [
      { name: `${label} a.bin`, bytes: randomBytes(20_000) },
      { name: `${label} b.bin`, bytes: randomBytes(300) },
    ],
  });
  expect(await app.gone).toBe('SIGKILL');
  kills += 1;
  app = await world.start();
  await posting;
  await world.watch.settled(AbortSignal.timeout(20_000));
  stopFault();
}

// One call goes without an answer, with its effect or without.
function muteNext(answering: Answering): () => void {
  if (answering === 'answers') return () => undefined;
  let muted = false;
  return world.service.faults.intercept(({ operation, when }: FaultMoment) => {
    const now = when === (answering.effect ? 'after' : 'before');
    if (muted || operation !== answering.to || !now) return undefined;
    muted = true;
    return { mode: 'hang' };
  });
}

const named = (points: KillPoint[]) =>
  points.map((point) => [describePoint(point), point] as const);

describe('killed', () => {
  it.each(named([...TRANSFER_POINTS, ...TELLING_POINTS]))(
    '%s, with the service answering',
    async (_name, point) => {
      await dieAt(point, 'answers');
      expect(await world.watch.findings()).toEqual(NOTHING);
    },
  );
});

import type { ReplayEvent } from '../../../src/playground/replay/replay-file.ts';
import { createRng, setGlobalRng } from '../kernel/random.ts';
import { liveTimers, resetTime, runUntil, START_TIME, virtualNow } from '../kernel/virtual-time.ts';
import { checkBookmarks } from '../oracle/bookmarks.ts';
import {
  channelsWithoutFolder,
  checkEnd,
  countUnclear,
  foldersLeft,
  isSettled,
  maxClockAhead,
  pendingWork,
} from '../oracle/end-checks.ts';
import { checkSlots, heldLeases, withoutJob } from '../oracle/leaks.ts';
import type { Violation } from '../oracle/oracle.ts';
import { ADMIN, linkText } from '../plan/actions.ts';
import type { Plan } from '../plan/plan.ts';
import { checkFormOnSlowService, runFinalScenario } from './final-scenario.ts';
import type { Machine } from './machine.ts';
import { performStep } from './perform.ts';
import { createReplayReader } from './trace.ts';
import { createWorld, setMember, type World, type WorldFolders } from './world.ts';

export interface WorldResult {
  seed: number;
  /** The first property that did not hold; null: all held. */
  violation: Violation | null;
  trace: readonly string[];
  /** The trace with what each event changed; empty unless recorded. */
  events: readonly ReplayEvent[];
  /** The duration in virtual milliseconds. */
  lastedMs: number;
  injected: Record<string, number>;
  counts: Record<string, number>;
}

/** How long a world may take to come to rest once nothing fails any more. */
const SETTLE_MS = 6 * 3_600_000;
/** The same where Slack lost events: threads are read once a day. */
const SETTLE_THREADS_MS = 25 * 3_600_000;
/** How often it is checked whether a world has come to rest. */
const CHECK_EVERY_MS = 5_000;
/** How often an admin reads what the app says once nothing fails any more. */
const READ_EVERY_MS = 10 * 60_000;
/** How long it must then stay at rest: longer than a lease left by a crash, if clocks are right. */
const REST_MS = 75_000;
const STOP_MS = 60_000;
/** Longer than the timeout of any request. */
const REQUEST_MS = 120_000;

/** Runs one world from its beginning to its end. Never rejects. */
export async function runWorld(
  plan: Plan,
  folders: WorldFolders,
  record: boolean,
): Promise<WorldResult> {
  resetTime();
  setGlobalRng(createRng(plan.seed, 'globals'));
  const world = createWorld(plan, folders);
  const { oracle, trace, service, slack, machines } = world;
  if (record) trace.record(createReplayReader(service.store, slack.state));
  const onUnhandled = (error: unknown) => oracle.fail('no unhandled rejection', stackOf(error));
  process.on('unhandledRejection', onUnhandled);
  process.on('uncaughtException', onUnhandled);
  try {
    await run(world);
    for (const what of trace.unforeseen) oracle.fail('no failure is unforeseen', what);
  } catch (error) {
    oracle.fail('no uncaught exception', stackOf(error));
  } finally {
    process.off('unhandledRejection', onUnhandled);
    process.off('uncaughtException', onUnhandled);
    for (const { instance } of machines) instance?.process.kill();
    world.dispose();
  }
  return resultOf(world);
}

function stackOf(error: unknown): string {
  return String(error instanceof Error ? error.stack : error);
}

async function run(world: World): Promise<void> {
  const { plan, machines, faults, oracle } = world;
  const failed = () => oracle.violations.length > 0;
  for (const machine of machines) machine.start();
  for (const step of plan.steps) setTimeout(() => performStep(world, step), step.at);
  await runUntil(failed, START_TIME + plan.faultsUntil);
  await runUntil(failed, faults.faultFreeFrom());
  world.trace.add('— from now on nothing goes wrong');
  for (const machine of machines) machine.endFaults();
  await settle(world, failed);
  const rest = (ms: number) => runUntil(failed, virtualNow() + ms);
  const phases = [
    () => rest(REST_MS + maxClockAhead(plan)),
    () => checkSlots(machines, oracle),
    () => leaveOne(machines),
    () => runFinalScenario(world),
    // Its effects show in reactions and lines a moment later.
    () => rest(REST_MS),
    () => settle(world, failed),
    () => checkEnd(world),
    () => checkFormOnSlowService(world),
    () => stopAll(world),
    () => checkBookmarks(world),
    () => {
      for (const { kind, held } of heldLeases(world.dataDir))
        oracle.fail('leases are free at rest', `${held} of ${kind}`);
      const files = withoutJob(world.dataDir);
      if (files > 0) oracle.fail('each file on its way has a job', `${files} have none`);
    },
  ];
  for (const phase of phases) if (!failed()) await phase();
}

/** How long it takes until the last process sends the requests: a lease and a window. */
const TAKEN_OVER_MS = 16_000;

// Only one of several instances answers what needs the account.
async function leaveOne(machines: Machine[]): Promise<void> {
  const others = machines.splice(1);
  if (others.length === 0) return;
  for (const machine of others) void machine.stop();
  await runUntil(() => false, virtualNow() + STOP_MS + TAKEN_OVER_MS);
}

// Lets time pass until the world is at rest. An admin links a channel to another folder on reading
// that its folder is gone.
async function settle(world: World, failed: () => boolean): Promise<void> {
  const settled = nowAndThen(() => isSettled(world));
  // An instance whose clock is far off refuses what Slack sends.
  const mayLose = world.plan.steps.some(
    ({ action: { kind } }) => kind === 'slack-silent' || kind === 'clock',
  );
  const settleMs = mayLose ? SETTLE_THREADS_MS : SETTLE_MS;
  for (const end = virtualNow() + settleMs; virtualNow() < end; replaceFolders(world))
    if (await runUntil(() => failed() || settled(), virtualNow() + READ_EVERY_MS)) return;
  // A wrong share is a more precise failure than a missing rest.
  checkEnd(world);
  if (failed()) return;
  const pending = [...pendingWork(world)].join(', ');
  world.oracle.fail('everything settles', `no rest within ${settleMs / 3_600_000} h: ${pending}`);
}

// The check reads everything that was said and shared, which is too slow for every timer.
function nowAndThen(check: () => boolean): () => boolean {
  let next = 0;
  return () => {
    if (virtualNow() < next) return false;
    next = virtualNow() + CHECK_EVERY_MS;
    return check();
  };
}

function replaceFolders(world: World): void {
  const [folder] = foldersLeft(world);
  if (folder === undefined) return;
  for (const channel of channelsWithoutFolder(world)) {
    const admin = { channel, user: ADMIN };
    setMember(world.slack, admin, true);
    world.users.command(`/files ${linkText(folder)}`, admin);
  }
}

async function stopAll({ machines, oracle, trace }: World): Promise<void> {
  let stopped = 0;
  for (const machine of machines) void machine.stop().then(() => (stopped += 1));
  const allStopped = () => stopped === machines.length;
  if (!(await runUntil(allStopped, virtualNow() + STOP_MS)))
    oracle.fail('a shutdown ends in time', `no end within ${STOP_MS / 1000} s`);
  // Requests that hung at shutdown were left behind and end with their own timeouts.
  await runUntil(() => timersLeft().length === 0, virtualNow() + REQUEST_MS);
  const left = timersLeft();
  for (const { dueAt, stack = '' } of left)
    trace.add(`a timer is left, due at ${dueAt - START_TIME} ms ${stack}`);
  if (left.length > 0) oracle.fail('no leaked timer', `${left.length} are left after the stop`);
}

function timersLeft() {
  return liveTimers().filter(({ owner, keepsAlive }) => owner && keepsAlive);
}

function countPreviews({ state }: World['slack']): number {
  const messages = [...state.channels.values()].flatMap((channel) => channel.messages);
  return messages.reduce((sum, { previews }) => sum + previews.size, 0);
}

function resultOf(world: World): WorldResult {
  const { plan, oracle, trace, faults, machines, slack } = world;
  const violation = oracle.violations[0] ?? null;
  if (violation) trace.add(`✗ ${violation.property}: ${violation.what}`);
  // If the service names files itself, its folder cannot show what a create with a lost response
  // left.
  const suffix = plan.traits.behaviour.namesOnCreate === 'own' ? ' renamed' : '';
  return {
    seed: plan.seed,
    violation,
    trace: trace.lines,
    events: trace.events,
    lastedMs: virtualNow() - START_TIME,
    injected: Object.fromEntries(faults.injected),
    counts: {
      [`shares${suffix}`]: oracle.shares.length,
      [`unclear${suffix}`]: countUnclear(world),
      announced: oracle.announcements(),
      previews: countPreviews(slack),
      saved: oracle.saves.count(),
      'shared again': oracle.sharedFiles.count(),
      'put back': oracle.putBacks.promised.length,
      skipped: oracle.presses.skips().length,
      kills: machines.reduce((sum, { kills }) => sum + kills, 0),
    },
  };
}

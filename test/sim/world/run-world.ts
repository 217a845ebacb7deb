import type { ReplayEvent } from '../../../src/playground/replay/replay-file.ts';
import { createChance, drawFrom } from '../kernel/random.ts';
import {
  BEGINNING,
  keepsAlive,
  liveTimers,
  restartTime,
  runUntil,
  virtualNow,
} from '../kernel/virtual-time.ts';
import {
  channelsWithoutFolder,
  checkEnd,
  countUnclear,
  foldersLeft,
  isSettled,
  mostAhead,
  restless,
} from '../oracle/end-checks.ts';
import { checkSlots, leasesLeft } from '../oracle/leaks.ts';
import type { Violation } from '../oracle/oracle.ts';
import type { Plan } from '../plan/plan.ts';
import { closingScene, formOnSlowService } from './final-scenario.ts';
import { doDeed } from './perform.ts';
import { shownParts } from './trace.ts';
import { linkText } from './users.ts';
import { comeIn, createWorld, type World, type WorldFolders } from './world.ts';

/** The result of a world. */
export interface Outcome {
  seed: number;
  /** The first property that did not hold; null: all held. */
  violation: Violation | null;
  trace: readonly string[];
  /** The trace with what each event changed; empty unless it was to be recorded. */
  events: readonly ReplayEvent[];
  /** The duration in virtual milliseconds. */
  lastedMs: number;
  /** How often each fault occurred. */
  struck: Record<string, number>;
  counts: Record<string, number>;
}

const HOUR_MS = 3_600_000;
/** How long a world may take to come to rest once nothing fails any more. */
const SETTLE_MS = 6 * HOUR_MS;
/** How often it is checked whether a world has come to rest. */
const LOOK_EVERY_MS = 5_000;
/** How often an admin reads what the app says once nothing fails any more. */
const READING_MS = 10 * 60_000;
const ADMIN = 0;
/**
 * How long it must then stay at rest: longer than any lease left by a crash, if the clock was
 * right.
 */
const REST_MS = 75_000;
/** The longest that an orderly shutdown may take. */
const STOP_MS = 60_000;
/** Longer than the timeout of any request. */
const PATIENCE_MS = 120_000;

/** Runs one world from its beginning to its end. Never rejects. */
export async function runWorld(
  plan: Plan,
  folders: WorldFolders,
  record: boolean,
): Promise<Outcome> {
  restartTime();
  drawFrom(createChance(plan.seed, 'globals'));
  const world = createWorld(plan, folders);
  if (record) world.trace.record(shownParts(world));
  const unhandled = (error: unknown) =>
    world.truth.fail(
      'no unhandled rejection',
      String(error instanceof Error ? error.stack : error),
    );
  process.on('unhandledRejection', unhandled);
  process.on('uncaughtException', unhandled);
  try {
    await live(world);
  } catch (error) {
    world.truth.fail('the world holds', error instanceof Error ? `${error.stack}` : String(error));
  } finally {
    process.off('unhandledRejection', unhandled);
    process.off('uncaughtException', unhandled);
    for (const { instance } of world.seats) instance?.process.kill();
    world.dispose();
  }
  return outcomeOf(world);
}

async function live(world: World): Promise<void> {
  const { plan, seats, faults } = world;
  const failed = () => world.truth.violations.length > 0;
  for (const seat of seats) seat.up();
  for (const step of plan.steps) setTimeout(() => doDeed(world, step), step.at);
  await runUntil(failed, BEGINNING + plan.calmAt);
  await runUntil(failed, faults.calmFrom());
  world.trace.add('— from now on nothing goes wrong');
  for (const seat of seats) seat.calm();
  await settle(world, failed);
  if (!failed()) await runUntil(failed, virtualNow() + REST_MS + mostAhead(plan));
  if (!failed()) await checkSlots(world);
  if (!failed()) await closingScene(world);
  // The effects of the closing scene show in reactions and lines a moment later.
  if (!failed()) await runUntil(failed, virtualNow() + REST_MS);
  if (!failed()) await settle(world, failed);
  if (!failed()) checkEnd(world);
  if (!failed()) await formOnSlowService(world);
  if (!failed()) await stopAll(world);
  if (!failed()) checkLeases(world);
}

/**
 * Lets time pass until the world is at rest. An admin links a channel to another folder on reading
 * that its folder is gone.
 */
async function settle(world: World, failed: () => boolean): Promise<void> {
  const rests = nowAndThen(() => isSettled(world));
  for (const end = virtualNow() + SETTLE_MS; virtualNow() < end; mendLinks(world))
    if (await runUntil(() => failed() || rests(), virtualNow() + READING_MS)) return;
  // A wrong share is a more precise failure than a missing rest.
  checkEnd(world);
  if (failed()) return;
  const hours = SETTLE_MS / HOUR_MS;
  world.truth.fail(
    'everything settles',
    `no rest within ${hours} h: ${restless(world).join(', ')}`,
  );
}

// The check reads everything that was said and shared, which is too slow for every timer.
function nowAndThen(check: () => boolean): () => boolean {
  let next = 0;
  return () => {
    if (virtualNow() < next) return false;
    next = virtualNow() + LOOK_EVERY_MS;
    return check();
  };
}

function mendLinks(world: World): void {
  const [folder] = foldersLeft(world);
  if (folder === undefined) return;
  for (const channel of channelsWithoutFolder(world)) {
    const admin = { channel, user: ADMIN };
    comeIn(world, admin);
    world.people.command('/files', linkText(folder), admin);
  }
}

async function stopAll(world: World): Promise<void> {
  let stopped = 0;
  for (const seat of world.seats) void seat.down().then(() => (stopped += 1));
  const all = () => stopped === world.seats.length;
  if (!(await runUntil(all, virtualNow() + STOP_MS)))
    world.truth.fail('it stops', `no end within ${STOP_MS / 1000} s`);
  // Requests that hung at shutdown were left behind and end with their own timeouts.
  await runUntil(() => timersLeft().length === 0, virtualNow() + PATIENCE_MS);
  const left = timersLeft();
  for (const { dueAt, stack = '' } of left)
    world.trace.add(`a timer is left, due at ${dueAt - BEGINNING} ms ${stack}`);
  if (left.length > 0)
    world.truth.fail('no leaked timer', `${left.length} are left after the stop`);
}

function checkLeases({ dataDirs, truth }: World): void {
  for (const held of dataDirs.flatMap(leasesLeft))
    truth.fail('leases are free at rest', `held after the stop: ${held}`);
}

function timersLeft() {
  return liveTimers().filter((timer) => timer.owner && keepsAlive(timer));
}

function outcomeOf(world: World): Outcome {
  const { plan, truth, trace, faults } = world;
  const violation = truth.violations[0] ?? null;
  if (violation) trace.add(`✗ ${violation.property}: ${violation.what}`);
  return {
    seed: plan.seed,
    violation,
    trace: trace.lines,
    events: trace.events,
    lastedMs: virtualNow() - BEGINNING,
    struck: Object.fromEntries(faults.struck),
    counts: {
      ...countsOfShares(world),
      announced: world.truth.announcements(),
      saved: world.truth.saves.count(),
      kills: world.seats.reduce((sum, { kills }) => sum + kills, 0),
    },
  };
}

// If the service names files itself, its folder cannot show what a create with a lost response
// left.
function countsOfShares(world: World): Record<string, number> {
  const shares = world.truth.shares.length;
  const unclear = countUnclear(world);
  if (world.plan.traits.behaviour.namesOnCreate !== 'own') return { shares, unclear };
  return { 'shares renamed': shares, 'unclear renamed': unclear };
}

import { AsyncLocalStorage } from 'node:async_hooks';
import FakeTimers from '@sinonjs/fake-timers';

/** An owner of timers: its timers can be counted, and stop when it dies. */
export interface TimerOwner {
  readonly name: string;
  /** Once true, none of the owner's timers fires. */
  dead: boolean;
  /** Runs `work` now or, while the owner is paused, at the end of the pause. */
  whenRunning(work: () => void): void;
}

/** A timer that has not fired, with the owner that set it; null: the world itself. */
interface LiveTimer {
  owner: TimerOwner | null;
  dueAt: number;
  /** Whether it would keep a process alive. */
  keepsAlive: boolean;
  /** Where it was set; recorded only while `recordStacks` is on, because it costs time. */
  stack?: string | undefined;
}

/** The time at which every world begins, in milliseconds since the epoch. */
export const START_TIME = Date.UTC(2026, 2, 2, 9, 0, 0);

/**
 * The most turns of the event loop that promises get between two timers: each commit takes one, a
 * start several. A longer chain goes on beside the next timer.
 */
const MAX_TURNS = 40;
const STACK_DEPTH = 10;
const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;

const owners = new AsyncLocalStorage<TimerOwner | null>();
const realImmediate = setImmediate;
const live = new Map<unknown, LiveTimer>();
const cleared = new WeakSet<object>();
let clock: FakeTimers.Clock | null = null;
let withStacks = false;

/**
 * Puts every timer and clock of this thread on virtual time; cannot be undone. Call it before
 * loading anything that keeps a global of its own. `setImmediate` stays real: promises run on it
 * between two timers.
 */
export function installVirtualTime(): void {
  if (clock) return;
  const toFake = [...TIMERS, 'Date', 'performance', 'hrtime'] as const;
  clock = FakeTimers.install({ now: START_TIME, toFake: [...toFake] });
  installOwnedTimers();
  AbortSignal.timeout = abortAfter;
}

/** Sets whether timers and errors record the stack where they were made. */
export function recordStacks(wanted: boolean): void {
  withStacks = wanted;
  // An error without a stack loses little: a failing world is run again with stacks.
  Error.stackTraceLimit = wanted ? STACK_DEPTH : 0;
}

/** Milliseconds since the epoch. */
export function virtualNow(): number {
  return virtualClock().now;
}

/** Runs `work` as this owner; the owner gets every timer that it sets, now or later. */
export function runAs<T>(owner: TimerOwner | null, work: () => T): T {
  return owners.run(owner, work);
}

/** Returns the owner on whose behalf the current code runs. */
export function currentOwner(): TimerOwner | null {
  return owners.getStore() ?? null;
}

/** Returns the timers that have not fired and whose owners are alive. */
export function liveTimers(): LiveTimer[] {
  return [...live.values()].filter(({ owner }) => !owner?.dead);
}

// Lets promises run, and immediates while any is left, without moving time.
async function drainPromises(): Promise<void> {
  for (let n = 0; n < MAX_TURNS; n += 1) {
    await new Promise<void>((resolve) => realImmediate(resolve));
    if (!process.getActiveResourcesInfo().includes('Immediate')) return;
  }
}

/** Fires one timer after another until `done`, or until `latest`; returns whether it was done. */
export async function runUntil(done: () => boolean, latest: number): Promise<boolean> {
  const time = virtualClock();
  for (;;) {
    await drainPromises();
    if (done()) return true;
    const next = nextDue();
    if (next === null || next > latest) break;
    time.next();
  }
  if (time.now < latest) time.tick(latest - time.now);
  await drainPromises();
  return done();
}

/** Removes every timer and goes back to the beginning, for the next world. */
export function resetTime(): void {
  const time = virtualClock();
  time.reset();
  live.clear();
  time.setSystemTime(START_TIME);
}

function virtualClock(): FakeTimers.Clock {
  if (!clock) throw new Error('Virtual time is not installed.');
  return clock;
}

function nextDue(): number | null {
  let next: number | null = null;
  for (const [timer, { owner, dueAt }] of live) {
    if (owner?.dead) {
      live.delete(timer);
      virtualClock().clearTimeout(timer as FakeTimers.TimerId);
    } else if (next === null || dueAt < next) next = dueAt;
  }
  return next;
}

type Callback = (...args: unknown[]) => void;

// Each timer remembers its owner, fires as that owner, and does not fire once the owner is dead.
function installOwnedTimers(): void {
  const { setTimeout: later, setInterval: every, clearTimeout: clear } = globalThis;
  const entryFor = (ms: number): LiveTimer => {
    const stack = withStacks ? new Error('set here').stack : undefined;
    return { owner: currentOwner(), dueAt: virtualNow() + ms, keepsAlive: true, stack };
  };
  const once = (callback: Callback, ms = 0, ...args: unknown[]) => {
    const entry = entryFor(Math.max(0, ms || 0));
    const timer: unknown = later(() => {
      live.delete(timer);
      // The first callback after a pause may clear a timer that came due during it.
      fire(entry.owner, () => {
        if (!cleared.has(timer as object)) callback(...args);
      });
    }, ms);
    live.set(timer, entry);
    return timer;
  };
  const repeated = (callback: Callback, ms = 0, ...args: unknown[]) => {
    const entry = entryFor(ms);
    const timer: unknown = every(() => {
      entry.dueAt = virtualNow() + ms;
      fire(entry.owner, () => callback(...args));
    }, ms);
    live.set(timer, entry);
    return timer;
  };
  const stop = (timer: Parameters<typeof clear>[0]) => {
    if (typeof timer === 'object' && timer !== null) cleared.add(timer);
    live.delete(timer);
    clear(timer);
  };
  const timers = { setTimeout: once, setInterval: repeated };
  Object.assign(globalThis, { ...timers, clearTimeout: stop, clearInterval: stop });
}

function fire(owner: TimerOwner | null, callback: () => void): void {
  if (!owner) owners.run(null, callback);
  else owner.whenRunning(() => owners.run(owner, callback));
}

// Node's own `AbortSignal.timeout` counts real time.
function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  const timeout = () => new DOMException('The operation timed out', 'TimeoutError');
  const entry = live.get(setTimeout(() => controller.abort(timeout()), ms));
  if (entry) entry.keepsAlive = false;
  return controller.signal;
}

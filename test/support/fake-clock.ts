import { setImmediate } from 'node:timers/promises';
import { type Clock, systemClock } from '../../src/base/index.ts';

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /**
   * Moves time on by `ms` and wakes sleepers in the order of their due times, each at its own time.
   */
  advance(ms: number): Promise<void>;
  /** Returns how many callers are sleeping now. */
  sleepers(): number;
}

/**
 * Turns of the event loop between two looks at pending work: data from a socket takes one or two.
 */
const TURNS_BETWEEN_LOOKS = 6;
/** Enough for a job; a test may itself keep the loop turning while it waits. */
const MAX_LOOKS = 10;
/** Turns that those who rest themselves wait for. */
let ownTurns = 0;

/** Resolves when everything that can happen without time passing has happened. */
async function rest(): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    for (let turns = 0; turns < TURNS_BETWEEN_LOOKS; turns += 1) await ownTurn();
    if (!isBusy()) return;
  }
}

async function ownTurn(): Promise<void> {
  ownTurns += 1;
  await setImmediate();
  ownTurns -= 1;
}

/** Whether something is waiting for its turn of the event loop, or for the disk. */
function isBusy(): boolean {
  // Also lists every socket of the process, of which other tests leave hundreds, so turns are
  // cheaper.
  const waiting = process.getActiveResourcesInfo();
  const turns = waiting.filter((kind) => kind === 'Immediate').length;
  return turns > ownTurns || waiting.some((kind) => kind.startsWith('FSReq'));
}

interface Sleeper {
  due: number;
  wake(): void;
}

/** A clock that shows `start` (milliseconds since the epoch) until it is advanced. */
export function createFakeClock(start = Date.UTC(2026, 0, 5, 9, 0, 0)): FakeClock {
  const sleeping = new Set<Sleeper>();
  let time = start;

  function nextDue(until: number): Sleeper | undefined {
    return [...sleeping].filter(({ due }) => due <= until).sort((a, b) => a.due - b.due)[0];
  }

  async function advance(ms: number): Promise<void> {
    const until = time + ms;
    // What has just begun may sleep first until a time before `until`.
    await rest();
    for (let sleeper = nextDue(until); sleeper; sleeper = nextDue(until)) {
      time = Math.max(time, sleeper.due);
      sleeper.wake();
      // A woken caller may sleep again until a time before `until`.
      await rest();
    }
    time = until;
    await rest();
  }

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = () => {
        sleeping.delete(sleeper);
        signal?.removeEventListener('abort', abort);
      };
      const abort = () => {
        leave();
        reject(signal?.reason);
      };
      const wake = () => {
        leave();
        resolve();
      };
      const sleeper = { due: time + ms, wake };
      sleeping.add(sleeper);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  const now = () => time;
  return { now, wall: now, sleep, advance, sleepers: () => sleeping.size };
}

/** The machine's clock, which a test can move on; sleepers that are then due wake at once. */
export interface MovableClock extends Clock {
  skip(ms: number): void;
  /** Returns how long each current sleeper asked to sleep, in milliseconds. */
  sleeping(): number[];
}

export function createMovableClock(): MovableClock {
  const sleepers = new Set<{ ms: number }>();
  let ahead = 0;
  let moved = new AbortController();
  const now = () => systemClock.now() + ahead;

  /** Resolves after `ms`, or earlier if the test moves time on. */
  async function doze(ms: number, signal?: AbortSignal): Promise<void> {
    const either = signal ? AbortSignal.any([signal, moved.signal]) : moved.signal;
    await systemClock.sleep(ms, either).catch(() => signal?.throwIfAborted());
  }

  async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const sleeper = { ms };
    sleepers.add(sleeper);
    const due = now() + ms;
    try {
      do await doze(due - now(), signal);
      while (now() < due);
    } finally {
      sleepers.delete(sleeper);
    }
  }

  function skip(ms: number): void {
    const before = moved;
    ahead += ms;
    moved = new AbortController();
    before.abort();
  }

  // The embedded Slack numbers messages by the machine's clock, which may be set back meanwhile.
  const wall = () => systemClock.wall() + ahead;
  return { now, wall, sleep, skip, sleeping: () => [...sleepers].map(({ ms }) => ms) };
}

/** Ahead of the embedded Slack's clock, so files shared just before a link are clearly earlier. */
export const LATER_MS = 60_000;

/**
 * Returns the machine's clock, running `speed` times as fast and starting `aheadMs` ahead, so that
 * a wait of a minute ends in a moment.
 */
export function createFastClock(speed: number, aheadMs = 0): Clock {
  const start = systemClock.now();
  const ahead = (now: number) => aheadMs + (now - start) * (speed - 1);
  const now = () => systemClock.now() + ahead(systemClock.now());
  return {
    now,
    wall: () => systemClock.wall() + ahead(systemClock.now()),
    sleep: (ms, signal) => systemClock.sleep(Math.ceil(ms / speed), signal),
  };
}

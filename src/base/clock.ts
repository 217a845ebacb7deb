import type { Logger } from './logger.ts';

/** Time as a parameter, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. Never goes back while the process runs. */
  now(): number;
  /** What the machine's clock shows, which may be set back: to compare with Slack's times only. */
  wall(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when that aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What a clock is made of, in milliseconds. */
interface TimeSources {
  /** The time since the epoch, which somebody may set. */
  wall(): number;
  /** The time since any moment, as timers count it. */
  elapsed(): number;
}

/**
 * Returns a clock whose time goes on as timers do, wherever the machine's clock is set back, and
 * follows it where it is set ahead. Its timers keep the process alive, as work in hand should.
 */
export function createClock({ wall, elapsed }: TimeSources): Clock {
  let begunAt = Number.NEGATIVE_INFINITY;
  const now = () => {
    // In this order: a pause between the two does not put the clock ahead.
    const shownMs = wall();
    const runMs = elapsed();
    begunAt = Math.max(begunAt, shownMs - runMs);
    return Math.round(begunAt + runMs);
  };
  return { now, wall, sleep };
}

// Uses the global timers, which tests may fake.
const sleep: Clock['sleep'] = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const leave = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave);
      resolve();
    }, ms);
    signal?.addEventListener('abort', leave, { once: true });
  });

/** The clock of this process. */
export const systemClock = createClock({
  wall: () => Date.now(),
  elapsed: () => performance.now(),
});

/**
 * The reason that ends a wait nobody needs any more. One object serves all waits, because each new
 * error would capture a stack.
 */
const NOT_NEEDED = new Error('not needed any more');

interface DeadlineOptions {
  clock: Clock;
  /** The caller's signal. */
  signal?: AbortSignal | undefined;
  /** The longest that everything may take, in milliseconds. */
  timeoutMs: number;
  /** Returns the reason to abort with when time is up. */
  timedOut(): Error;
}

export type Deadline = ReturnType<typeof startDeadline>;

/**
 * Returns a signal that aborts with the caller's signal, after a time, or by hand, with the reason of
 * whichever comes first. The time starts at once.
 */
export function startDeadline({ clock, signal, timeoutMs, timedOut }: DeadlineOptions) {
  const controller = new AbortController();
  const stopped = new AbortController();
  let touchedAt = clock.now();

  const abort = (reason: unknown): void => controller.abort(reason);
  const giveUp = () => abort(signal?.reason);
  const expire = () => abort(timedOut());
  const expireAfter = (wait: Promise<void>) => void wait.then(expire, () => undefined);

  async function idle(idleMs: number): Promise<void> {
    for (let left = idleMs; left > 0; left = touchedAt + idleMs - clock.now())
      await clock.sleep(left, stopped.signal);
  }

  if (signal?.aborted) giveUp();
  signal?.addEventListener('abort', giveUp, { signal: stopped.signal });
  expireAfter(clock.sleep(timeoutMs, stopped.signal));

  /** Reports progress: restarts the idle time. */
  const touch = (): void => {
    touchedAt = clock.now();
  };
  return {
    signal: controller.signal,
    abort,
    touch,
    /** Aborts also when `idleMs` pass without `touch()`. */
    watchIdle(idleMs: number): void {
      touch();
      expireAfter(idle(idleMs));
    },
    /** Must be called at the end: removes the timers and the listener on the caller's signal. */
    stop: (): void => stopped.abort(NOT_NEEDED),
  };
}

/** Settles like `promise`, or rejects with the signal's reason if that aborts first. */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave);
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/**
 * Settles like `run`, or rejects with the reason from `timedOut()` if that takes longer. The signal
 * that `run` gets has always aborted when this settles.
 */
export async function within<T>(
  options: DeadlineOptions,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(options);
  try {
    return await unlessAborted(run(deadline.signal), deadline.signal);
  } finally {
    deadline.stop();
    deadline.abort(NOT_NEEDED);
  }
}

/** Resolves like `work`, or to `late` if that takes longer than `ms` milliseconds. */
export async function inTime<T, L>(
  work: Promise<T>,
  { clock, ms, late }: { clock: Clock; ms: number; late: L },
): Promise<T | L> {
  const done = new AbortController();
  const slept = clock.sleep(ms, done.signal).catch(() => undefined);
  return Promise.race([work, slept.then(() => late)]).finally(() => done.abort(NOT_NEEDED));
}

/** A wait that a wake-up ends early. Wake-ups are hints: polling is the floor. */
export function createWakeable() {
  let asleep = new AbortController();
  return {
    wake: (): void => asleep.abort(NOT_NEEDED),
    /** Resolves after `ms` milliseconds, or at a wake-up, also an earlier unused one. */
    wait: async (ms: number, clock: Clock): Promise<void> => {
      await clock.sleep(ms, asleep.signal).catch(() => undefined);
      asleep = new AbortController();
    },
  };
}

/** The process, as its parts use it. */
export interface Runtime {
  clock: Clock;
  logger: Logger;
  /** Aborts when the process begins to stop. */
  stopping: AbortSignal;
  /** Makes the stop wait until the work settles. Its failure is logged. */
  inBackground(work: Promise<unknown>): void;
}

/** Tracks work that nobody awaits until the process stops: see Runtime. */
export function createBackgroundWork(logger: Logger) {
  const running = new Set<Promise<unknown>>();
  return {
    inBackground: (work: Promise<unknown>): void => {
      const quiet: Promise<unknown> = work
        .catch((error: unknown) => logger.warn({ error }, 'Work in the background failed'))
        .finally(() => running.delete(quiet));
      running.add(quiet);
    },
    /** Resolves when all added work has ended, work added meanwhile included. */
    settled: async (): Promise<void> => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

interface SingleFlightOptions {
  clock: Clock;
  /**
   * How long a result is shared, counted from the start of its call, in milliseconds; 0: only while
   * the call runs.
   */
  keepMs: number;
}

/**
 * Shares calls by key: callers get the result of a running call, and of one that began at most
 * `keepMs` ago, unless it failed.
 */
export function createSingleFlight<T>({ clock, keepMs }: SingleFlightOptions) {
  const flights = new Map<string, { askedAt: number; isOver: boolean; result: Promise<T> }>();

  function forgetOld(now: number): void {
    for (const [key, { isOver, askedAt }] of flights)
      if (isOver && now - askedAt >= keepMs) flights.delete(key);
  }

  return (key: string, call: () => Promise<T>): Promise<T> => {
    const askedAt = clock.now();
    forgetOld(askedAt);
    const known = flights.get(key);
    if (known) return known.result;
    const flight = { askedAt, isOver: false, result: call() };
    flights.set(key, flight);
    const end = () => {
      flight.isOver = true;
    };
    flight.result.then(end, () => flights.delete(key));
    return flight.result;
  };
}

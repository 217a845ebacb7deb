/** Time, handed to whatever waits or stamps, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when that aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock. Its timers keep the process alive, as work in hand should. */
export const systemClock: Clock = {
  now: () => Date.now(),
  // On the global timers, which tests may put on a time of their own.
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', abort, { once: true });
    }),
};

/**
 * Why a wait is ended that nobody needs any more: one for all, as each new one costs the stack
 * of an error.
 */
const NOT_NEEDED = new Error('not needed any more');

interface DeadlineOptions {
  clock: Clock;
  /** The caller's signal. */
  signal?: AbortSignal | undefined;
  /** The longest that everything may take, in milliseconds. */
  timeoutMs: number;
  /** The reason to abort with when time is up. */
  timedOut(): Error;
}

export type Deadline = ReturnType<typeof startDeadline>;

/**
 * A signal that aborts by the caller's, by the clock, or by hand, with the reason of the first. The
 * clock starts at once.
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

  /** Something moved. */
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
    /** Must be called in the end: lets go of timers and of the caller's signal. */
    stop: (): void => stopped.abort(NOT_NEEDED),
  };
}

/** `promise`, or a rejection with the signal's reason when that aborts first. */
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
 * What `run` resolves to; a rejection with `timedOut()`'s reason when it takes longer. The signal that
 * it gets has aborted in any case when this settles.
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

/** What `work` resolves to; `late` when it takes longer than `ms` milliseconds. */
export async function inTime<T, L>(
  work: Promise<T>,
  { clock, ms, late }: { clock: Clock; ms: number; late: L },
): Promise<T | L> {
  const done = new AbortController();
  const slept = clock.sleep(ms, done.signal).catch(() => undefined);
  return Promise.race([work, slept.then(() => late)]).finally(() => done.abort(NOT_NEEDED));
}

/** A wait that a hint can end: polling is the floor, waking makes it quick. */
export function createWakeable() {
  let woken = false;
  let ring = () => {};
  return {
    wake: (): void => {
      woken = true;
      ring();
    },
    /** Resolves at a wake, also one that came while nobody waited, or after `ms` (null: at a wake alone). */
    wait: async (ms: number | null, clock: Clock): Promise<void> => {
      const rung = new Promise<void>((resolve) => {
        ring = resolve;
      });
      if (woken) ring();
      await (ms === null ? rung : inTime(rung, { clock, ms, late: undefined }));
      woken = false;
    },
  };
}

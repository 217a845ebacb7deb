import type { Clock } from './clock.ts';

export interface DeadlineOptions {
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
    stop: (): void => stopped.abort(),
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
    deadline.abort(new Error('settled'));
  }
}

import type { Clock } from '../../base/index.ts';

export interface DeadlineOptions {
  clock: Clock;
  /** The caller's signal. */
  signal: AbortSignal | undefined;
  /** The longest that everything may take, in milliseconds. */
  timeoutMs: number;
  /** The reason to abort with when time is up. */
  timedOut(): Error;
}

/** A signal that aborts by the caller's, by the clock, or by hand, with the reason of the first. */
export interface Deadline {
  signal: AbortSignal;
  abort(reason: unknown): void;
  /** Aborts also when `idleMs` pass without `touch()`. */
  watchIdle(idleMs: number): void;
  /** Something moved. */
  touch(): void;
  /** Must be called in the end: lets go of timers and of the caller's signal. */
  stop(): void;
}

/** Starts to count at once. */
export function startDeadline(options: DeadlineOptions): Deadline {
  const { clock, signal } = options;
  const controller = new AbortController();
  const stopped = new AbortController();
  let touchedAt = clock.now();

  const abort = (reason: unknown) => controller.abort(reason);
  const giveUp = () => abort(signal?.reason);
  const expire = () => abort(options.timedOut());

  async function waitIdle(idleMs: number): Promise<void> {
    for (;;) {
      const left = touchedAt + idleMs - clock.now();
      if (left <= 0) return;
      await clock.sleep(left, stopped.signal);
    }
  }

  if (signal?.aborted) giveUp();
  signal?.addEventListener('abort', giveUp, { once: true });
  clock.sleep(options.timeoutMs, stopped.signal).then(expire, () => undefined);

  return {
    signal: controller.signal,
    abort,
    watchIdle: (idleMs) => {
      touchedAt = clock.now();
      waitIdle(idleMs).then(expire, () => undefined);
    },
    touch: () => {
      touchedAt = clock.now();
    },
    stop: () => {
      signal?.removeEventListener('abort', giveUp);
      stopped.abort();
    },
  };
}

/** A signal that aborts once all of `signals` have; one that is missing never does. */
export function allAborted(signals: (AbortSignal | undefined)[]): {
  signal: AbortSignal;
  /** Lets go of the signals. */
  stop(): void;
} {
  const controller = new AbortController();
  const check = () => {
    if (signals.every((signal) => signal?.aborted)) controller.abort(signals[0]?.reason);
  };
  for (const signal of signals) signal?.addEventListener('abort', check, { once: true });
  check();
  return {
    signal: controller.signal,
    stop: () => {
      for (const signal of signals) signal?.removeEventListener('abort', check);
    },
  };
}

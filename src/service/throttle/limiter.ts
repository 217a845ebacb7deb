import Bottleneck from 'bottleneck';

export interface LimiterOptions {
  /** Names the account in the shared store. */
  id: string;
  /** The shared store; absent: this process alone. */
  connection?: Bottleneck.IORedisConnection | undefined;
  /** How often the shared store is asked for places of dead processes, in milliseconds. */
  heartbeatMs: number;
  /** Told of failures of the shared store that Bottleneck mends by itself. */
  onError: (error: unknown) => void;
}

/** A Bottleneck limiter that is built at first use. */
export interface Limiter {
  /** The limiter, once its store has answered; rejects when the store cannot be asked. */
  get(): Promise<Bottleneck>;
  /** Makes the limiter's size what `size` says now. */
  resize(): Promise<void>;
  /** Rejects who waits. */
  stop(): void;
}

/** The limiter `part` of an account, with `size()` places. */
export function createLimiter(
  options: LimiterOptions,
  part: 'account' | 'bulk' | 'people',
  size: () => number,
): Limiter {
  let built: Bottleneck | null = null;
  let stopped = false;

  function build(): Bottleneck {
    const limiter = new Bottleneck({
      id: `${options.id}:${part}`,
      maxConcurrent: size(),
      heartbeatInterval: options.heartbeatMs,
      connection: options.connection ?? null,
      clearDatastore: false,
    });
    limiter.on('error', options.onError);
    return limiter;
  }

  async function get(): Promise<Bottleneck> {
    if (stopped) throw new Error('The limiter has been stopped.');
    const current = built ?? build();
    built = current;
    try {
      await current.ready();
    } catch (error) {
      // A limiter whose first contact with its store failed never recovers: the next is a new one.
      if (built === current) built = null;
      throw error;
    }
    return current;
  }

  async function resize(): Promise<void> {
    const limiter = await get();
    await limiter.updateSettings({ maxConcurrent: size() });
  }

  function stop(): void {
    stopped = true;
    // Rejects when it was stopped by the store's failure already: nothing is left to do then.
    built?.stop({ dropWaitingJobs: true }).catch(() => {});
  }

  return { get, resize, stop };
}

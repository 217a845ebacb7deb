import type Bottleneck from 'bottleneck';
import { createLimiter, type Limiter, type LimiterOptions } from './limiter.ts';
import type { Lane } from './throttle.ts';

const PRIORITY: Record<Lane, number> = { interactive: 0, bulk: 9 };
/** Of the places, what is kept for the bulk lane: at least one, where there is another. */
const BULK_SHARE = 1 / 3;

/** The right to have one request within the window, until it is given back. */
export interface Place {
  /** Gives the place back; harmless the second time. */
  free(): void;
}

/**
 * All places of an account. Each lane may have no more than a part of them, so that neither ever keeps
 * the other from sending: people go first, as long as they leave the bulk lane its share.
 */
export interface Places {
  /**
   * Waits for a place for a call that takes `timeoutMs` at the longest: where places are shared, the
   * place of a process that died comes back `timeoutMs + graceMs` after it was granted. Rejects when
   * stopped, or when the shared store cannot be asked.
   */
  take(lane: Lane, timeoutMs: number): Promise<Place>;
  /** Places taken by everybody who shares them, and by the bulk lane. */
  taken(): Promise<Taken>;
  /** Changes how many places there are; those taken stay taken. */
  resize(size: number): Promise<void>;
  /** Rejects who waits; places taken are forgotten. */
  stop(): void;
}

/** How many places are taken: of all, and by the bulk lane. */
export interface Taken {
  account: number;
  bulk: number;
}

export interface PlacesOptions extends LimiterOptions {
  size: number;
  /** Places that the bulk lane leaves alone. */
  reserve: number;
  /** How much longer than its call a place is kept at the most, in milliseconds. */
  graceMs: number;
}

/**
 * Places on Bottleneck limiters: one of the account, and before it one of each lane. A place is a
 * running job: the limiter's `maxConcurrent` is the number of places, and its priorities let people go
 * first. A reservoir would be simpler, but it is a fixed window: around its refresh it lets twice the
 * limit through.
 */
export function createPlaces(options: PlacesOptions): Places {
  let { size } = options;
  const account = createLimiter(options, 'account', () => size);
  const lanes: Record<Lane, Limiter> = {
    interactive: createLimiter(options, 'people', () => peoplePlaces(size)),
    bulk: createLimiter(options, 'bulk', () => bulkPlaces(size, options.reserve)),
  };
  const all = [account, lanes.interactive, lanes.bulk];

  // Alone, a process takes its places along when it dies; then a place lasts as long as its call.
  const lifetime = (timeoutMs: number) => (options.connection ? timeoutMs + options.graceMs : null);

  async function take(lane: Lane, timeoutMs: number): Promise<Place> {
    const options = { priority: PRIORITY[lane], expiration: lifetime(timeoutMs) };
    const outer = await grant(await lanes[lane].get(), options);
    try {
      const inner = await grant(await account.get(), options);
      return {
        free() {
          inner.free();
          outer.free();
        },
      };
    } catch (error) {
      outer.free();
      throw error;
    }
  }

  async function taken(): Promise<Taken> {
    const limiters = await Promise.all([account.get(), lanes.bulk.get()]);
    const [ofAccount, ofBulk] = await Promise.all(limiters.map((limiter) => limiter.running()));
    return { account: ofAccount ?? 0, bulk: ofBulk ?? 0 };
  }

  async function resize(to: number): Promise<void> {
    size = to;
    await Promise.all(all.map((limiter) => limiter.resize()));
  }

  function stop(): void {
    for (const limiter of all) limiter.stop();
  }

  return { take, taken, resize, stop };
}

/** How many of `size` places the bulk lane may use: at least one. */
export function bulkPlaces(size: number, reserve: number): number {
  return Math.max(1, size - reserve);
}

/** How many of `size` places people may use: at least one, and all but the bulk lane's share. */
export function peoplePlaces(size: number): number {
  return Math.max(1, size - Math.max(1, Math.floor(size * BULK_SHARE)));
}

/** Runs a job that does nothing but last until its place is freed. */
function grant(limiter: Bottleneck, options: Bottleneck.JobOptions): Promise<Place> {
  const granted = Promise.withResolvers<Place>();
  const freed = Promise.withResolvers<void>();
  const job = () => {
    granted.resolve({ free: freed.resolve });
    return freed.promise;
  };
  // Once granted, a rejection only says that the place expired: the call took longer than it said.
  limiter.schedule(options, job).catch(granted.reject);
  return granted.promise;
}

import type { Clock, Logger, Random } from '../../base/index.ts';

export interface RedisOptions {
  /** `redis://` or `rediss://` address. */
  url: string;
  /** False: takes any certificate of a `rediss:` server, as some hosts sign their own. Default: true. */
  verifyCertificate?: boolean | undefined;
}

export interface ThrottleOptions {
  /** The account address: who uses the same one shares its limit. */
  account: string;
  /** At most `requests` in any `windowMs` milliseconds (service interface, section 8). */
  limit: { requests: number; windowMs: number };
  /**
   * Places kept from the bulk lane, for people; the bulk lane always has one. Default 1, and 0 where
   * the limit is under 4.
   */
  reserve?: number | undefined;
  /** Where instances share the limit; absent: this process has it alone. */
  redis?: RedisOptions | undefined;
  /**
   * Our clock's time until which nothing is admitted: one window after the process before this one
   * may have sent its last request. Absent: nobody was there before, or Redis remembers.
   */
  quietUntil?: number | undefined;
  clock: Clock;
  random: Random;
  logger: Logger;
}

/** The options with everything decided. Times in milliseconds. */
export interface ThrottleSettings extends ThrottleOptions {
  reserve: number;
  /** How long a place is kept after its call. */
  holdMs: number;
  /** How many bulk calls may go at once after idleness. */
  burst: number;
}

/** For what the service's clock and ours may differ by while a window passes. */
const MARGIN_MS = 25;
const FEWEST_REQUESTS_TO_RESERVE_OF = 4;
const BURST_SHARE = 1 / 4;

/** Fills in what the options leave open. */
export function decideThrottleSettings(options: ThrottleOptions): ThrottleSettings {
  const { requests, windowMs } = options.limit;
  const wanted = options.reserve ?? (requests < FEWEST_REQUESTS_TO_RESERVE_OF ? 0 : 1);
  return {
    ...options,
    reserve: Math.min(wanted, requests - 1),
    holdMs: windowMs + MARGIN_MS,
    burst: Math.max(1, Math.floor(requests * BURST_SHARE)),
  };
}

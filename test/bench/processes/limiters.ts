import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosInstance, isAxiosError } from 'axios';
import rateLimit from 'axios-rate-limit';
import Bottleneck from 'bottleneck';
import pThrottle from 'p-throttle';

export interface Limit {
  requests: number;
  windowMs: number;
}

/** Sends requests within a limit, and repeats those that get a 429. */
export interface Limiter {
  /** What the requests are sent with. */
  client: AxiosInstance;
  /** `urgent`: a person waits for it; a limiter without priorities treats it like any other. */
  run<T>(request: () => Promise<T>, urgent?: boolean): Promise<T>;
}

/** The limiters that people would choose from, each used as its documentation shows. */
export const limiters = {
  /** Bottleneck's reservoir, refreshed every window. */
  'bottleneck-reservoir': ({ requests, windowMs }: Limit) =>
    limitedBy({
      reservoir: requests,
      reservoirRefreshAmount: requests,
      reservoirRefreshInterval: windowMs,
    }),
  /**
   * Bottleneck with its calls spread evenly, one at a time, as its README advises for safety. It
   * starts more slowly, and a call that waits for its retry holds up all others.
   */
  'bottleneck-spread': ({ requests, windowMs }: Limit) =>
    limitedBy({ minTime: Math.ceil(windowMs / requests), maxConcurrent: 1 }),
  /** A client with axios-rate-limit around it; retries count against the limit too. */
  'axios-rate-limit': ({ requests, windowMs }: Limit): Limiter => ({
    client: rateLimit(axios.create(), {
      limits: [{ maxRequests: requests, duration: windowMs }],
    }),
    run: withRetries,
  }),
  /** Its strict mode, which counts a sliding window; retries count against the limit too. */
  'p-throttle': ({ requests, windowMs }: Limit): Limiter => {
    const throttle = pThrottle({ limit: requests, interval: windowMs, strict: true });
    const admit = throttle(async () => undefined);
    return {
      client: axios.create(),
      run: (request) => withRetries(() => admit().then(request)),
    };
  },
};

export type LimiterName = keyof typeof limiters;

const URGENT = 1;
const ORDINARY = 5;

/** Uses Bottleneck's own retries, as its README shows them. */
function limitedBy(options: Bottleneck.ConstructorOptions): Limiter {
  const limiter = new Bottleneck(options);
  limiter.on('failed', async (error) => retryAfterMs(error));
  return {
    client: axios.create(),
    run: (request, urgent = false) =>
      limiter.schedule({ priority: urgent ? URGENT : ORDINARY }, request),
  };
}

async function withRetries<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const waitMs = retryAfterMs(error);
      if (waitMs === null) throw error;
      await sleep(waitMs);
    }
  }
}

/** Returns how long a 429 asks to wait, in milliseconds; null for any other failure. */
function retryAfterMs(error: unknown): number | null {
  if (!isAxiosError(error) || error.response?.status !== 429) return null;
  return Number(error.response.headers['retry-after'] ?? 1) * 1000;
}

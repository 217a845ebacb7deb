import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosInstance } from 'axios';
import rateLimit from 'axios-rate-limit';
import type { Limit, Limited } from './limited.ts';
import { rateLimitedFor } from './rate-limited.ts';

/** Returns a client with axios-rate-limit around it; retries count against the limit too. */
export function axiosRateLimited({ requests, windowMs }: Limit): AxiosInstance {
  return rateLimit(axios.create(), {
    limits: [{ maxRequests: requests, duration: windowMs }],
  });
}

/** Only retries: the client enforces the limit. */
export const withRetriesAlone: Limited = {
  run: async (request) => {
    for (;;) {
      try {
        return await request();
      } catch (error) {
        const waitMs = rateLimitedFor(error);
        if (waitMs === null) throw error;
        await sleep(waitMs);
      }
    }
  },
};

import { setTimeout as sleep } from 'node:timers/promises';
import pThrottle from 'p-throttle';
import type { Limit, Limited } from './limited.ts';
import { rateLimitedFor } from './rate-limited.ts';

/** p-throttle in its strict mode, which counts a sliding window; retries go through it again. */
export function withPThrottle({ requests, windowMs }: Limit): Limited {
  const throttle = pThrottle({ limit: requests, interval: windowMs, strict: true });
  const admit = throttle(async () => undefined);
  const run: Limited['run'] = async (request) => {
    for (;;) {
      await admit();
      try {
        return await request();
      } catch (error) {
        const waitMs = rateLimitedFor(error);
        if (waitMs === null) throw error;
        await sleep(waitMs);
      }
    }
  };
  return { run };
}

import Bottleneck from 'bottleneck';
import type { Limit, Limited } from './limited.ts';
import { rateLimitedFor } from './rate-limited.ts';

const URGENT = 1;
const ORDINARY = 5;

/**
 * Bottleneck's reservoir, refreshed every window, with its own retries, as its README shows them.
 */
export function withBottleneckReservoir({ requests, windowMs }: Limit): Limited {
  return limitedBy(
    new Bottleneck({
      reservoir: requests,
      reservoirRefreshAmount: requests,
      reservoirRefreshInterval: windowMs,
    }),
  );
}

/**
 * Bottleneck with its calls spread evenly, one at a time, as its README advises for safety. It
 * starts more slowly, and a call that waits for its retry holds up all others.
 */
export function withBottleneckSpread({ requests, windowMs }: Limit): Limited {
  return limitedBy(new Bottleneck({ minTime: Math.ceil(windowMs / requests), maxConcurrent: 1 }));
}

function limitedBy(limiter: Bottleneck): Limited {
  limiter.on('failed', async (error) => rateLimitedFor(error));
  return {
    run: (request, urgent = false) =>
      limiter.schedule({ priority: urgent ? URGENT : ORDINARY }, request),
  };
}

import pThrottle from 'p-throttle';
import type { Limit, Limited } from './limited.ts';
import { withRetriesAlone } from './with-axios-rate-limit.ts';

/**
 * p-throttle in its strict mode, which counts a sliding window; retries count against the limit
 * too.
 */
export function withPThrottle({ requests, windowMs }: Limit): Limited {
  const throttle = pThrottle({ limit: requests, interval: windowMs, strict: true });
  const admit = throttle(async () => undefined);
  return { run: (request) => withRetriesAlone.run(() => admit().then(request)) };
}

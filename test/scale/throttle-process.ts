import { silentLogger, systemClock } from '../../src/base/index.ts';
import { createThrottle } from '../../src/service/throttle/throttle.ts';

/**
 * An instance that takes every slot it can get and never returns one. Arguments: the address of
 * Redis, the limit's requests and window, the timeout of a call. Writes a line once it has taken
 * `requests` slots.
 */
const [url = '', requests = '', windowMs = '', timeoutMs = ''] = process.argv.slice(2);

const throttle = createThrottle({
  account: 'https://example.test',
  limit: { requests: Number(requests), windowMs: Number(windowMs) },
  redis: { url },
  clock: systemClock,
  logger: silentLogger,
});

// Until the first call has its response, only one call at a time is admitted.
(await throttle.admit({ lane: 'bulk', timeoutMs: Number(timeoutMs) })).done({ sent: true });
// A third of the slots is not available to the interactive lane.
const taken = Array.from({ length: Number(requests) }, (_, index) =>
  throttle.admit({
    lane: index % 3 === 2 ? 'bulk' : 'interactive',
    timeoutMs: Number(timeoutMs),
  }),
);
await Promise.all(taken);
console.log('taken');

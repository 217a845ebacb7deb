import { silentLogger, systemClock } from '../../src/base/index.ts';
import { createThrottle } from '../../src/service/throttle/throttle.ts';

/**
 * An instance that takes every place it can get and never gives one back. Arguments: the address of
 * Redis, the requests and the window of the limit, the longest time of a call. Writes a line when it
 * has taken `requests` places.
 */
const [url = '', requests = '', windowMs = '', timeoutMs = ''] = process.argv.slice(2);

const throttle = createThrottle({
  account: 'https://example.test',
  limit: { requests: Number(requests), windowMs: Number(windowMs) },
  redis: { url },
  clock: systemClock,
  logger: silentLogger,
});

// Until one call is answered, calls go one at a time.
(await throttle.admit({ lane: 'bulk', timeoutMs: Number(timeoutMs) })).done({ sent: true });
// A third of the places is out of the reach of people.
const taken = Array.from({ length: Number(requests) }, (_, index) =>
  throttle.admit({
    lane: index % 3 === 2 ? 'bulk' : 'interactive',
    timeoutMs: Number(timeoutMs),
  }),
);
await Promise.all(taken);
console.log('taken');

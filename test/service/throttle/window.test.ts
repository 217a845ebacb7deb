import Bottleneck from 'bottleneck';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import type { Throttle } from '../../../src/service/index.ts';
import { createThrottle } from '../../../src/service/throttle/throttle.ts';
import {
  type CallPlan,
  mostInAnyWindow,
  mostPossiblyCounted,
  simulateCalls,
} from '../../support/throttle-calls.ts';

interface Plan extends CallPlan {
  /** When the call is made, and how long after that its caller aborts; milliseconds. */
  atMs: number;
  patienceMs: number | undefined;
}

interface Limit {
  requests: number;
  windowMs: number;
}

interface Run {
  sent: { sentAt: number; answeredAt: number }[];
  /** Calls that were neither answered nor aborted. */
  starved: number;
}

const PLAN = fc.record({
  atMs: fc.integer({ min: 0, max: 30_000 }),
  lane: fc.constantFrom('bulk' as const, 'interactive' as const),
  queue: fc.constantFrom('a', 'b', 'c'),
  latencyMs: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 9000 })),
  patienceMs: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    fc.integer({ min: 0, max: 9000 }),
  ),
  rateLimitedForMs: fc.oneof(
    { weight: 19, arbitrary: fc.constant(undefined) },
    fc.integer({ min: 0, max: 20_000 }),
  ),
  sent: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
  mayArriveForMs: fc.oneof(
    { weight: 9, arbitrary: fc.constant(0) },
    fc.integer({ min: 0, max: 9000 }),
  ),
});

const LIMIT = fc.record({
  requests: fc.integer({ min: 1, max: 12 }),
  windowMs: fc.integer({ min: 1000, max: 10_000 }),
});

/** Long enough for 60 calls through one slot, with holds after 429s. */
const LONG_ENOUGH_MS = 3_600_000;

afterEach(() => {
  vi.useRealTimers();
});

function signalAfter(ms: number | undefined): AbortSignal | undefined {
  if (ms === undefined) return undefined;
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(new Error('no patience left')), ms);
  return leaving.signal;
}

async function run(throttle: Throttle, plans: Plan[], ms = LONG_ENOUGH_MS): Promise<Run> {
  const { sent, call } = simulateCalls(throttle);
  let starved = plans.length;
  const settled = () => {
    starved -= 1;
  };
  for (const plan of plans) {
    setTimeout(() => {
      call({ ...plan, signal: signalAfter(plan.patienceMs) }).then(settled, settled);
    }, plan.atMs);
  }
  await vi.advanceTimersByTimeAsync(ms);
  return { sent, starved };
}

function startThrottle(limit: Limit): Throttle {
  return createThrottle({
    account: 'https://example.test',
    limit,
    clock: systemClock,
    logger: silentLogger,
  });
}

/** A Bottleneck reservoir by itself: the limit per fixed window. */
function startReservoir({ requests, windowMs }: Limit): Throttle {
  const limiter = new Bottleneck({
    reservoir: requests,
    reservoirRefreshAmount: requests,
    reservoirRefreshInterval: windowMs,
  });
  return {
    admit: () =>
      limiter.schedule(async () => ({ longestMs: 0, isStale: () => false, done: () => {} })),
    placed: (request) => request,
    maySend: () => true,
    standsBy: () => false,
    isBusy: () => false,
    state: () => ({
      waiting: { interactive: 0, bulk: limiter.queued() },
      taken: 0,
      allowed: requests,
      heldUntil: null,
      isStarting: false,
      isRedisAway: false,
    }),
    check: async () => undefined,
    stop: async () => void limiter.disconnect(),
  };
}

test('the throttle never exceeds its limit in any window, starves no call and loses no slot', async () => {
  vi.useFakeTimers();
  const plans = fc.array(PLAN, { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(LIMIT, plans, async (limit, planned) => {
      const throttle = startThrottle(limit);
      const { sent, starved } = await run(throttle, planned);
      const state = throttle.state();
      await throttle.stop();
      const sentAt = sent.map((call) => call.sentAt);
      const answeredAt = sent.map((call) => call.answeredAt);
      expect(mostInAnyWindow(sentAt, limit.windowMs)).toBeLessThanOrEqual(limit.requests);
      expect(mostInAnyWindow(answeredAt, limit.windowMs)).toBeLessThanOrEqual(limit.requests);
      expect(mostPossiblyCounted(sent, limit.windowMs)).toBeLessThanOrEqual(limit.requests);
      expect(starved).toBe(0);
      expect(state).toEqual({
        waiting: { interactive: 0, bulk: 0 },
        taken: 0,
        allowed: limit.requests,
        heldUntil: null,
        isStarting: false,
        isRedisAway: false,
      });
    }),
    { numRuns: 150 },
  );
});

test('a Bottleneck reservoir exceeds the limit in the same check', async () => {
  vi.useFakeTimers();
  const limit = { requests: 25, windowMs: 10_000 };
  const limiter = startReservoir(limit);
  const late = Array.from({ length: 60 }, () => ({ atMs: 9000, patienceMs: undefined }));
  const { sent } = await run(limiter, late, 60_000);
  await limiter.stop();
  const times = sent.map(({ sentAt }) => sentAt);
  expect(mostInAnyWindow(times, limit.windowMs)).toBeGreaterThan(limit.requests);
  expect(mostPossiblyCounted(sent, limit.windowMs)).toBeGreaterThan(limit.requests);
});

import { onTestFinished, vi } from 'vitest';
import { createClock, silentLogger, systemClock } from '../../src/base/index.ts';
import type { AdmissionRequest, ThrottleOptions } from '../../src/service/throttle/limits.ts';
import { createThrottle, type Throttle } from '../../src/service/throttle/throttle.ts';

/** One call through a throttle; times in milliseconds since the epoch. */
export interface SimulatedCall {
  name: string;
  askedAt: number;
  sentAt: number;
  /** Also: until when it may have reached the service. */
  answeredAt: number;
}

export interface CallPlan extends Partial<AdmissionRequest> {
  name?: string;
  /** How long the service takes to respond, in milliseconds. */
  latencyMs?: number;
  /** The `Retry-After` of a 429 response, in milliseconds. */
  rateLimitedForMs?: number | undefined;
  /** If false, the call returns its slot unused. */
  sent?: boolean;
  /** How long after its end it may still reach the service, in milliseconds. */
  mayArriveForMs?: number;
}

/** Makes calls through a throttle: sends no request, but waits as long as one would take. */
export function simulateCalls(throttle: Throttle) {
  /** In the order of sending; unsent ones are left out. */
  const sent: SimulatedCall[] = [];

  /** Makes a call; resolves with its record, rejects if it is not admitted. */
  async function call(plan: CallPlan = {}): Promise<SimulatedCall> {
    const {
      name = '',
      latencyMs = 20,
      sent: sends = true,
      rateLimitedForMs,
      mayArriveForMs,
    } = plan;
    const askedAt = Date.now();
    const request = throttle.placed({ lane: 'bulk', timeoutMs: 1000, ...plan });
    const admission = await throttle.admit(request);
    const made = { name, askedAt, sentAt: Date.now(), answeredAt: Number.NaN };
    if (sends) sent.push(made);
    await systemClock.sleep(latencyMs);
    made.answeredAt = Date.now() + (mayArriveForMs ?? 0);
    admission.done({ sent: sends, rateLimitedForMs, mayArriveForMs });
    return made;
  }

  return { sent, call };
}

/** Returns the options of a throttle of 25 in 10 s that has its account to itself. */
export function throttleOptions(options: Partial<ThrottleOptions> = {}): ThrottleOptions {
  return {
    account: 'https://example.test',
    limit: { requests: 25, windowMs: 10_000 },
    // The system's own clock would stay ahead of faked timers, also in the test files after this.
    clock: createClock({ wall: () => Date.now(), elapsed: () => performance.now() }),
    logger: silentLogger,
    ...options,
  };
}

/** Starts a throttle of 25 in 10 s in virtual time; it is stopped at the end of the test. */
export function startThrottle(options: Partial<ThrottleOptions> = {}) {
  vi.useFakeTimers();
  const throttle = createThrottle(throttleOptions(options));
  onTestFinished(async () => {
    await throttle.stop();
    vi.useRealTimers();
  });
  return {
    throttle,
    ...simulateCalls(throttle),
    /** Moves the virtual time on. */
    pass: async (ms: number) => void (await vi.advanceTimersByTimeAsync(ms)),
  };
}

/** Returns the most times that lie in any window of `windowMs`, whose later edge is excluded. */
export function mostInAnyWindow(times: readonly number[], windowMs: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  sorted.forEach((time, index) => {
    while (time - (sorted[first] ?? time) >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

/**
 * Returns the most calls that a service could count in one window of `windowMs` if it may count
 * each at any moment between its sending and its response.
 */
export function mostPossiblyCounted(
  calls: readonly { sentAt: number; answeredAt: number }[],
  windowMs: number,
): number {
  const counts = calls.map(({ sentAt }) => {
    const mayMeet = calls.filter(
      (call) => call.sentAt <= sentAt && call.answeredAt > sentAt - windowMs,
    );
    return mayMeet.length;
  });
  return Math.max(0, ...counts);
}

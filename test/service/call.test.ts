import { describe, expect, it, test, vi } from 'vitest';
import { systemRandom, unlessAborted } from '../../src/base/index.ts';
import { admit, withRetries, withSlot } from '../../src/service/call.ts';
import { ServiceError, type ServiceErrorCode } from '../../src/service/errors.ts';
import { apiOperation } from '../../src/service/http.ts';
import type { AdmissionRequest } from '../../src/service/throttle/limits.ts';
import type { Throttle } from '../../src/service/throttle/throttle.ts';
import { UPLOAD } from '../../src/service/upload.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const failedWith = (code: ServiceErrorCode) =>
  new ServiceError(code, code, { retry: 'later', sent: 'no' });

/** Runs an interactive call that fails with these codes, one after another, and then succeeds. */
function callThatFailsWith(...errors: ServiceErrorCode[]): Promise<string> {
  const left = [...errors];
  const context = { clock: { ...createFakeClock(0), sleep: async () => {} }, random: systemRandom };
  const call = {
    operation: apiOperation('GET', '/files'),
    options: { lane: 'interactive' },
  } as const;
  return withRetries(context, call, async () => {
    const code = left.shift();
    if (code) throw failedWith(code);
    return 'done';
  });
}

describe('an interactive call', () => {
  test('is repeated after it fails once', async () => {
    expect(await callThatFailsWith('SERVICE_FAILED')).toBe('done');
  });
});

const interactive = { lane: 'interactive' as const, timeoutMs: 1_000 };

/** A throttle that admits no call. */
function fullThrottle(heldUntil: number | null = null, isRedisAway = false): Throttle {
  const state = {
    waiting: { interactive: 0, bulk: 0 },
    taken: 25,
    allowed: 25,
    heldUntil,
    isStarting: false,
    isRedisAway,
  };
  return {
    admit: ({ signal }: AdmissionRequest) =>
      new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
      ),
    placed: (request) => request,
    maySend: () => true,
    standsBy: () => false,
    isBusy: () => false,
    state: () => state,
    check: async () => undefined,
    stop: async () => undefined,
  };
}

describe('admit', () => {
  it('gives Redis as the reason when no slot came free because that is away', async () => {
    const clock = createFakeClock(0);
    const admitted = admit({ throttle: fullThrottle(null, true), clock }, interactive);
    const refused = expect(admitted).rejects.toMatchObject({
      code: 'SERVICE_LIMIT_AWAY',
      sent: 'no',
      retry: 'later',
    });
    await clock.advance(8_000);
    await refused;
  });

  it('rejects an interactive call after eight seconds without a slot', async () => {
    const clock = createFakeClock(0);
    const admitted = admit({ throttle: fullThrottle(), clock }, interactive);
    const refused = expect(admitted).rejects.toMatchObject({
      code: 'SERVICE_RATE_LIMITED',
      sent: 'no',
      retry: 'later',
    });
    await clock.advance(8_000);
    await refused;
  });

  it('rejects an interactive call at once when a 429 holds all calls for longer', async () => {
    const context = { throttle: fullThrottle(60_000), clock: createFakeClock(0) };
    await expect(admit(context, interactive)).rejects.toMatchObject({ retryAfterMs: 60_000 });
  });

  it('rejects when its signal aborts', async () => {
    const leave = new AbortController();
    const context = { throttle: fullThrottle(), clock: createFakeClock(0) };
    const admitted = admit(context, { ...interactive, signal: leave.signal });
    leave.abort(new Error('left'));
    await expect(admitted).rejects.toThrow('left');
  });

  it('waits without limit in the bulk lane', async () => {
    const clock = createFakeClock(0);
    const leave = new AbortController();
    const context = { throttle: fullThrottle(30_000), clock };
    const request = { lane: 'bulk' as const, timeoutMs: 1_000, signal: leave.signal };
    const admitted = admit(context, request);
    const ended = expect(admitted).rejects.toThrow('the end');
    await clock.advance(600_000);
    leave.abort(new Error('the end'));
    await ended;
  });

  it('waits half a minute for a person beyond their share', async () => {
    const clock = createFakeClock(0);
    const placed = (request: AdmissionRequest) => ({ ...request, lane: 'bulk' as const });
    const admitted = admit({ throttle: { ...fullThrottle(), placed }, clock }, interactive);
    const ended = expect(admitted).rejects.toMatchObject({ code: 'SERVICE_RATE_LIMITED' });
    let isOver = false;
    void ended.finally(() => {
      isOver = true;
    });
    await clock.advance(29_999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    await ended;
  });

  it('rejects a bulk call at once when a 429 holds all calls for over 30 seconds', async () => {
    const context = { throttle: fullThrottle(30_001), clock: createFakeClock(0) };
    const refused = { code: 'SERVICE_RATE_LIMITED', sent: 'no', retryAfterMs: 30_001 };
    await expect(admit(context, { lane: 'bulk', timeoutMs: 1 })).rejects.toMatchObject(refused);
  });
});

describe('withSlot', () => {
  it.each([
    ['as long as it may where no other instance shares its slot', Number.POSITIVE_INFINITY, 5_000],
    ['no longer than its slot lasts over Redis', 1_000, 1_000],
  ])('lets a call take %s', async (_, longestMs, timeoutMs) => {
    const clock = createFakeClock(0);
    const admission = { longestMs, isStale: () => false, done: () => undefined };
    const throttle = { ...fullThrottle(), admit: async () => admission };
    const request = {
      operation: UPLOAD,
      options: { lane: 'bulk' },
      timeoutMs: 1_000,
      mayTakeMs: 5_000,
    } as const;
    const send = () => Promise.reject(new Error('not asked for'));
    const taken = Promise.withResolvers<AbortSignal>();
    const call = withSlot({ throttle, clock, send }, request, ({ deadline: { signal } }) => {
      taken.resolve(signal);
      return unlessAborted(new Promise<never>(() => undefined), signal);
    });
    const refused = expect(call).rejects.toMatchObject({ code: 'SERVICE_TIMEOUT' });
    const signal = await taken.promise;
    await clock.advance(timeoutMs - 1);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    await refused;
  });

  it.each([
    [
      'that was aborted, as it may still reach the service',
      true,
      { sent: true, mayArriveForMs: 8_000 },
    ],
    ['that was answered', false, { sent: true, rateLimitedForMs: undefined }],
  ])('tells the throttle of a call %s', async (_, isAborted, outcome) => {
    const clock = createFakeClock(0);
    const leave = new AbortController();
    const done = vi.fn();
    const admission = { longestMs: 60_000, isStale: () => false, done };
    const throttle = { ...fullThrottle(), admit: async () => admission };
    const answered = Promise.withResolvers<never>();
    const sending = Promise.withResolvers<void>();
    const send = ({ signal }: { signal: AbortSignal }) => {
      sending.resolve();
      return unlessAborted(answered.promise, signal);
    };
    const options = { lane: 'bulk' as const, signal: leave.signal };
    const request = { operation: apiOperation('GET', '/files'), options, timeoutMs: 60_000 };
    const call = withSlot({ throttle, clock, send }, request, (slot) => slot.send({}));
    const ended = expect(call).rejects.toThrow();
    await sending.promise;
    await clock.advance(2_000);
    if (isAborted) leave.abort(new Error('left'));
    else answered.reject(new Error('an answer'));
    await ended;
    expect(done.mock.calls).toEqual([[outcome]]);
  });
});

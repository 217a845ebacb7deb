import { describe, expect, test, vi } from 'vitest';
import type { Admission } from '../../../src/service/throttle/limits.ts';
import { createListLogger } from '../../support/list-logger.ts';
import type { CallPlan, SimulatedCall } from '../../support/throttle-calls.ts';
import { mostInAnyWindow, startThrottle } from '../../support/throttle-calls.ts';

const SECOND = 1000;

function names(calls: SimulatedCall[]): string[] {
  return calls.map(({ name }) => name);
}

function times(count: number, plan: CallPlan): CallPlan[] {
  return Array.from({ length: count }, () => plan);
}

/** Makes calls and ignores their failures: some still wait when the throttle is stopped. */
function start(call: (plan: CallPlan) => Promise<unknown>, plans: CallPlan[]): void {
  for (const plan of plans) call(plan).catch(() => {});
}

describe("the throttle's lanes", () => {
  test('admit an interactive call at once although 500 bulk calls wait', async () => {
    const { call, pass } = startThrottle();
    start(call, times(500, {}));
    await pass(2 * SECOND);
    const asked = call({ lane: 'interactive' });
    await pass(SECOND);
    const { askedAt, sentAt } = await asked;
    expect(sentAt - askedAt).toBeLessThan(100);
  });

  test('let an interactive call wait no longer than until the next slot returns', async () => {
    const { call, pass } = startThrottle();
    start(call, times(500, {}));
    await pass(25 * SECOND);
    const asked: Promise<SimulatedCall>[] = [];
    for (let index = 0; index < 10; index += 1) {
      asked.push(call({ lane: 'interactive' }));
      await pass(2300);
    }
    const waits = (await Promise.all(asked)).map(({ askedAt, sentAt }) => sentAt - askedAt);
    expect(Math.max(...waits)).toBeLessThan(SECOND);
  });

  test('give the next slot that returns to an interactive call, though a bulk call came first', async () => {
    const { call, pass, sent } = startThrottle({ limit: { requests: 4, windowMs: 10_000 } });
    start(call, [...times(2, { lane: 'interactive' }), ...times(2, {})]);
    await pass(SECOND);
    start(call, times(10, { name: 'bulk' }));
    await pass(5 * SECOND);
    expect(sent).toHaveLength(4);
    start(call, [{ name: 'person', lane: 'interactive' }]);
    await pass(4 * SECOND + 100);
    expect(names(sent).slice(4)).toEqual(['person', 'bulk']);
  });

  test('admit interactive calls first come, first served', async () => {
    const { call, pass, sent } = startThrottle({ limit: { requests: 3, windowMs: 10_000 } });
    start(
      call,
      ['a', 'b', 'c', 'd'].map((name) => ({ name, lane: 'interactive' })),
    );
    await pass(15 * SECOND);
    expect(names(sent)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('keep one slot from the bulk lane', async () => {
    const { call, pass, sent, throttle } = startThrottle();
    start(call, times(100, {}));
    await pass(10 * SECOND - 1);
    expect(sent).toHaveLength(24);
    expect(throttle.state().taken).toBe(24);
  });

  test('spend little time on bulk calls that return their slots unused', async () => {
    const { call, pass, sent } = startThrottle();
    start(call, [...times(100, { sent: false, latencyMs: 0 }), ...times(15, {})]);
    await pass(SECOND);
    expect(sent).toHaveLength(15);
  });

  test('keep a third of the slots from the interactive lane', async () => {
    const { call, pass, sent } = startThrottle();
    start(call, times(100, { lane: 'interactive' }));
    await pass(10 * SECOND - 1);
    expect(sent).toHaveLength(17);
    const narrow = startThrottle({ limit: { requests: 2, windowMs: 10_000 } });
    start(narrow.call, times(10, { lane: 'interactive' }));
    await narrow.pass(10 * SECOND - 1);
    expect(narrow.sent).toHaveLength(1);
  });

  test('give one person at most two thirds of the interactive slots at once, and others theirs', async () => {
    const { call, pass, sent } = startThrottle();
    start(call, times(40, { lane: 'interactive', queue: 'ada', name: 'ada' }));
    await pass(SECOND);
    start(call, times(3, { lane: 'interactive', queue: 'ben', name: 'ben' }));
    await pass(100);
    expect(names(sent.slice(-3))).toEqual(['ben', 'ben', 'ben']);
    // Beyond that, ada's calls take turns with the filing.
    start(call, times(40, { name: 'file' }));
    await pass(20 * SECOND);
    const before = sent.length;
    await pass(10 * SECOND);
    const later = names(sent.slice(before));
    expect(later.filter((name) => name === 'file').length).toBeGreaterThan(8);
  });

  test('reject what people ask beyond their shares when a hundred such calls wait', async () => {
    const { call, pass } = startThrottle();
    const asked = times(200, { lane: 'interactive', queue: 'ada' }).map(call);
    const outcomes = Promise.allSettled(asked);
    await pass(200 * SECOND);
    const refused = (await outcomes).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(200 - 100 - 11);
    const reason = { code: 'SERVICE_RATE_LIMITED', sent: 'no', retryAfterMs: 10_000 };
    expect(refused[0]).toMatchObject({ reason });
  });

  test('let people take turns, however many calls of one person wait', async () => {
    const { call, pass, sent } = startThrottle();
    const of = (queue: string, name: string) => ({ lane: 'interactive' as const, queue, name });
    start(call, [{ rateLimitedForMs: 3 * SECOND }]);
    await pass(SECOND);
    start(call, [of('ada', 'a1'), of('ada', 'a2'), of('ada', 'a3'), of('ben', 'b1')]);
    await pass(5 * SECOND);
    expect(names(sent).slice(1)).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  test('keep no slot from the bulk lane when the limit is small', async () => {
    const narrow = startThrottle({ limit: { requests: 3, windowMs: 10_000 } });
    start(narrow.call, times(100, {}));
    await narrow.pass(10 * SECOND - 1);
    expect(narrow.sent).toHaveLength(3);
  });

  test('do not let 500 calls of one channel hold up a call of another', async () => {
    const { call, pass } = startThrottle();
    start(call, times(500, { queue: 'busy' }));
    await pass(12 * SECOND);
    const asked = call({ queue: 'quiet' });
    await pass(2 * SECOND);
    const { askedAt, sentAt } = await asked;
    expect(sentAt - askedAt).toBeLessThan(1500);
  });

  test('choose the next call only when a slot is granted', async () => {
    const { call, pass, sent } = startThrottle({ limit: { requests: 1, windowMs: 10_000 } });
    const leaving = new AbortController();
    start(call, [{ name: 'first' }, { name: 'leaves', signal: leaving.signal }, { name: 'stays' }]);
    await pass(9 * SECOND);
    leaving.abort();
    await pass(2 * SECOND);
    expect(names(sent)).toEqual(['first', 'stays']);
  });
});

describe("the throttle's slots", () => {
  test('return one window after the answer, not before', async () => {
    const { call, pass, sent } = startThrottle({ limit: { requests: 1, windowMs: 10_000 } });
    start(call, times(2, { lane: 'interactive', latencyMs: 3000 }));
    await pass(13 * SECOND);
    expect(sent).toHaveLength(1);
    await pass(100);
    expect(sent).toHaveLength(2);
  });

  test('return at once when nothing was sent', async () => {
    const { call, pass, sent } = startThrottle({ limit: { requests: 1, windowMs: 10_000 } });
    start(call, [...times(3, { sent: false, lane: 'interactive' }), { lane: 'interactive' }]);
    await pass(500);
    expect(sent).toHaveLength(1);
  });

  test('are returned once, however often done is called', async () => {
    const { throttle, pass } = startThrottle({ limit: { requests: 2, windowMs: 10_000 } });
    const admitted = throttle.admit({ lane: 'interactive', timeoutMs: 1 });
    await pass(100);
    const admission = await admitted;
    admission.done({ sent: true });
    admission.done({ sent: false });
    await pass(0);
    expect(throttle.state().taken).toBe(1);
    await pass(10_100);
    expect(throttle.state().taken).toBe(0);
  });

  test('are not lost to calls that abort while they wait', async () => {
    const { call, pass, throttle, sent } = startThrottle({
      limit: { requests: 4, windowMs: 10_000 },
    });
    const leaving = new AbortController();
    const { signal } = leaving;
    const left = [...times(20, { signal }), ...times(20, { signal, lane: 'interactive' })].map(
      (plan) =>
        call(plan).then(
          () => 'admitted',
          (error: unknown) => error,
        ),
    );
    await pass(5 * SECOND);
    const reason = new Error('gone');
    leaving.abort(reason);
    expect((await Promise.all(left)).filter((outcome) => outcome === reason)).toHaveLength(36);
    expect(throttle.state().waiting).toEqual({ interactive: 0, bulk: 0 });
    await pass(11 * SECOND);
    expect(throttle.state().taken).toBe(0);
    start(call, [...times(3, { lane: 'interactive' }), {}]);
    await pass(100);
    expect(sent).toHaveLength(8);
  });

  test('are not requested by a call whose signal has already aborted', async () => {
    const { throttle } = startThrottle();
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(throttle.admit({ lane: 'bulk', timeoutMs: 1, signal })).rejects.toThrow('gone');
  });
});

describe('an answer of 429', () => {
  test('holds all calls until its time, then admits one probe, an interactive one first', async () => {
    const { call, pass, sent, throttle } = startThrottle();
    start(call, [{ name: 'refused', rateLimitedForMs: 3000 }]);
    await pass(100);
    expect(throttle.state().heldUntil).toBeGreaterThanOrEqual(Date.now() + 2900);
    start(call, times(50, { name: 'bulk' }));
    start(call, times(3, { name: 'person', lane: 'interactive', latencyMs: 500 }));
    await pass(2900);
    expect(names(sent)).toEqual(['refused']);
    await pass(500);
    expect(names(sent)).toEqual(['refused', 'person']);
  });

  test('is not followed by a burst of calls', async () => {
    const { call, pass, sent, throttle } = startThrottle();
    start(call, [{ rateLimitedForMs: 12_000 }]);
    await pass(100);
    start(call, times(100, {}));
    start(call, times(3, { lane: 'interactive', latencyMs: 500 }));
    await pass(12_300);
    const opened = sent[1]?.sentAt ?? Number.NaN;
    await pass(10 * SECOND);
    const after = sent.slice(1).map(({ sentAt }) => sentAt);
    expect(throttle.state().heldUntil).toBeNull();
    expect(after.filter((time) => time < opened + 2000).length).toBeLessThan(9);
    expect(mostInAnyWindow(after, 500)).toBeLessThan(4);
  });

  test('leaves slots without a time limit when no other instance shares them', async () => {
    const { throttle, pass } = startThrottle();
    const admitted = throttle.admit({ lane: 'bulk', timeoutMs: 1 });
    await pass(100);
    expect((await admitted).longestMs).toBe(Number.POSITIVE_INFINITY);
  });

  test('makes slots stale that were granted before, and none that are granted later', async () => {
    const { throttle, call, pass } = startThrottle();
    const before = throttle.admit({ lane: 'bulk', timeoutMs: 1 });
    await pass(100);
    expect((await before).isStale()).toBe(false);
    start(call, [{ rateLimitedForMs: 1000 }]);
    await pass(100);
    expect((await before).isStale()).toBe(true);
    (await before).done({ sent: false });
    const after = throttle.admit({ lane: 'bulk', timeoutMs: 1 });
    await pass(2 * SECOND);
    expect((await after).isStale()).toBe(false);
  });

  test('is not shortened by another one that asks for less', async () => {
    const { call, pass, sent } = startThrottle();
    start(call, [{ rateLimitedForMs: 8000, latencyMs: 50 }]);
    start(call, [{ rateLimitedForMs: 1000, latencyMs: 60 }]);
    await pass(200);
    start(call, times(5, {}));
    await pass(7800);
    expect(sent).toHaveLength(2);
  });

  test('holds calls that get a slot meanwhile', async () => {
    const { call, pass, sent } = startThrottle({ limit: { requests: 2, windowMs: 10_000 } });
    const first: CallPlan = { name: 'first', lane: 'interactive' };
    start(call, [first, { name: 'refused', latencyMs: 9000, rateLimitedForMs: 3000 }]);
    await pass(100);
    start(call, [{ name: 'waits', lane: 'interactive' }]);
    await pass(11 * SECOND);
    expect(names(sent)).toEqual(['first', 'refused']);
    await pass(SECOND);
    expect(names(sent)).toEqual(['first', 'refused', 'waits']);
  });

  test('holds the bulk call that has waited for its turn', async () => {
    const { call, pass, sent } = startThrottle();
    start(call, times(60, {}));
    await pass(6 * SECOND);
    start(call, [{ name: 'refused', lane: 'interactive', rateLimitedForMs: 9_000 }]);
    await pass(100);
    const before = sent.length;
    await pass(8_800);
    expect(sent).toHaveLength(before);
    await pass(SECOND);
    expect(sent.length).toBeGreaterThan(before);
  });

  test('rejects waiting calls at once if the hold outlasts what their lane may wait', async () => {
    const { call, pass, throttle } = startThrottle();
    start(call, [{ latencyMs: 500, rateLimitedForMs: 60_000 }]);
    await pass(100);
    const waits = Promise.allSettled(times(30, {}).map(call));
    await pass(500);
    expect(throttle.state().waiting.bulk).toBe(0);
    await pass(10);
    expect((await waits).at(-1)).toMatchObject({
      reason: { code: 'SERVICE_RATE_LIMITED', retryAfterMs: expect.closeTo(60_000, -3) },
    });
  });

  test('lets held calls abort', async () => {
    const { call, pass, throttle } = startThrottle();
    start(call, [{ rateLimitedForMs: 60_000 }]);
    await pass(100);
    const leaving = new AbortController();
    const waits = call({ signal: leaving.signal, lane: 'interactive' });
    await pass(100);
    leaving.abort(new Error('gone'));
    await expect(waits).rejects.toThrow('gone');
    expect(throttle.state().waiting.interactive).toBe(0);
  });

  test('halves the slots, which return with each window without a 429', async () => {
    const { call, pass, throttle, sent } = startThrottle();
    start(call, times(5, { rateLimitedForMs: 1000, latencyMs: 300 }));
    await pass(500);
    expect(throttle.state().allowed).toBe(12);
    await pass(11_500);
    start(call, times(100, {}));
    const before = sent.length;
    await pass(9 * SECOND);
    expect(sent.length - before).toBeLessThan(14);
    await pass(80 * SECOND);
    expect(throttle.state().allowed).toBe(25);
  });
});

describe('stopping the throttle', () => {
  test('rejects calls that wait and calls that come later, and leaves no timer', async () => {
    const { throttle, call, pass } = startThrottle({ limit: { requests: 2, windowMs: 10_000 } });
    const calls = times(8, {}).map((plan, index) =>
      call({ ...plan, lane: index % 2 ? 'bulk' : 'interactive', rateLimitedForMs: 500 }),
    );
    const outcomes = Promise.allSettled(calls);
    await pass(100);
    await throttle.stop();
    await pass(100);
    const rejected = (await outcomes).filter(({ status }) => status === 'rejected');
    expect(rejected).toHaveLength(6);
    expect(rejected[0]).toMatchObject({
      reason: { code: 'SERVICE_STOPPED', retry: 'later', sent: 'no' },
    });
    await expect(throttle.admit({ lane: 'bulk', timeoutMs: 1 })).rejects.toMatchObject({
      code: 'SERVICE_STOPPED',
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('does not disturb calls in flight', async () => {
    const { throttle, pass } = startThrottle();
    const admitted: Promise<Admission> = throttle.admit({ lane: 'bulk', timeoutMs: 1 });
    await pass(100);
    await throttle.stop();
    (await admitted).done({ sent: true, rateLimitedForMs: 1000 });
    await pass(10);
    expect([throttle.state().taken, vi.getTimerCount()]).toEqual([0, 0]);
  });
});

describe('the throughput of the throttle', () => {
  test.each([
    ['bulk calls wait', { bulk: 60, interactive: 5 }],
    ['people wait', { bulk: 0, interactive: 60 }],
  ])(
    "continues, within the limit, when the machine's clock is set back while %s",
    async (...given) => {
      const { call, pass, sent } = startThrottle();
      const [, { bulk, interactive }] = given;
      start(call, times(bulk, { lane: 'bulk' }));
      start(call, times(interactive, { lane: 'interactive' }));
      await pass(SECOND);
      vi.setSystemTime(Date.now() - 3_600_000);
      await pass(8.5 * SECOND);
      expect(sent.length).toBeLessThanOrEqual(25);
      await pass(3 * SECOND);
      expect(sent.length).toBeGreaterThan(30);
      expect(sent.length).toBeLessThanOrEqual(50);
      await pass(30 * SECOND);
      expect(sent.length).toBe(bulk + interactive);
    },
  );

  test("goes on at once if the machine's clock is set back while a call waits for a probe to end", async () => {
    const { logger, lines } = createListLogger();
    const { call, pass, sent } = startThrottle({ logger });
    start(call, times(1, {}));
    await pass(SECOND);
    start(call, times(1, { rateLimitedForMs: 8 * SECOND }));
    await pass(8.5 * SECOND);
    start(call, times(3, { lane: 'interactive', latencyMs: 3 * SECOND }));
    await pass(0.2 * SECOND);
    expect(sent).toHaveLength(3);
    vi.setSystemTime(Date.now() - 20 * SECOND);
    await pass(10 * SECOND);
    expect(sent).toHaveLength(5);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test("counts what is in flight when the machine's clock is set back", async () => {
    const { call, pass, sent } = startThrottle();
    start(call, times(5, { lane: 'interactive', latencyMs: 14 * SECOND }));
    start(call, times(16, {}));
    await pass(SECOND);
    expect(sent).toHaveLength(21);
    vi.setSystemTime(Date.now() - 3_600_000);
    start(call, times(40, {}));
    start(call, times(40, { lane: 'interactive' }));
    await pass(12.5 * SECOND);
    // Five of the 25 slots are still taken by the first five calls.
    expect(sent.length).toBeLessThanOrEqual(25 + 20);
    expect(sent.length).toBeGreaterThan(25 + 15);
  });

  test("has nobody take the place of another lane's calls when the machine's clock is set back", async () => {
    const { call, pass, sent } = startThrottle();
    start(call, times(24, {}));
    start(call, times(4, { lane: 'interactive' }));
    await pass(9 * SECOND);
    expect(sent).toHaveLength(24);
    vi.setSystemTime(Date.now() - 3_600_000);
    start(call, times(4, { lane: 'interactive' }));
    await pass(0.5 * SECOND);
    expect(sent.length).toBeLessThanOrEqual(25);
  });

  test('allows 209 bulk calls within 88 s and never exceeds the limit', async () => {
    const { call, pass, sent } = startThrottle();
    const all = Promise.all(times(209, {}).map(call));
    const startedAt = Date.now();
    await pass(88 * SECOND);
    await all;
    const last = Math.max(...sent.map(({ answeredAt }) => answeredAt));
    expect(last - startedAt).toBeLessThan(88 * SECOND);
    expect(
      mostInAnyWindow(
        sent.map(({ sentAt }) => sentAt),
        10_000,
      ),
    ).toBeLessThanOrEqual(25);
  });

  test('allows 21 bulk calls at once when idle, and again a window later', async () => {
    const { call, pass, sent } = startThrottle();
    start(call, times(21, {}));
    await pass(SECOND);
    expect(sent).toHaveLength(21);
    await pass(20 * SECOND);
    start(call, times(21, {}));
    await pass(SECOND);
    expect(sent).toHaveLength(42);
  });

  test.each([76, 209])(
    'lets a person who calls every 2 s during %i bulk calls wait less than half a second',
    async (count) => {
      const { call, pass } = startThrottle();
      start(call, times(count, { latencyMs: 200 }));
      const asked: Promise<SimulatedCall>[] = [];
      for (let second = 0; second < 100; second += 2) {
        await pass(2 * SECOND);
        asked.push(call({ lane: 'interactive', queue: 'ada' }));
      }
      const all = Promise.all(asked);
      await pass(10 * SECOND);
      const waits = (await all).map(({ askedAt, sentAt }) => sentAt - askedAt);
      expect(Math.max(...waits)).toBeLessThan(500);
    },
  );
});

test('the throttle tells once when all calls begin to be held, and once when that ends', async () => {
  const told: (number | null)[] = [];
  const onHeld = () => void told.push(throttle.state().heldUntil);
  const { throttle, call, pass } = startThrottle({ onHeld });
  start(call, [{ rateLimitedForMs: 30_000 }, { rateLimitedForMs: 40_000 }]);
  await pass(SECOND);
  expect(told).toEqual([expect.any(Number)]);
  await pass(60 * SECOND);
  expect(told).toEqual([expect.any(Number), null]);
});

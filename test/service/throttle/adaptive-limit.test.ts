import { beforeEach, describe, expect, test } from 'vitest';
import {
  type AdaptiveLimit,
  createAdaptiveLimit,
  halved,
  regrown,
} from '../../../src/service/throttle/limits.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { throttleOptions } from '../../support/throttle-calls.ts';

const WINDOW_MS = 10_000;

let clock: FakeClock;
let limit: AdaptiveLimit;
let stop: AbortController;
let changes: number;
let heldAtChange: boolean;
/** How far the clock has been set, in milliseconds; sleeping timers are not affected. */
let setBy: number;

beforeEach(() => {
  const steady = createFakeClock();
  setBy = 0;
  clock = { ...steady, now: () => steady.now() + setBy };
  limit = start();
});

function start(redis?: { url: string }): AdaptiveLimit {
  stop = new AbortController();
  changes = 0;
  const onChange = () => {
    changes += 1;
    heldAtChange = limit.heldUntil() !== null;
  };
  return createAdaptiveLimit(throttleOptions({ clock, redis }), onChange, stop.signal);
}

describe('a hold after a 429', () => {
  test('does not exist at first, and no call is probing', () => {
    expect([limit.heldUntil(), limit.isProbing(), limit.slots()]).toEqual([null, false, 25]);
  });

  test('lasts until its time; then calls go one at a time until one succeeds', async () => {
    limit.hold(3000);
    await clock.advance(2999);
    expect(limit.heldUntil()).toBe(clock.now() + 1);
    await clock.advance(1);
    expect([limit.heldUntil(), limit.isProbing()]).toEqual([null, true]);
    limit.free();
    expect(limit.isProbing()).toBe(false);
  });

  test('is extended by a later one and never shortened', () => {
    limit.hold(3000);
    const until = limit.heldUntil();
    limit.hold(1000, 3);
    expect([limit.heldUntil(), limit.slots(), limit.holds()]).toEqual([until, 25, 1]);
    limit.hold(5000, 6);
    expect([limit.heldUntil(), limit.slots(), limit.holds()]).toEqual([clock.now() + 5000, 6, 2]);
  });

  test('ends when the last of several holds ends, not the first', async () => {
    limit.hold(1000);
    limit.hold(4000);
    await clock.advance(3999);
    expect(limit.heldUntil()).not.toBeNull();
    await clock.advance(1);
    expect(limit.heldUntil()).toBeNull();
  });

  test('lasts at most ten minutes for one answer', async () => {
    limit.hold(86_400_000);
    expect(limit.heldUntil()).toBe(clock.now() + 600_000);
    await clock.advance(600_000);
    expect(limit.heldUntil()).toBeNull();
  });

  test('is not ended by the success of a call that was sent before it', () => {
    limit.hold(1000);
    limit.free();
    expect([limit.heldUntil() === null, limit.isProbing()]).toEqual([false, true]);
  });

  test('notifies its listener when it starts, when it ends and when a call succeeds', async () => {
    limit.hold(1000);
    expect([changes, heldAtChange]).toEqual([1, true]);
    await clock.advance(1000);
    expect([changes, heldAtChange]).toEqual([2, false]);
    limit.free();
    expect(changes).toBe(3);
  });

  test('is over once the clock is set beyond it', () => {
    limit.hold(60_000);
    setBy = 60_000;
    expect([limit.heldUntil(), limit.isProbing()]).toEqual([null, true]);
  });

  test('removes its timers when the throttle is stopped', async () => {
    limit.hold(1000);
    expect(clock.sleepers()).toBe(1);
    stop.abort();
    await clock.advance(0);
    expect(clock.sleepers()).toBe(0);
  });
});

describe('a limit that instances share', () => {
  test('lets the first calls go one at a time, as other instances may be held', () => {
    const shared = start({ url: 'redis://127.0.0.1' });
    expect(shared.isProbing()).toBe(true);
    shared.free();
    expect([shared.isProbing(), shared.slots()]).toEqual([false, 25]);
  });
});

describe('the adaptive number of slots', () => {
  test('grows with each window after the hold, up to the limit', async () => {
    limit.hold(5000, 12);
    await clock.advance(5000 + WINDOW_MS - 1);
    expect(limit.slots()).toBe(12);
    await clock.advance(1);
    expect(limit.slots()).toBe(14);
    await clock.advance(10 * WINDOW_MS);
    expect([limit.slots(), clock.sleepers()]).toEqual([25, 0]);
  });

  test('starts to grow anew with each hold', async () => {
    limit.hold(1000, 12);
    await clock.advance(1000 + WINDOW_MS / 2);
    limit.hold(1000, 6);
    await clock.advance(1000 + WINDOW_MS - 1);
    expect(limit.slots()).toBe(6);
    await clock.advance(1);
    expect(limit.slots()).toBe(8);
  });

  test('never exceeds the limit, whatever another instance says', () => {
    limit.hold(1000, 400);
    expect(limit.slots()).toBe(25);
  });

  test.each([
    [25, 12],
    [3, 2],
    [2, 2],
    [1, 1],
  ])('is halved, but to at least two or to the only one: %i to %i', (slots, left) => {
    expect(halved(slots)).toBe(left);
  });

  test.each([
    [12, 25, 14],
    [24, 25, 25],
    [2, 4, 3],
    [1, 1, 1],
  ])('grows by at least one: %i of %i to %i', (slots, all, more) => {
    expect(regrown(slots, all)).toBe(more);
  });
});

import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createClock } from '../../../src/base/index.ts';
import {
  createBulkPace,
  roomForBulkAt,
  type SlotState,
} from '../../../src/service/throttle/limits.ts';
import { throttleOptions } from '../../support/throttle-calls.ts';

const NOW = 100_000;
const HOLD_MS = 10_000;

/** 25 slots, none of which returns before a window is over. */
const idle: SlotState = {
  now: NOW,
  slots: 25,
  free: 25,
  leftForPeople: 17,
  returns: [NOW + HOLD_MS],
  holdMs: HOLD_MS,
};

function returning(...inMs: number[]): number[] {
  return [...inMs, HOLD_MS].map((ms) => NOW + ms);
}

describe('roomForBulkAt', () => {
  test('gives room at once after idleness, for 21 of 25 slots', () => {
    expect(roomForBulkAt({ ...idle, free: 5 })).toBe(NOW);
    expect(roomForBulkAt({ ...idle, free: 4 })).toBeGreaterThan(NOW);
  });

  test('gives room as the window passes in which people might have used their slots', () => {
    const at = roomForBulkAt({ ...idle, free: 4 });
    expect(at).toBe(NOW + 2_000);
    expect(roomForBulkAt({ ...idle, now: at, free: 4 })).toBe(at);
    expect(roomForBulkAt({ ...idle, now: at, free: 3 })).toBe(NOW + 4_000);
  });

  test('gives room as soon as more than the reserve is free when slots return evenly', () => {
    const evenly = returning(...Array.from({ length: 24 }, (_, index) => 400 * (index + 1)));
    expect(roomForBulkAt({ ...idle, free: 2, returns: evenly })).toBe(NOW);
    expect(roomForBulkAt({ ...idle, free: 1, returns: evenly })).toBe(NOW + 400);
  });

  test('looks beyond the next slot that returns, to the time in which none does', () => {
    const one = { ...idle, returns: returning(500) };
    expect(roomForBulkAt({ ...one, free: 4 })).toBe(NOW);
    expect(roomForBulkAt({ ...one, free: 3 })).toBe(NOW + 500);
  });

  test('keeps no room for people who may have no more slots', () => {
    expect(roomForBulkAt({ ...idle, free: 1, leftForPeople: 0 })).toBe(NOW);
  });

  test('gives the last slot when the limit is small, and waits when there is none', () => {
    const small = { ...idle, slots: 3, leftForPeople: 2, returns: returning(500) };
    expect(roomForBulkAt({ ...small, free: 1 })).toBe(NOW);
    expect(roomForBulkAt({ ...small, free: 0 })).toBe(NOW + 500);
  });

  test('is never later than the time at which the next slot returns', () => {
    const times = fc.array(fc.integer({ min: NOW + 1, max: NOW + HOLD_MS }), { maxLength: 24 });
    const states = fc.record({
      free: fc.integer({ min: 0, max: 25 }),
      leftForPeople: fc.integer({ min: 0, max: 17 }),
      taken: times,
    });
    fc.assert(
      fc.property(states, ({ taken, ...at }) => {
        const returns = [...taken, NOW + HOLD_MS].sort((a, b) => a - b);
        const room = roomForBulkAt({ ...idle, ...at, returns });
        expect(room).toBeGreaterThanOrEqual(NOW);
        expect(room).toBeLessThanOrEqual(Math.max(NOW, returns[0] ?? NOW));
      }),
    );
  });
});

describe('createBulkPace', () => {
  afterEach(() => void vi.useRealTimers());

  /** Sends `count` calls as soon as they may go; returns their times in ms from the first. */
  async function pace(count: number, { requests = 21, roomAt = NOW } = {}) {
    vi.useFakeTimers({ now: NOW });
    const clock = createClock({ wall: () => Date.now(), elapsed: () => performance.now() });
    const stop = new AbortController();
    const state = async (): Promise<SlotState> => {
      const now = clock.now();
      const free = now < roomAt ? 0 : 25;
      return { ...idle, now, slots: 21, free, returns: [Math.max(roomAt, now + 1)] };
    };
    const options = throttleOptions({ clock, limit: { requests, windowMs: HOLD_MS } });
    const mayGo = createBulkPace({ state }, options, stop.signal);
    const sent: number[] = [];
    const sending = (async () => {
      for (let call = 0; call < count; call += 1) {
        await mayGo();
        sent.push(clock.now() - NOW);
      }
    })().catch(() => {});
    await vi.advanceTimersByTimeAsync(60_000);
    stop.abort();
    await sending;
    return sent;
  }

  test("lets one window's calls go at once after idleness, and later ones at a steady rate", async () => {
    const sent = await pace(24, {});
    expect(sent.filter((time) => time === 0)).toHaveLength(21);
    expect(sent.slice(21)).toEqual([500, 1000, 1500]);
  });

  test('lets a quarter of the limit run ahead after a wait for slots', async () => {
    const sent = await pace(8, { roomAt: NOW + 8_000 });
    expect(sent).toEqual([8000, 8000, 8000, 8000, 8000, 8000, 8500, 9000]);
  });

  test('spreads calls from the first on while the service takes less than the limit', async () => {
    expect(await pace(3, { requests: 22 })).toEqual([0, 500, 1000]);
  });
});

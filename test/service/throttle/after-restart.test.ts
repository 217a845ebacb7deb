import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import { createThrottle, type Throttle } from '../../../src/service/index.ts';

let throttle: Throttle;
/** The lengths of all sleeps, in milliseconds. */
let slept: number[];

beforeEach(() => {
  vi.useFakeTimers();
  slept = [];
});
afterEach(async () => {
  await throttle.stop();
  vi.useRealTimers();
});

/** Starts a throttle with so many calls at once; the result returns how many are admitted. */
function start({ quietForMs, calls }: { quietForMs: number; calls: number }): () => number {
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) => {
      slept.push(ms);
      return systemClock.sleep(ms, signal);
    },
  };
  throttle = createThrottle({
    account: 'https://files.example.com',
    limit: { requests: 25, windowMs: 10_000 },
    quietUntil: clock.now() + quietForMs,
    clock,
    logger: silentLogger,
  });
  let admitted = 0;
  for (let n = 0; n < calls; n += 1)
    void throttle.admit({ lane: 'bulk', timeoutMs: 1_000 }).then(() => {
      admitted += 1;
    });
  return () => admitted;
}

it.each([
  ['was just sent', 10_000],
  ['is in the future, as the clock was set back since', 86_400_000],
])(
  'the throttle waits a window when the last request of the previous process %s',
  async (_, quietForMs) => {
    const admitted = start({ quietForMs, calls: 1 });
    await vi.advanceTimersByTimeAsync(9_900);
    expect(admitted()).toBe(0);
    await vi.advanceTimersByTimeAsync(200);
    expect(admitted()).toBe(1);
  },
);

it('the throttle admits calls at once, not one at a time, when that window is over', async () => {
  const admitted = start({ quietForMs: -60_000, calls: 5 });
  await vi.advanceTimersByTimeAsync(100);
  expect(admitted()).toBe(5);
  expect(slept.filter((ms) => ms < 0)).toEqual([]);
});

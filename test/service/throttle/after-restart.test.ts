import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import { createThrottle } from '../../../src/service/index.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('admits nothing until a window after the process before may have sent its last request', async () => {
  const clock = systemClock;
  const throttle = createThrottle({
    account: 'https://files.example.com',
    limit: { requests: 25, windowMs: 10_000 },
    quietUntil: clock.now() + 10_000,
    clock,
    logger: silentLogger,
  });
  let admitted = false;
  void throttle.admit({ lane: 'bulk', timeoutMs: 1_000 }).then(() => {
    admitted = true;
  });
  await vi.advanceTimersByTimeAsync(9_900);
  expect(admitted).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  expect(admitted).toBe(true);
  await throttle.stop();
});

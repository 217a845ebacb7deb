import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  createClock,
  createSingleFlight,
  inTime,
  startDeadline,
  unlessAborted,
  within,
} from '../../src/base/index.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const LATE = new Error('late');

function start(signal?: AbortSignal) {
  const clock = createFakeClock();
  const deadline = startDeadline({ clock, signal, timeoutMs: 1_000, timedOut: () => LATE });
  return { clock, deadline };
}

test('startDeadline aborts its signal when the time is up and not before', async () => {
  const { clock, deadline } = start();
  await clock.advance(999);
  expect(deadline.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(deadline.signal.reason).toBe(LATE);
});

test("startDeadline aborts with its caller's reason, even if the caller aborted before the start", () => {
  const caller = new AbortController();
  const { deadline } = start(caller.signal);
  caller.abort(new Error('enough'));
  expect(deadline.signal.reason).toBe(caller.signal.reason);
  expect(start(caller.signal).deadline.signal.reason).toBe(caller.signal.reason);
});

test('startDeadline with watchIdle aborts early when touch is not called in time', async () => {
  const { clock, deadline } = start();
  deadline.watchIdle(300);
  await clock.advance(299);
  deadline.touch();
  await clock.advance(299);
  expect(deadline.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(deadline.signal.reason).toBe(LATE);
});

test("a stopped deadline removes its timers and its listener on the caller's signal", () => {
  const { signal } = new AbortController();
  const { clock, deadline } = start(signal);
  deadline.watchIdle(300);
  deadline.stop();
  expect(clock.sleepers()).toBe(0);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('unlessAborted rejects when the signal aborts and leaves no listener behind', async () => {
  const caller = new AbortController();
  const left = unlessAborted(new Promise(() => undefined), caller.signal);
  caller.abort(new Error('enough'));
  await expect(left).rejects.toBe(caller.signal.reason);
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('within settles as its work does, or rejects when the time is up', async () => {
  const clock = createFakeClock();
  const options = { clock, timeoutMs: 1_000, timedOut: () => LATE };
  const signals: AbortSignal[] = [];
  const note = async (signal: AbortSignal) => signals.push(signal);
  expect(await within(options, note)).toBe(1);
  const left = within(options, (signal) => note(signal).then(() => new Promise(() => undefined)));
  const rejected = expect(left).rejects.toBe(LATE);
  await clock.advance(1_000);
  await rejected;
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  expect(clock.sleepers()).toBe(0);
});

test('inTime settles like its promise, or resolves to the late value, and leaves no timer', async () => {
  const clock = createFakeClock(0);
  const quick = inTime(Promise.resolve('here'), { clock, ms: 10, late: null });
  expect(await quick).toBe('here');
  const failed = inTime(Promise.reject(new Error('broken')), { clock, ms: 10, late: null });
  await expect(failed).rejects.toThrow('broken');
  expect(clock.sleepers()).toBe(0);
  const slow = inTime(new Promise(() => undefined), { clock, ms: 10, late: 'not yet' });
  await clock.advance(10);
  expect(await slow).toBe('not yet');
});

/** Returns a fake clock, the calls started so far (the test settles them), and `ask`. */
function startFlights(keepMs: number) {
  const clock = createFakeClock(0);
  const once = createSingleFlight<number>({ clock, keepMs });
  const calls: PromiseWithResolvers<number>[] = [];
  const ask = (key = 'ada') =>
    once(key, () => {
      const call = Promise.withResolvers<number>();
      calls.push(call);
      return call.promise;
    });
  return { clock, calls, ask };
}

test('createSingleFlight shares a call among callers of one key only while it is in flight', async () => {
  const { clock, calls, ask } = startFlights(0);
  const asked = [ask(), ask(), ask('ben')];
  await clock.advance(60_000);
  asked.push(ask());
  calls[0]?.resolve(1);
  calls[1]?.resolve(2);
  expect(await Promise.all(asked)).toEqual([1, 1, 2, 1]);
  void ask();
  expect(calls).toHaveLength(3);
});

test('createSingleFlight keeps a result until keepMs after its call started', async () => {
  const { clock, calls, ask } = startFlights(2_000);
  const first = ask();
  await clock.advance(1_999);
  calls[0]?.resolve(1);
  expect([await first, await ask()]).toEqual([1, 1]);
  await clock.advance(1);
  void ask();
  expect(calls).toHaveLength(2);
});

test('createSingleFlight keeps no failed result', async () => {
  const { calls, ask } = startFlights(2_000);
  const both = Promise.allSettled([ask(), ask()]);
  calls[0]?.reject(new Error('no'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  void ask();
  expect(calls).toHaveLength(2);
});

/** Returns a clock, and a function that lets time pass, or sets the machine's clock by `by`. */
function startClock() {
  let [wallMs, runMs] = [1_000_000, 0];
  const clock = createClock({ wall: () => wallMs, elapsed: () => runMs });
  const pass = (ms: number, by = 0) => {
    wallMs += ms + by;
    runMs += ms;
  };
  return { clock, pass };
}

test('a clock goes on with time when the machine’s is set back, and shows the machine’s beside it', () => {
  const { clock, pass } = startClock();
  expect(clock.now()).toBe(1_000_000);
  pass(500);
  pass(0, -3_600_000);
  expect(clock.now()).toBe(1_000_500);
  pass(1_000);
  expect([clock.now(), clock.wall()]).toEqual([1_001_500, 1_001_500 - 3_600_000]);
});

test('a clock follows the machine’s when that is set ahead, and stays there when it is set right', () => {
  const { clock, pass } = startClock();
  pass(0, 3_600_000);
  expect(clock.now()).toBe(1_000_000 + 3_600_000);
  pass(1_000, -3_600_000);
  expect(clock.now()).toBe(1_001_000 + 3_600_000);
});

test('a pause while a clock is read does not put it ahead', () => {
  const machine = { ms: 1_000_000, pauseMs: 0 };
  const read = () => {
    const shown = machine.ms;
    machine.ms += machine.pauseMs;
    return shown;
  };
  const clock = createClock({ wall: read, elapsed: read });
  clock.now();
  machine.pauseMs = 5_000;
  clock.now();
  machine.pauseMs = 0;
  expect(clock.now()).toBe(machine.ms);
});

test('timers of the process keep to its clock when the machine’s is set back an hour', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const clock = createClock({ wall: () => Date.now(), elapsed: () => performance.now() });
  const dueAt = clock.now() + 60_000;
  const woken = clock.sleep(60_000).then(() => clock.now());
  vi.setSystemTime(Date.now() - 3_600_000);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await woken).toBe(dueAt);
});

import { beforeEach, describe, expect, test } from 'vitest';
import { createGate, type Gate, type Pass } from '../../src/service/throttle/gate.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';

const WINDOW_MS = 10_000;

let clock: FakeClock;
let gate: Gate;
let stop: AbortController;
let personWaits: boolean;
let changes: number;
let mayPassAtChange: boolean;
let told: (number | 'open')[];
/** How far the clock has been set, in milliseconds; who sleeps sleeps on. */
let setBy: number;

beforeEach(() => {
  const steady = createFakeClock();
  setBy = 0;
  clock = { ...steady, now: () => steady.now() + setBy };
  stop = new AbortController();
  personWaits = false;
  changes = 0;
  told = [];
  gate = createGate({
    clock,
    windowMs: WINDOW_MS,
    interactiveWaits: () => personWaits,
    onClose: (until) => void told.push(until - clock.now()),
    onOpen: () => void told.push('open'),
    onChange: () => {
      changes += 1;
      mayPassAtChange = gate.mayPass('bulk');
    },
    signal: stop.signal,
  });
});

function passed(lane: 'interactive' | 'bulk'): Pass {
  const pass = gate.pass(lane);
  if (!pass) throw new Error(`no ${lane} call passes`);
  return pass;
}

function close(ms: number): void {
  gate.close(clock.now() + ms);
}

function setBack(ms: number): void {
  const { now } = clock;
  clock.now = () => now() - ms;
}

async function recovered(): Promise<void> {
  close(1000);
  await clock.advance(1000);
  passed('interactive').settle('well');
}

describe('the gate', () => {
  test('is open at first', () => {
    expect([gate.mayPass('bulk'), gate.mayPass('interactive')]).toEqual([true, true]);
    expect([gate.closedUntil(), gate.cautious()]).toEqual([null, false]);
  });

  test.each([
    ['an hour', 3_600_000],
    ['a century', 100 * 365 * 86_400_000],
  ])('holds nobody back for longer because our clock was set back by %s', async (_what, ms) => {
    close(60_000);
    setBy = -ms;
    const before = changes;
    await clock.advance(60_000);
    expect(changes).toBeGreaterThan(before);
    expect(gate.closedUntil()).toBeNull();
    const probe = passed('bulk');
    expect(gate.pass('bulk')).toBeNull();
    close(30_000);
    probe.settle('rate-limited');
    expect(gate.pass('bulk')).toBeNull();
    await clock.advance(30_000);
    passed('bulk').settle('well');
    expect(gate.mayPass('bulk')).toBe(true);
  });

  test('holds everybody back after a 429, until its time', async () => {
    close(3000);
    await clock.advance(2999);
    expect([gate.pass('bulk'), gate.pass('interactive')]).toEqual([null, null]);
    expect(gate.closedUntil()).toBe(clock.now() + 1);
    await clock.advance(1);
    expect(gate.mayPass('bulk')).toBe(true);
    expect(changes).toBe(1);
  });

  test('moves its time on, never back', () => {
    close(3000);
    const until = gate.closedUntil();
    close(1000);
    expect(gate.closedUntil()).toBe(until);
    close(5000);
    expect(gate.closedUntil()).toBe(clock.now() + 5000);
  });

  test('believes ten minutes at a time', async () => {
    close(86_400_000);
    expect(gate.closedUntil()).toBe(clock.now() + 600_000);
    await clock.advance(600_000);
    expect(gate.mayPass('bulk')).toBe(true);
  });

  test('tells when it closes, for how much longer, and when it opens', async () => {
    close(3000);
    close(1000);
    close(4000);
    await clock.advance(4000);
    passed('bulk').settle('not-sent');
    passed('bulk').settle('well');
    expect(told).toEqual([3000, 4000, 'open']);
  });

  test('passes one probe alone, and opens when it is answered well', async () => {
    close(1000);
    await clock.advance(1000);
    const probe = passed('bulk');
    expect([gate.pass('bulk'), gate.pass('interactive')]).toEqual([null, null]);
    probe.settle('well');
    expect([gate.mayPass('bulk'), gate.mayPass('interactive')]).toEqual([true, true]);
  });

  test('leaves the probe to a person who waits', async () => {
    close(1000);
    await clock.advance(1000);
    personWaits = true;
    expect(gate.pass('bulk')).toBeNull();
    expect(gate.pass('interactive')).not.toBeNull();
  });

  test('probes again when the probe was not sent', async () => {
    close(1000);
    await clock.advance(1000);
    passed('bulk').settle('not-sent');
    passed('bulk');
    expect(gate.pass('bulk')).toBeNull();
  });

  test('stays closed when the probe is answered with 429', async () => {
    close(1000);
    await clock.advance(1000);
    const probe = passed('bulk');
    close(4000);
    probe.settle('rate-limited');
    await clock.advance(3999);
    expect(gate.pass('bulk')).toBeNull();
  });

  test('is not opened by calls that were under way when it closed', async () => {
    const early = passed('bulk');
    close(1000);
    early.settle('well');
    expect(gate.closedUntil()).not.toBeNull();
    await clock.advance(1000);
    const probe = passed('bulk');
    close(2000);
    probe.settle('well');
    expect(gate.mayPass('bulk')).toBe(false);
  });

  test('is cautious for a window: people pass one after another', async () => {
    await recovered();
    expect(gate.cautious()).toBe(true);
    const first = passed('interactive');
    expect(gate.pass('interactive')).toBeNull();
    expect(gate.mayPass('bulk')).toBe(true);
    first.settle('well');
    expect(gate.mayPass('interactive')).toBe(true);
  });

  test('is open again after that window, whoever is still under way', async () => {
    await recovered();
    passed('interactive');
    await clock.advance(WINDOW_MS);
    expect([gate.cautious(), gate.mayPass('interactive')]).toEqual([false, true]);
  });

  test('wakes those who wait although its timer ends early', async () => {
    const { sleep } = clock;
    clock.sleep = (ms, signal) => sleep(Math.max(1, Math.floor(ms / 2)), signal);
    close(1000.5);
    await clock.advance(1002);
    expect([changes, mayPassAtChange]).toEqual([1, true]);
  });

  test('stays half open when the clock is set back', async () => {
    close(1000);
    await clock.advance(1000);
    setBack(20_000);
    expect([gate.mayPass('bulk'), gate.closedUntil()]).toEqual([true, null]);
    close(500);
    expect(gate.mayPass('bulk')).toBe(false);
  });

  test('waits no longer than it was told when the clock is set back meanwhile', async () => {
    close(1000);
    setBack(3_600_000);
    await clock.advance(1000);
    passed('bulk').settle('well');
    setBack(3_600_000);
    await clock.advance(WINDOW_MS);
    expect(gate.cautious()).toBe(false);
  });

  test('lets go of its timers when it is stopped', async () => {
    close(1000);
    expect(clock.sleepers()).toBe(1);
    stop.abort();
    await clock.advance(0);
    expect(clock.sleepers()).toBe(0);
  });
});

import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Logger } from '../../../src/base/index.ts';
import type { Sender } from '../../../src/service/throttle/right-to-send.ts';
import { createThrottle } from '../../../src/service/throttle/throttle.ts';
import { createListLogger } from '../../support/list-logger.ts';
import {
  mostPossiblyCounted,
  type SimulatedCall,
  simulateCalls,
  throttleOptions,
} from '../../support/throttle-calls.ts';

const WINDOW_MS = 10_000;
const LIMIT = 25;

/** The row that the processes share; they may be cut off from it. */
let row: ReturnType<typeof createRow>;
let all: SimulatedCall[][];

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  row = createRow();
  all = [];
});

function createRow() {
  let held: { process: string; until: number } | null = null;
  let until: number | null = null;
  let sentUntil: number | null = null;
  let askedBy: string | null = null;
  const cutOff = new Set<string>();
  const reach = (process: string) => {
    if (cutOff.has(process)) throw new Error('the database is away');
  };
  const sender: Sender = {
    keepSending: async ({ process, leaseMs }) => {
      reach(process);
      const now = Date.now();
      if (held && held.process !== process && held.until > now) return null;
      if (held?.process !== process) [sentUntil, askedBy] = [held?.until ?? until, null];
      held = { process, until: now + leaseMs };
      const isAsked = askedBy !== null;
      return { sentUntil, sentAgoMs: sentUntil === null ? null : now - sentUntil, isAsked };
    },
    askToSend: async (process) => {
      reach(process);
      if (held && held.process !== process) askedBy = process;
    },
    stopSending: async (process) => {
      reach(process);
      if (held?.process === process) [held, until] = [null, Date.now()];
    },
  };
  return { sender, cutOff, holder: () => held?.process ?? null };
}

/** Starts a process whose clock stands `clockOff.ms` ahead. */
function startProcess(process: string, logger?: Logger) {
  const clockOff = { ms: 0 };
  const options = throttleOptions({ right: { sender: row.sender, process } });
  const clock = { ...options.clock, now: () => Date.now() + clockOff.ms };
  const throttle = createThrottle({ ...options, clock, ...(logger && { logger }) });
  const stop = () => throttle.stop().catch(() => undefined);
  onTestFinished(stop);
  const calls = simulateCalls(throttle);
  all.push(calls.sent);
  /** Makes calls all the time, as many as are admitted, like a loop that is refused now and then. */
  const busy = new AbortController();
  const workHard = async () => {
    while (!busy.signal.aborted) {
      if (throttle.maySend()) await calls.call({ latencyMs: 5 }).catch(() => undefined);
      else await options.clock.sleep(50);
    }
  };
  onTestFinished(() => busy.abort());
  return {
    ...{ throttle, clockOff, stop, ...calls },
    work: () => {
      for (let n = 0; n < 4; n += 1) void workHard();
    },
    rest: () => busy.abort(),
  };
}

const pass = async (ms: number) => void (await vi.advanceTimersByTimeAsync(ms));
/** Awaits what needs a moment to happen. */
async function soon<T>(work: Promise<T>): Promise<T> {
  await pass(50);
  return work;
}
const refused = { code: 'SERVICE_LIMIT_AWAY', sent: 'no' };
const counted = () => mostPossiblyCounted(all.flat(), WINDOW_MS);

describe('a process that may send requests', () => {
  it('admits them from its start if nobody was before it, and goes on', async () => {
    const first = startProcess('a');
    await pass(0);
    await soon(first.call());
    await pass(60_000);
    await soon(first.call());
    expect(row.holder()).toBe('a');
  });

  it('waits a window if others may have sent until it started', async () => {
    const before = startProcess('a');
    await pass(0);
    await before.stop();
    const next = startProcess('b');
    await pass(WINDOW_MS - 100);
    expect(next.throttle.maySend()).toBe(false);
    expect(next.throttle.standsBy()).toBe(false);
    await pass(200);
    expect(next.throttle.maySend()).toBe(true);
  });

  it('waits for nothing if they stopped longer ago', async () => {
    const before = startProcess('a');
    await pass(0);
    await before.stop();
    await pass(WINDOW_MS + 100);
    const next = startProcess('b');
    await pass(0);
    expect(next.throttle.maySend()).toBe(true);
  });

  it('admits nothing once it could not renew the lease in time, and all again once it can', async () => {
    const { logger, lines } = createListLogger();
    const { throttle, call } = startProcess('a', logger);
    await pass(0);
    row.cutOff.add('a');
    await pass(2_900);
    await soon(call());
    await pass(100);
    await expect(call()).rejects.toMatchObject(refused);
    row.cutOff.delete('a');
    await pass(1_000);
    expect(throttle.maySend()).toBe(true);
    expect(lines.map(({ level }) => level).filter((level) => level !== 'debug')).toEqual([
      'info',
      'warn',
      'info',
    ]);
  });

  it.each([
    ['forward, as after a freeze: at once', 3_000, 0],
    ['back: when the lease ends all the same', -3_600_000, 3_100],
  ])('notices that its lease has ended if its clock is set %s', async (_title, ms, afterMs) => {
    const { throttle, clockOff } = startProcess('a');
    await pass(0);
    row.cutOff.add('a');
    clockOff.ms = ms;
    await pass(afterMs);
    expect(throttle.maySend()).toBe(false);
  });

  it('sends no request that it was admitted for before it lost the right', async () => {
    const { throttle } = startProcess('a');
    await pass(0);
    const admission = await soon(throttle.admit({ lane: 'bulk', timeoutMs: 1_000 }));
    expect(admission.isStale()).toBe(false);
    row.cutOff.add('a');
    await pass(3_100);
    expect(admission.isStale()).toBe(true);
  });

  it('refuses at once what waits for a slot when it loses the right', async () => {
    const { throttle, call } = startProcess('a');
    await pass(0);
    for (let n = 0; n < LIMIT; n += 1) void call({ latencyMs: 20_000 }).catch(() => undefined);
    await pass(100);
    const waiting = throttle.admit({ lane: 'bulk', timeoutMs: 1 });
    const outcome = expect(waiting).rejects.toMatchObject(refused);
    row.cutOff.add('a');
    await pass(3_100);
    await outcome;
  });
});

describe('of several processes', () => {
  it('one sends; the others refuse people at once, and stand by', async () => {
    const { logger, lines } = createListLogger();
    const first = startProcess('a');
    await pass(0);
    const call = first.call({ latencyMs: 60_000 });
    const second = startProcess('b', logger);
    await pass(100);
    await expect(second.call({ lane: 'interactive' })).rejects.toMatchObject(refused);
    expect(lines).toMatchObject([{ text: expect.stringContaining('stands by') }]);
    expect([first, second].map(({ throttle }) => throttle.standsBy())).toEqual([false, true]);
    await pass(60_000);
    await call;
  });

  it('the newest gets the right once the calls of the one before have ended', async () => {
    const first = startProcess('a');
    await pass(0);
    const call = first.call({ latencyMs: 5_000 });
    const second = startProcess('b');
    await pass(1_500);
    await expect(first.call()).rejects.toMatchObject(refused);
    await pass(3_000);
    expect(row.holder()).toBe('a');
    await pass(2_000);
    await call;
    expect(row.holder()).toBe('b');
    expect(second.throttle.maySend()).toBe(false);
    await pass(WINDOW_MS);
    expect(second.throttle.maySend()).toBe(true);
    await pass(120_000);
    expect(row.holder()).toBe('b');
  });

  it('a call that lasts long keeps the right for 20 seconds', async () => {
    const first = startProcess('a');
    await pass(0);
    void first.call({ latencyMs: 3_600_000 });
    startProcess('b');
    await pass(20_000);
    expect(row.holder()).toBe('a');
    await pass(3_000);
    expect(row.holder()).toBe('b');
  });

  it('one takes over from another that died within 15 seconds', async () => {
    const first = startProcess('a');
    const second = startProcess('b');
    await pass(60_000);
    const [holder, other] = row.holder() === 'a' ? [first, second] : [second, first];
    row.cutOff.add(row.holder() ?? '');
    await pass(14_100);
    expect(holder.throttle.maySend()).toBe(false);
    expect(other.throttle.maySend()).toBe(true);
  });

  it('a process that the new one does not live to follow sends again', async () => {
    const first = startProcess('a');
    await pass(0);
    const second = startProcess('b');
    await pass(500);
    row.cutOff.add('b');
    await pass(60_000);
    expect(first.throttle.maySend()).toBe(true);
    expect(second.throttle.maySend()).toBe(false);
  });

  it('one that did not see another come and go waits a window all the same', async () => {
    const first = startProcess('a');
    await pass(0);
    row.cutOff.add('a');
    await pass(4_500);
    const second = startProcess('b');
    await pass(WINDOW_MS);
    await second.stop();
    row.cutOff.delete('a');
    await pass(WINDOW_MS - 1_000);
    expect(row.holder()).toBe('a');
    expect(first.throttle.maySend()).toBe(false);
    await pass(1_100);
    expect(first.throttle.maySend()).toBe(true);
  });

  it('all together stay within the limit, whoever starts, stops, freezes, or is cut off', async () => {
    let running = [startProcess('0')];
    running[0]?.work();
    for (let n = 1; n <= 12; n += 1) {
      await pass(7_000 + 613 * n);
      const next = startProcess(`${n}`);
      next.work();
      await pass(1_000 * n);
      const [oldest] = running;
      if (n % 3 === 0) row.cutOff.add(row.holder() ?? '');
      if (n % 3 === 1) void oldest?.stop();
      if (n % 3 === 2 && oldest) oldest.clockOff.ms += 5_000;
      running = [...running.slice(n % 3 === 1 ? 1 : 0), next];
    }
    for (const one of running) one.rest();
    expect(all.filter((sent) => sent.length > 0).length).toBeGreaterThan(6);
    expect(all.flat().length).toBeGreaterThan(100);
    expect(counted()).toBeLessThanOrEqual(LIMIT);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Clock, type Logger, silentLogger, systemClock } from '../../src/base/index.ts';
import type { Throttle } from '../../src/service/index.ts';
import { createThrottle } from '../../src/service/throttle/throttle.ts';
import { freePort } from '../support/loopback.ts';
import { mostPossiblyCounted, simulateCalls, throttleOptions } from '../support/throttle-calls.ts';
import { type StartedRedis, startRedis } from './start-redis.ts';
import { startTcpProxy } from './tcp-proxy.ts';

const LIMIT = { requests: 25, windowMs: 1000 };

let redis: StartedRedis;

beforeEach(async () => {
  redis = await startRedis();
});

afterEach(async () => {
  await redis.stop();
});

interface InstanceOptions {
  verifyCertificate?: boolean;
  url?: string;
  /** Default: a clock of its own. */
  clock?: Clock;
}

function startInstance(
  logger: Logger = silentLogger,
  limit = LIMIT,
  { verifyCertificate = true, url = redis.url, ...others }: InstanceOptions = {},
): Throttle {
  const redisAt = { url, verifyCertificate };
  const options = { limit, redis: redisAt, logger, ...others };
  const throttle = createThrottle(throttleOptions(options));
  onTestFinished(() => throttle.stop());
  return throttle;
}

/** Starts a process that takes all slots for calls of at most `timeoutMs`, and then kills it. */
async function takeAllPlacesAndDie(timeoutMs: number): Promise<void> {
  const file = join(import.meta.dirname, 'throttle-process.ts');
  const { requests, windowMs } = LIMIT;
  const child = spawn(
    process.execPath,
    [file, redis.url, requests, windowMs, timeoutMs].map(String),
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('a Redis that does not know the account', () => {
  /** Returns after how many milliseconds an instance that starts now sends its first call. */
  async function firstCallAfterMs(): Promise<number> {
    const startedAt = systemClock.now();
    return (await simulateCalls(startInstance()).call()).sentAt - startedAt;
  }

  test('holds calls for a window, as others may have just sent, but not those of later instances', async () => {
    expect(await firstCallAfterMs()).toBeGreaterThanOrEqual(LIMIT.windowMs);
    expect(await firstCallAfterMs()).toBeLessThan(LIMIT.windowMs);
  });

  test('holds also the calls of an instance that starts within a window after the first', async () => {
    const admin = new Redis(redis.url);
    startInstance();
    await vi.waitUntil(async () => (await admin.keys('*:account_settings')).length > 0, {
      timeout: 20_000,
    });
    await admin.quit();
    expect(await firstCallAfterMs()).toBeGreaterThanOrEqual(LIMIT.windowMs);
  });
});

describe('a Redis whose data is deleted', () => {
  test('holds the calls of all instances for a window, as it has forgotten their slots', async () => {
    const limit = { ...LIMIT, windowMs: 4000 };
    const instances = [1, 2].map(() => simulateCalls(startInstance(silentLogger, limit)));
    const round = () =>
      instances.flatMap(({ call }) =>
        Array.from({ length: 8 }, () => call({ lane: 'interactive' })),
      );
    await Promise.all(round());
    const admin = new Redis(redis.url);
    await admin.flushall();
    await admin.quit();
    await Promise.all(round());
    const sent = instances.flatMap((instance) => instance.sent);
    expect(sent).toHaveLength(32);
    expect(mostPossiblyCounted(sent, limit.windowMs)).toBeLessThanOrEqual(limit.requests);
  });
});

test('a Redis whose clock is set back holds calls for a window, not until it is as late as before', async () => {
  const { call } = simulateCalls(startInstance());
  await call();
  const admin = new Redis(redis.url);
  const [known = ''] = await admin.keys('*:known');
  await admin.incrby(known, 3_600_000);
  await admin.quit();
  const { askedAt, sentAt } = await call();
  expect(sentAt - askedAt).toBeGreaterThanOrEqual(LIMIT.windowMs);
});

describe('two instances that share a limit', () => {
  test('stay within it together, and use most of it', async () => {
    const instances = [startInstance(), startInstance()].map(simulateCalls);
    const calls = Array.from({ length: 75 }, () => instances.map(({ call }) => call()));
    await Promise.all(calls.flat());
    const sent = instances.flatMap((instance) => instance.sent);
    const most = mostPossiblyCounted(sent, LIMIT.windowMs);
    expect(most).toBeLessThanOrEqual(LIMIT.requests);
    expect(most).toBeGreaterThan(0.8 * LIMIT.requests);
    for (const instance of instances) expect(instance.sent).toHaveLength(75);
  });

  test('are both held back by a 429 that one of them gets', async () => {
    const [refused, other] = [startInstance(), startInstance()];
    const { sentAt } = await simulateCalls(refused).call({ rateLimitedForMs: 1500 });
    await vi.waitUntil(async () => refused.state().heldUntil !== null, { timeout: 20_000 });
    const late = await simulateCalls(other).call({ lane: 'interactive' });
    expect(late.sentAt - sentAt).toBeGreaterThanOrEqual(1500);
    expect(other.state().allowed).toBe(12);
    await vi.waitUntil(() => other.state().allowed > 12, { timeout: 20_000 });
  });

  test('send one call between them after a 429, until it has a response', async () => {
    const throttles = [startInstance(), startInstance()];
    const instances = throttles.map(simulateCalls);
    await Promise.all(instances.map(({ call }) => call()));
    await instances[0]?.call({ rateLimitedForMs: 1500 });
    await vi.waitUntil(() => throttles.every((throttle) => throttle.state().heldUntil !== null), {
      timeout: 20_000,
    });
    const calls = instances.flatMap(({ call }) => [1, 2, 3].map(() => call({ latencyMs: 300 })));
    const sent = (await Promise.all(calls)).toSorted((a, b) => a.sentAt - b.sentAt);
    expect(sent[1]?.sentAt).toBeGreaterThanOrEqual(sent[0]?.answeredAt ?? Number.NaN);
  });

  test('begin with one call whenever one of them starts, because the others may be held back', async () => {
    const { call } = simulateCalls(startInstance());
    const calls = [1, 2, 3].map(() => call({ latencyMs: 300 }));
    const sent = (await Promise.all(calls)).toSorted((a, b) => a.sentAt - b.sentAt);
    expect(sent[1]?.sentAt).toBeGreaterThanOrEqual(sent[0]?.answeredAt ?? Number.NaN);
  });

  test('get the slots of a dead instance once its calls would have ended', async () => {
    await takeAllPlacesAndDie(1000);
    const survivor = startInstance();
    const { askedAt, sentAt } = await simulateCalls(survivor).call();
    expect(sentAt - askedAt).toBeGreaterThan(1000);
  });

  test('use the clock of Redis, whatever their own clocks say', async () => {
    const [busy, other] = [startInstance(), startInstance()].map(simulateCalls);
    if (!busy || !other) throw new Error('Two were started');
    await Promise.all([busy.call({ lane: 'interactive' }), other.call({ lane: 'interactive' })]);
    const now = Date.now;
    const clock = vi.spyOn(Date, 'now');
    onTestFinished(() => clock.mockRestore());
    const long = { lane: 'interactive', latencyMs: 3_000, timeoutMs: 3_000 } as const;
    // All slots that the interactive lane may take.
    const held = Array.from({ length: 17 }, () => busy.call(long));
    await vi.waitUntil(() => busy.sent.length > 17, { timeout: 20_000 });
    // Its own clock running ahead does not end what is held.
    clock.mockImplementation(() => now() + 3_600_000);
    const begun = performance.now();
    await other.call({ lane: 'interactive' });
    expect(performance.now() - begun).toBeGreaterThan(2_000);
    await Promise.all(held);
    // Its own clock running behind makes no caller wait until it catches up.
    clock.mockImplementation(() => now() - 3_600_000);
    await other.call({ lane: 'interactive' });
  });

  test('keep the slots of a stopped instance until its windows are over', async () => {
    const stopped = startInstance();
    const early = simulateCalls(stopped);
    const late = simulateCalls(startInstance());
    await Promise.all(Array.from({ length: 25 }, () => early.call({ lane: 'interactive' })));
    await Promise.all([stopped.stop(), late.call(), late.call({ lane: 'interactive' })]);
    const sent = [...early.sent, ...late.sent];
    expect(mostPossiblyCounted(sent, LIMIT.windowMs)).toBeLessThanOrEqual(LIMIT.requests);
  });
});

test.each([
  '1 x',
  'message:1 x',
  'message:1 0',
  'message:1 1.5',
  'message:1e9 5',
  'message:Infinity 5',
  'message:0x10 5',
  'message:1',
  'message:5 5 5',
])('an instance ignores %j, which somebody else publishes on its channel', async (message) => {
  const warn = vi.fn();
  const logger = { ...silentLogger, warn, info: vi.fn() };
  const throttle = startInstance(logger, LIMIT, { clock: systemClock });
  await simulateCalls(throttle).call();
  const admin = new Redis(redis.url);
  const channels = await admin.pubsub('CHANNELS', '*:account');
  const publishedAt = systemClock.now();
  for (const one of [message, 'message:2000 12'])
    for (const channel of channels) await admin.publish(`${channel}`, one);
  await admin.quit();
  await vi.waitUntil(() => throttle.state().allowed === 12, { timeout: 20_000 });
  // The message after it is the first that the instance takes.
  const [{ until }] = warn.mock.calls[0] ?? [{}];
  expect(Date.parse(until)).toBeGreaterThanOrEqual(publishedAt + 2_000);
  expect(throttle.state().heldUntil).toBeLessThanOrEqual(systemClock.now() + 2_000);
});

/** Demotes a Redis to a replica whose own primary is away; its open connections stay. */
async function demote({ url }: StartedRedis): Promise<void> {
  const admin = new Redis(url);
  await admin.replicaof('127.0.0.1', await freePort());
  await admin.quit();
}

describe('a throttle whose Redis becomes a replica', () => {
  test('connects anew, and admits the calls of both lanes through the new primary', async () => {
    const primary = await startRedis();
    onTestFinished(() => primary.stop());
    const proxy = await startTcpProxy(new URL(redis.url));
    const throttle = startInstance(silentLogger, LIMIT, proxy);
    const { call } = simulateCalls(throttle);
    await call();
    proxy.redirect(new URL(primary.url));
    await demote(redis);
    // Until the first has its response, the second waits for a message of the new primary.
    await Promise.all([call(), call({ lane: 'interactive', latencyMs: 300 }), call()]);
  });
});

describe('a throttle whose Redis is down', () => {
  test('makes calls wait, lets them be aborted, and resumes them later; the log says so once', async () => {
    const warn = vi.fn();
    const limit = { ...LIMIT, windowMs: 4000 };
    const throttle = startInstance({ ...silentLogger, warn, info: vi.fn() }, limit);
    const { call, sent } = simulateCalls(throttle);
    await Promise.all(Array.from({ length: 20 }, () => call({ lane: 'interactive' })));
    const port = Number(new URL(redis.url).port);
    await redis.stop();
    const patience = AbortSignal.timeout(300);
    const left = call({ lane: 'interactive', signal: patience });
    await expect(left).rejects.toThrow('timeout');
    const waiting = Array.from({ length: 20 }, () => call({ lane: 'interactive' }));
    redis = await startRedis({ port });
    await Promise.all(waiting);
    expect(sent).toHaveLength(40);
    expect(mostPossiblyCounted(sent, limit.windowMs)).toBeLessThanOrEqual(limit.requests);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test('makes calls wait while Redis refuses writes, also from the start, and resumes them later', async () => {
    const admin = new Redis(redis.url);
    await admin.config('SET', 'maxmemory', '1');
    const failed = Promise.withResolvers<void>();
    const throttle = startInstance({ ...silentLogger, warn: () => failed.resolve() });
    const idle = startInstance();
    await expect(idle.check()).rejects.toThrow(/^OOM/);
    const waiting = simulateCalls(throttle).call();
    await failed.promise;
    await admin.config('SET', 'maxmemory', '0');
    await admin.quit();
    await waiting;
  });

  test('gives up a silent connection, and goes on through another', async () => {
    const proxy = await startTcpProxy(new URL(redis.url));
    const warn = vi.fn();
    const throttle = startInstance({ ...silentLogger, warn, info: vi.fn() }, LIMIT, proxy);
    const { call, sent } = simulateCalls(throttle);
    await call();
    await proxy.drop();
    await expect(throttle.check()).rejects.toThrow();
    await call();
    expect(sent).toHaveLength(2);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test('hears of freed slots again if the connection on which it listens is cut twice', async () => {
    const proxy = await startTcpProxy(new URL(redis.url));
    const { call } = simulateCalls(startInstance(silentLogger, LIMIT, proxy));
    await call();
    const cut = proxy.cutAt('subscribe');
    const admin = new Redis(redis.url);
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await admin.quit();
    await cut;
    const busy = Array.from({ length: LIMIT.requests }, () => call({ lane: 'interactive' }));
    // These wait until slots are free.
    await Promise.all([...busy, call(), call({ lane: 'interactive' })]);
  });

  test('waits and can be stopped if it has never reached Redis', async () => {
    await redis.stop();
    const throttle = startInstance();
    const waits = throttle.admit({ lane: 'bulk', timeoutMs: 1000 });
    const outcome = expect(waits).rejects.toMatchObject({ code: 'SERVICE_STOPPED' });
    await throttle.stop();
    await outcome;
    redis = await startRedis();
  });
});

describe('a Redis with a self-signed certificate', () => {
  beforeEach(async () => {
    await redis.stop();
    redis = await startRedis({ tls: true });
  });

  test('is not trusted', async () => {
    await expect(startInstance().check()).rejects.toThrow();
  });

  test('is trusted if the settings say so', async () => {
    const throttle = startInstance(silentLogger, LIMIT, { verifyCertificate: false });
    await expect(throttle.check()).resolves.toBeUndefined();
    const { call, sent } = simulateCalls(throttle);
    await call();
    expect(sent).toHaveLength(1);
  });
});

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FOLDER } from '../support/app-settings.ts';
import { NOTHING, type ShareWatch, watchShares } from '../support/watch-shares.ts';
import { LIMIT, type ScaleEnvironment, startScaleEnvironment } from './environment.ts';

/* Instances on one PostgreSQL and one Redis. */

const CHANNELS = ['general', 'design'];

/** The `Retry-After` of the service, in milliseconds. */
const WAIT_MS = 6_000;
/**
 * The longest that the other instance may go on sending before it learns of the 429, in
 * milliseconds.
 */
const UNDER_WAY_MS = 2_500;

/** With leases and answers of 3 s, a busy machine ends an upload that goes on, and begins another. */
const PATIENT = { worker: { concurrency: 32, leaseMs: 60_000 }, requestTimeoutMs: 60_000 };

const CONFIRMED = 'select channel from channels where confirmed_ts is not null';

let environment: ScaleEnvironment;
let watch: ShareWatch;
beforeEach(async () => {
  environment = await startScaleEnvironment();
  watch = watchShares(environment.slack, environment.service);
});
afterEach(() => environment.stop());

async function shareMany(count: number, deliver = true): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const name = `file-${watch.files()}.bin`;
    const channel = CHANNELS[index % CHANNELS.length] ?? '';
    const files = [{ name, bytes: randomBytes(2_000) }];
    await watch.share({ channel, user: 'ben', files, deliver });
  }
}

async function rows(text: string): Promise<unknown[]> {
  return (await environment.postgres.query(text, environment.databaseUrl)).rows;
}

/** Returns the used part of the limit between the first request and the last. */
function usedOfLimit() {
  const times = environment.service.requests.list().map((request) => request.at);
  const spanMs = Math.max(...times) - Math.min(...times);
  const fullWindows = Math.ceil(times.length / LIMIT.requests) - 1;
  const used = Math.round((100 * fullWindows * LIMIT.windowMs) / spanMs);
  return `${used}% of the limit used: ${times.length} requests in ${(spanMs / 1000).toFixed(1)} s`;
}

/** Returns the app's messages at the top level of the channels. */
async function reports(): Promise<unknown[]> {
  const messages = await Promise.all(CHANNELS.map((channel) => environment.slack.state(channel)));
  return messages.flat().filter(({ bot_id }) => bot_id !== undefined);
}

async function readinessOf(port: number): Promise<Record<string, unknown>> {
  const answer: unknown = await (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
  return { ...(answer as Record<string, unknown>) };
}

/** Returns how much is still to be filed or reported. */
async function openWork(): Promise<number> {
  const open = `select key from jobs where kind in ('message', 'upload', 'folder')`;
  return (await rows(open)).length;
}

function filed(): number {
  return environment.service.store.files(FOLDER).length;
}

describe.each([2, 4])('%i instances', { timeout: 120_000 }, (count) => {
  it('file 200 shares once each, with one line each, within the limit', async ({ signal }) => {
    await environment.startInstances(count, PATIENT);
    await shareMany(200);
    await watch.settled(signal);
    console.log(usedOfLimit());
    const { mostArrived } = environment.service.window.statistics();
    expect(mostArrived).toBeLessThanOrEqual(LIMIT.requests);
    expect(await watch.findings()).toEqual(NOTHING);
    const uploads = environment.service.requests
      .list()
      .filter(({ operation }) => operation === 'upload');
    expect(uploads).toHaveLength(200);
  });

  it('lose nothing and file nothing twice if one is killed in the middle', async ({ signal }) => {
    const [victim] = await environment.startInstances(count);
    await shareMany(60);
    await vi.waitUntil(() => filed() >= 10, { timeout: 20_000 });
    await victim?.kill();
    await shareMany(60);
    await watch.settled(signal);
    const { mostArrived } = environment.service.window.statistics();
    expect(mostArrived).toBeLessThanOrEqual(LIMIT.requests);
    expect(await watch.findings()).toEqual(NOTHING);
  });
});

describe('two instances', { timeout: 120_000 }, () => {
  it('lose nothing and file nothing twice if one freezes in the middle and wakes', async ({
    signal,
  }) => {
    const [victim] = await environment.startInstances(2);
    await shareMany(60);
    await vi.waitUntil(() => filed() >= 10, { timeout: 20_000 });
    victim?.freeze();
    await vi.waitUntil(() => filed() === 60, { timeout: 60_000 });
    victim?.wake();
    await shareMany(30);
    await watch.settled(signal);
    const { mostArrived } = environment.service.window.statistics();
    expect(mostArrived).toBeLessThanOrEqual(LIMIT.requests);
    expect(await watch.findings()).toEqual(NOTHING);
  });

  it('are both held back by a 429 that one of them gets', async ({ signal }) => {
    await environment.startInstances(2);
    await shareMany(10);
    await watch.settled(signal);
    environment.service.faults.next({ mode: '429', ms: WAIT_MS }, 1, 'upload');
    await shareMany(40);
    await watch.settled(signal);
    const requests = environment.service.requests.list();
    const refused = requests.filter(({ status }) => status === 429);
    const [{ at: refusedAt } = { at: 0 }] = refused;
    const meanwhile = requests.filter(
      ({ at }) => at > refusedAt + UNDER_WAY_MS && at < refusedAt + WAIT_MS,
    );
    expect(refused).toHaveLength(1);
    expect(meanwhile).toEqual([]);
    expect(await watch.findings()).toEqual(NOTHING);
  });

  it('file what was shared while PostgreSQL was away, as soon as it is back', async ({
    signal,
  }) => {
    await environment.startInstances(2);
    await vi.waitUntil(async () => (await rows(CONFIRMED)).length >= CHANNELS.length, {
      timeout: 20_000,
    });
    await environment.postgres.stop();
    const names = Array.from({ length: 46 }, (_, index) => `away-${index}.bin`);
    const lost = await Promise.all(
      names.map((name, index) => {
        const files = [{ name, bytes: randomBytes(900) }];
        return watch.share({ channel: CHANNELS[index % 2] ?? '', user: 'ben', files });
      }),
    );
    const taken = lost.flatMap(({ deliveries }) => deliveries.filter(({ failure }) => !failure));
    expect(taken).toEqual([]);
    await environment.postgres.restart();
    await watch.filed(signal);
    const { silent: _, chatty: __, ...files } = await watch.findings();
    expect(files).toEqual({ lost: [], twice: [], wrong: [] });
  });

  it('catch up with a channel one at a time: one report, each file once', async ({ signal }) => {
    const [before] = await environment.startInstances(1);
    await vi.waitUntil(async () => (await rows(CONFIRMED)).length >= CHANNELS.length, {
      timeout: 20_000,
    });
    await before?.stop();
    await shareMany(30, false);
    await environment.startInstances(2);
    await environment.slack.until(async () => (await reports()).length === CHANNELS.length, signal);
    await vi.waitUntil(async () => (await openWork()) === 0, { timeout: 40_000 });
    expect(await reports()).toHaveLength(CHANNELS.length);
    expect(await rows('select id from reports')).toHaveLength(CHANNELS.length);
    const { lost, twice, wrong } = await watch.findings();
    expect({ lost, twice, wrong }).toEqual({ lost: [], twice: [], wrong: [] });
  });

  it('are not ready while Redis or PostgreSQL is down, and ready again afterwards', async () => {
    const [instance] = await environment.startInstances(1);
    const readiness = () => readinessOf(instance?.port ?? 0);
    // Its first check of the service waits for a slot, which others may have just used.
    await vi.waitUntil(async () => (await readiness())['ok'] === true, { timeout: 20_000 });
    expect(await readiness()).toMatchObject({ redis: 'ok', database: 'ok' });
    await environment.postgres.stop();
    await vi.waitUntil(async () => (await readiness())['database'] !== 'ok', { timeout: 20_000 });
    await environment.postgres.restart();
    await vi.waitUntil(async () => (await readiness())['ok'] === true, { timeout: 20_000 });
    await environment.redis.stop();
    await vi.waitUntil(async () => (await readiness())['redis'] !== 'ok', { timeout: 20_000 });
  });
});

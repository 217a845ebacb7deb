import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppProcess } from '../support/app-process.ts';
import { FOLDER } from '../support/app-settings.ts';
import { NOTHING, type ShareWatch, watchShares } from '../support/watch-shares.ts';
import { LIMIT, type ScaleEnvironment, startScaleEnvironment } from './environment.ts';

/** How soon another instance sends after one was killed: 15 s at the real limit's window of 10 s. */
const TAKEN_OVER_MS = 5_000 + LIMIT.windowMs;
const FAR_MS = 30_000;

let environment: ScaleEnvironment;
let watch: ShareWatch;
beforeEach(async () => {
  environment = await startScaleEnvironment({ sharesLimit: false });
  watch = watchShares(environment.slack, environment.service);
});
afterEach(() => environment.stop());

async function shareMany(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const files = [{ name: `file-${watch.files()}.bin`, bytes: randomBytes(2_000) }];
    await watch.share({ channel: index % 2 ? 'general' : 'design', user: 'ben', files });
  }
}

async function maySend({ port }: AppProcess): Promise<boolean> {
  const figures = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return /^pigeonhole_may_send 1$/m.test(figures);
}

/** Starts two instances; resolves once the newer one sends. */
async function startTwo() {
  const [other] = await environment.startInstances(1);
  const [sender] = await environment.startInstances(1);
  if (!sender || !other) throw new Error('not started');
  await vi.waitUntil(() => maySend(sender), { timeout: FAR_MS });
  return { sender, other };
}

/** From now on, Slack reaches this instance only. */
function tellOnly({ port }: AppProcess): void {
  environment.loadBalancer.ports.splice(0, Number.POSITIVE_INFINITY, port);
}

const filed = () => environment.service.store.files(FOLDER).length;

async function expectAllFiled(signal: AbortSignal): Promise<void> {
  await watch.settled(signal);
  expect(environment.service.window.statistics().mostArrived).toBeLessThanOrEqual(LIMIT.requests);
  expect(await watch.findings()).toEqual(NOTHING);
}

describe('two instances on one PostgreSQL, without Redis', { timeout: 120_000 }, () => {
  it('file 60 files within the limit, whichever is told of them', async ({ signal }) => {
    const { sender, other } = await startTwo();
    await shareMany(40);
    tellOnly(other);
    await shareMany(20);
    await expectAllFiled(signal);
    expect(await maySend(sender)).toBe(true);
  });

  it('are both ready, and the one that does not send says that it cannot just now', async () => {
    const { other } = await startTwo();
    tellOnly(other);
    expect((await fetch(`http://127.0.0.1:${other.port}/readyz`)).status).toBe(200);
    const typed = await environment.slack.command({
      ...{ command: '/files', user: 'ada', channel: 'general' },
    });
    await environment.slack.until(() => typed.ephemerals.length > 0);
    expect(JSON.stringify(typed.ephemerals)).toMatch(/now\. Try again in a moment\./);
  });

  it('lose nothing if the one that sends is killed, and the other soon sends', async ({
    signal,
  }) => {
    const { sender, other } = await startTwo();
    await shareMany(60);
    await vi.waitUntil(() => filed() >= 10, { timeout: FAR_MS });
    await sender.kill();
    const killedAt = Date.now();
    await shareMany(20);
    const nextSent = () => environment.service.requests.list().find(({ at }) => at > killedAt);
    await vi.waitUntil(nextSent, { timeout: FAR_MS });
    expect((nextSent()?.at ?? 0) - killedAt).toBeLessThan(TAKEN_OVER_MS);
    expect(await maySend(other)).toBe(true);
    await expectAllFiled(signal);
  });

  it('stay within the limit if the one that sends freezes in the middle and wakes', async ({
    signal,
  }) => {
    const { sender } = await startTwo();
    await shareMany(60);
    await vi.waitUntil(() => filed() >= 10, { timeout: FAR_MS });
    sender.freeze();
    await vi.waitUntil(() => filed() >= 30, { timeout: FAR_MS });
    sender.wake();
    await shareMany(30);
    await expectAllFiled(signal);
  });

  it('stay within the limit when new ones start and old ones stop, again and again', async ({
    signal,
  }) => {
    let [running] = await environment.startInstances(1);
    for (let deploy = 1; deploy <= 3; deploy += 1) {
      await shareMany(40);
      await vi.waitUntil(() => filed() >= 25 * deploy, { timeout: FAR_MS });
      const [next] = await environment.startInstances(1);
      await running?.stop();
      running = next;
    }
    await expectAllFiled(signal);
  });
});

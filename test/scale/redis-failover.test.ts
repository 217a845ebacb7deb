import { rm } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../support/loopback.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import { startStack } from '../support/start-stack.ts';
import { startRedis } from './start-redis.ts';
import { startTcpProxy } from './tcp-proxy.ts';

const LIMIT = { requests: 25, windowMs: 2_000 };

/** Starts an app whose Redis is reached through a proxy. */
async function started() {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const proxy = await startTcpProxy(new URL(redis.url));
  const stack = await startStack({
    env: { REDIS_URL: proxy.url, FILES_RATE_LIMIT: '25/2s' },
    service: { rateLimit: LIMIT },
  });
  onTestFinished(() => stack.stop());
  const admin = new Redis(redis.url);
  onTestFinished(() => admin.disconnect());
  const share = (name: string) =>
    stack.slack.share({ channel: 'general', user: 'ben', files: [{ name, bytes: name }] });
  return { stack, admin, proxy, share };
}

it('an app whose Redis becomes a replica files through the new primary, without a restart', async () => {
  const { stack, admin, proxy, share } = await started();
  await settledShare(stack.slack, await share('before.txt'));
  const primary = await startRedis();
  onTestFinished(() => primary.stop());
  proxy.redirect(new URL(primary.url));
  // The new primary does not reach it either, so none of its messages arrive there.
  await admin.replicaof('127.0.0.1', await freePort());
  await settledShare(stack.slack, await share('after.txt'));
  expect(stack.service.window.statistics().refused).toBe(0);
});

/** Ways in which a Redis answers and takes no write, with what ends them. */
const REFUSALS: Record<string, [begin: (admin: Redis) => Promise<unknown>, end: string[]]> = {
  READONLY: [async (admin) => admin.replicaof('127.0.0.1', await freePort()), ['replicaof no one']],
  MASTERDOWN: [
    async (admin) => {
      await admin.config('SET', 'replica-serve-stale-data', 'no');
      await admin.replicaof('127.0.0.1', await freePort());
    },
    ['replicaof no one'],
  ],
  MISCONF: [
    async (admin) => {
      const [, folder] = (await admin.config('GET', 'dir')) as string[];
      await rm(`${folder}`, { recursive: true });
      await admin.config('SET', 'save', '3600 1');
      await admin.bgsave();
      await vi.waitUntil(async () => /bgsave_status:err/.test(await admin.info('persistence')));
    },
    ['config set stop-writes-on-bgsave-error no'],
  ],
  NOREPLICAS: [
    (admin) => admin.config('SET', 'min-replicas-to-write', '1'),
    ['config set min-replicas-to-write 0'],
  ],
  OOM: [(admin) => admin.config('SET', 'maxmemory', '1'), ['config set maxmemory 0']],
  BUSY: [
    async (admin) => {
      await admin.config('SET', 'busy-reply-threshold', '1');
      admin.eval('while true do end', 0).catch(() => undefined);
    },
    ['script kill'],
  ],
};

it.each(Object.entries(REFUSALS))(
  'while Redis answers %s, a probe names it and the thread has the reason; filing goes on after it',
  async (_word, [begin, end]) => {
    const { stack, admin, share } = await started();
    await settledShare(stack.slack, await share('before.txt'));
    const other = admin.duplicate();
    onTestFinished(() => other.disconnect());
    await other.ping();
    await begin(admin);
    const probe = async () =>
      (await (await fetch(`http://127.0.0.1:${stack.port}/readyz`)).json()) as object;
    await expect.poll(probe, { timeout: 20_000 }).toEqual({
      ...{ ok: false, redis: 'does not work' },
      ...{ database: 'ok', slack: 'ok', service: 'ok' },
    });
    const posted = await share('meanwhile.txt');
    await lineOf(
      stack.slack,
      posted,
      /^Waiting: meanwhile\.txt\. Nothing can be sent to the file service now\./,
    );
    for (const command of end) {
      const [name = '', ...words] = command.split(' ');
      await other.call(name, ...words);
    }
    await settledShare(stack.slack, posted);
    await expect.poll(probe, { timeout: 20_000 }).toMatchObject({ ok: true, redis: 'ok' });
  },
);

it('while Redis hangs, a probe has its answer and names it', async () => {
  const { stack, proxy, share } = await started();
  await settledShare(stack.slack, await share('before.txt'));
  const probe = () => fetch(`http://127.0.0.1:${stack.port}/readyz`);
  const dropped = proxy.drop();
  const begun = performance.now();
  const answer = await probe();
  // Far less than Redis is given to answer, however slow the machine is.
  expect(performance.now() - begun).toBeLessThan(8_000);
  expect(await answer.json()).toMatchObject({ ok: false, redis: 'does not work', database: 'ok' });
  await dropped;
});

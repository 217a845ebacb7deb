import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/loopback.ts';
import { settledShare } from '../support/slack-channel.ts';
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

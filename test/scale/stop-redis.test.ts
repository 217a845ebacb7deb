import { expect, it, onTestFinished } from 'vitest';
import { createListLogger } from '../support/list-logger.ts';
import { settledShare } from '../support/slack-channel.ts';
import { startStack } from '../support/start-stack.ts';
import { startRedis } from './start-redis.ts';

/** Longer than a close that waits for nothing may take, in milliseconds. */
const WINDOW_MS = 3_000;

it('an app stopped while its calls are still in the window closes everything that it opened', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const { logger, lines } = createListLogger();
  const stack = await startStack({
    env: { REDIS_URL: redis.url, FILES_RATE_LIMIT: `25/${WINDOW_MS / 1_000}s` },
    service: { rateLimit: { requests: 25, windowMs: WINDOW_MS } },
    appOptions: { logger },
  });
  onTestFinished(() => stack.stop());
  const files = [{ name: 'plan.txt', bytes: 'plan' }];
  const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
  await settledShare(stack.slack, posted);
  await stack.stopApp();
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});

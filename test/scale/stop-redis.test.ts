import { expect, it, onTestFinished } from 'vitest';
import { createListLogger } from '../support/list-logger.ts';
import { startRedis } from '../support/start-redis.ts';
import { settledShare, startStack } from '../support/start-stack.ts';

/** Longer than what is not waited for may take to close. */
const WINDOW_MS = 3_000;

it('an app whose calls are within the window closes all that it opened', async () => {
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

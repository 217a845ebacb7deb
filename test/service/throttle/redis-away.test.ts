import { expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/index.ts';
import { createThrottle } from '../../../src/service/throttle/throttle.ts';
import { createListLogger } from '../../support/list-logger.ts';
import { freePort } from '../../support/loopback.ts';

test('a Redis that cannot be reached is logged once, with what to check and without its password', async () => {
  const { logger, lines } = createListLogger();
  const throttle = createThrottle({
    account: 'https://example.test',
    limit: { requests: 25, windowMs: 1_000 },
    redis: { url: `redis://:hunter2@127.0.0.1:${await freePort()}` },
    clock: systemClock,
    logger,
  });
  onTestFinished(() => throttle.stop());
  throttle
    .admit({ lane: 'interactive', timeoutMs: 1_000 })
    .catch((error: unknown) => expect(error).toMatchObject({ code: 'SERVICE_STOPPED' }));
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(lines).toEqual([
    {
      level: 'warn',
      fields: { problem: expect.stringContaining('ECONNREFUSED') },
      text: expect.stringMatching(/check REDIS_URL/),
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain('hunter2');
});

test('a stop leaves no timer, which would keep the process alive', async () => {
  let asleep = 0;
  const sleep: Clock['sleep'] = async (ms, signal) => {
    asleep += 1;
    await systemClock.sleep(ms, signal).finally(() => {
      asleep -= 1;
    });
  };
  const throttle = createThrottle({
    account: 'https://example.test',
    limit: { requests: 25, windowMs: 1_000 },
    redis: { url: `redis://127.0.0.1:${await freePort()}` },
    clock: { ...systemClock, sleep },
    logger: createListLogger().logger,
  });
  await throttle.stop();
  expect(asleep).toBe(0);
});

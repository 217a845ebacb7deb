import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFastClock } from '../support/fast-clock.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { lineOf, threadOf } from '../support/thread-of.ts';

let stack: Stack;
beforeEach(async () => {
  stack = await startStack();
});
afterEach(() => stack.stop());

function share(count: number) {
  const files = Array.from({ length: count }, (_, index) => ({ name: `${index}.txt`, bytes: 'x' }));
  return stack.slack.share({ channel: 'general', user: 'ben', files });
}

it('is given within two seconds, however many files wait before', async () => {
  await stack.stop();
  const clock = createFakeClock(Date.now());
  stack = await startStack({ service: { clock }, appOptions: { clock, graceMs: 0 } });
  stack.service.faults.set({ mode: 'slow', ms: 20_000 });
  await share(100);
  const { ts } = await share(1);
  await clock.advance(2_000);
  await stack.slack.until(async () => {
    const messages = await stack.slack.state('general');
    return messages.find((one) => one.ts === ts)?.reactions?.length;
  });
});

it('of a new process is a line that says where its file is now', async () => {
  await stack.stop();
  const clock = createFastClock(2);
  stack = await startStack({
    service: { clock, rateLimit: { requests: 5, windowMs: 10_000 } },
    env: { FILES_RATE_LIMIT: '5/10s' },
    appOptions: { clock },
  });
  await share(8);
  const last = await share(1);
  const before = await lineOf(stack.slack, last, /in line/, AbortSignal.timeout(20_000));
  const uploads = () => stack.service.requests.list().length;
  const made = uploads();
  await stack.slack.until(() => uploads() > made);
  await stack.stopApp();
  const startedAt = clock.now();
  await stack.startApp();
  await stack.slack.until(async () => {
    const [line] = await threadOf(stack.slack, last);
    return line?.text !== before.text;
  });
  expect(clock.now() - startedAt).toBeLessThan(5_000);
});

import { expect, it, onTestFinished } from 'vitest';
import { createMovableClock } from '../support/fake-clock.ts';
import { asksWhere } from '../support/person.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import { startStack } from '../support/start-stack.ts';

const WINDOW_MS = 3_000;

it('a start sends nothing to the service until one window after the previous process', async () => {
  const stack = await startStack({ env: { FILES_RATE_LIMIT: `25/${WINDOW_MS / 1_000}s` } });
  onTestFinished(() => stack.stop());
  const share = async (name: string) => {
    const request = { channel: 'general', user: 'ben', files: [{ name, bytes: name }] };
    await settledShare(stack.slack, await stack.slack.share(request));
  };
  await share('before.txt');
  await stack.stopApp();
  const before = stack.service.requests.list();
  await stack.startApp();
  await share('after.txt');
  const after = stack.service.requests.list().slice(before.length);
  const quietMs = (after[0]?.at ?? 0) - (before.at(-1)?.at ?? 0);
  expect(quietMs).toBeGreaterThanOrEqual(WINDOW_MS);
});

it('a file that waits for that window waits, and its line does not call the service busy', async () => {
  const clock = createMovableClock();
  const env = { FILES_RATE_LIMIT: '25/20s' };
  const stack = await startStack({ env, appOptions: { clock } });
  onTestFinished(() => stack.stop());
  await stack.restart();
  const { slack } = stack;
  const files = [{ name: 'after.txt', bytes: 'after' }];
  const posted = await slack.share({ channel: 'general', user: 'ben', files });
  const waits = /^(text: )?Waiting: after\.txt(\n|$)/;
  expect(await asksWhere(slack, 'ben', posted)).toMatch(waits);
  clock.skip(5_000);
  expect((await lineOf(slack, posted, /after/)).text).toMatch(waits);
  clock.skip(20_000);
  await settledShare(slack, posted);
});

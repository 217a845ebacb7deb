import { afterAll, beforeAll, expect, it } from 'vitest';
import { QUOTES } from '../support/app-settings.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { lineOf, linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ appOptions: { clock: createFastClock(20) } });
});
afterAll(() => stack.stop());

const uploads = () =>
  stack.service.requests.list().filter(({ operation }) => operation === 'upload');
/** Returns the direct messages sent, each with its recipient. */
const notices = () =>
  stack.slack.calls
    .filter(
      ({ method, args }) => method === 'chat.postMessage' && /^U/.test(String(args['channel'])),
    )
    .map(({ args }) => `${args['channel']}: ${args['text']}`);

it('with a refused key, files wait, one member is notified once, and filing resumes by itself', async () => {
  await linkChannel(stack, 'design', QUOTES);
  stack.service.faults.set({ mode: '401' });
  const share = (name: string) =>
    stack.slack.share({ channel: 'design', user: 'ben', files: [{ name, bytes: 'hello' }] });
  const first = await share('first.txt');
  await lineOf(stack.slack, first, /^Waiting: first\.txt\. .*can’t sign in to the file service/);
  await stack.slack.until(() => notices()[0]);
  const second = await share('second.txt');
  await lineOf(stack.slack, second, /^Waiting: second\.txt\. .*can’t sign in to the file service/);
  expect(uploads()).toHaveLength(1);
  stack.service.faults.clear();
  for (const posted of [first, second]) await settledShare(stack.slack, posted);
  const names = stack.service.store.files(QUOTES).map(({ name }) => name);
  expect(names.toSorted()).toEqual(['first.txt', 'second.txt']);
  const ada = stack.slack.ids.users['ada'];
  expect(notices()).toEqual([
    expect.stringContaining(`${ada}: Pigeonhole can’t sign in to the file service any more`),
  ]);
});

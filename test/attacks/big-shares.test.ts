import { expect, it, onTestFinished } from 'vitest';
import { lineOf } from '../support/slack-channel.ts';
import { deliverFiles } from '../support/slack-requests.ts';
import { startStack } from '../support/start-stack.ts';

const FILES = 3_000;

it('the app records a message of 3,000 files before it acknowledges it, and reports on it', async () => {
  const stack = await startStack();
  onTestFinished(() => stack.stop());
  const { ts } = await stack.slack.say({ channel: 'general', user: 'ben', text: 'All of it' });
  const files = Array.from({ length: FILES }, (_, n) => ({ id: `F0BIG${n}`, name: `${n}.txt` }));
  expect((await deliverFiles(stack, { ts, files })).status).toBe(200);
  const figures = await (await fetch(`http://127.0.0.1:${stack.port}/metrics`)).text();
  expect(figures).toMatch(/^pigeonhole_transfers_waiting 3000$/m);
  await lineOf(stack.slack, { channel: 'general', ts }, /Waiting for Slack: 0\.txt, .* more/);
});

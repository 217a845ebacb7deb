import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFastClock } from '../support/fake-clock.ts';
import { settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ appOptions: { clock: createFastClock(4) } });
});
afterAll(() => stack.stop());

it('the line of a large file shows its progress while it is sent, and ends as filed', async () => {
  const { slack } = stack;
  const bytes = Buffer.alloc(6 * 1024 * 1024, 7);
  const posted = await slack.share({
    channel: 'general',
    user: 'ben',
    files: [
      {
        name: 'video.mp4',
        bytes,
        mimetype: 'video/mp4',
        variant: { download: { answer: 'stalled', after: 3 * 1024 * 1024, times: 1 } },
      },
    ],
  });
  const line = await slack.until(async () => {
    const message = (await slack.state('general')).find((one) => one.ts === posted.ts);
    return message?.replies.find((reply) => reply.text?.includes('Sending'));
  });
  expect(line.text).toMatch(/video\.mp4.*\d+ ?%/);
  await stack.restart();
  const message = await settledShare(slack, posted);
  await slack.until(async () =>
    (await slack.state('general'))
      .find((one) => one.ts === posted.ts)
      ?.replies[0]?.text?.includes('Filed'),
  );
  expect(message.replies).toHaveLength(1);
});

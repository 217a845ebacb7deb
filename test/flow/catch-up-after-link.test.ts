import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { settledShare } from '../support/slack-channel.ts';
import { type Stack, sha256, startStack } from '../support/start-stack.ts';

const FOLDER = 67811591;
let stack: Stack;
beforeAll(async () => {
  // The machine's clock was set back while the process ran: our own time does not follow.
  const clock = { ...systemClock, now: () => systemClock.now() + 40_000 };
  stack = await startStack({ env: WITHOUT_DEFAULT, appOptions: { clock } });
});
afterAll(() => stack.stop());

it('catch-up files what was shared while the app was away, however soon after the link', async () => {
  const { slack, service } = stack;
  const link = {
    command: '/files',
    text: `link 23423234/${FOLDER}`,
    user: 'ada',
    channel: 'design',
  };
  await slack.command(link);
  await slack.until(async () =>
    (await slack.state('design')).some((message) => message.text?.includes('linked this channel')),
  );
  await stack.stopApp();
  const bytes = randomBytes(2_000);
  const files = [{ name: 'away.bin', bytes }];
  const posted = await slack.share({ channel: 'design', user: 'ben', files, deliver: false });
  await stack.startApp();
  await settledShare(slack, posted);
  expect(service.store.files(FOLDER).filter((file) => file.name === 'away.bin')).toMatchObject([
    { sha256: sha256(bytes) },
  ]);
});

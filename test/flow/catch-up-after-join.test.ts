import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Posted } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER, QUOTES } from '../support/app-settings.ts';
import { aroundLedger, type LedgerCall } from '../support/around-ledger.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

/** Lets the list of channels be read, but no history. */
const STANDSTILL = { historyEveryMs: 10 ** 9 };
/** Long after the share that was made while the app was away. */
const clock = createFastClock(1, 10 * 60_000);

let stack: Stack;
let missed: Posted;

/** Restarts the app, which has not yet read the channel where a file was shared meanwhile. */
beforeEach(async () => {
  const { promise: caughtUp, resolve } = Promise.withResolvers<void>();
  const after = ({ method }: LedgerCall) => {
    if (method === 'requestCatchUp') resolve();
  };
  stack = await startStack({
    appOptions: { historyEveryMs: 0, aroundLedger: (ledger) => aroundLedger(ledger, { after }) },
  });
  await caughtUp;
  await stack.stopApp();
  const files = [{ name: 'away.bin', bytes: 'away' }];
  missed = await stack.slack.share({ channel: 'general', user: 'ben', files, deliver: false });
  await stack.startApp({ ...STANDSTILL, clock });
});
afterEach(() => stack.stop());

it('catch-up files what was shared after the bot joined, when Slack reports the join late', async () => {
  const { slack, service } = stack;
  const joined = { type: 'member_joined_channel', user: slack.ids.bot, channel: missed.channel };
  const event_ts = (Number(missed.ts) - 1).toFixed(6);
  expect(await slack.sendEvent({ ...joined, channel_type: 'C', event_ts })).toMatchObject([
    { status: 200 },
  ]);
  await stack.restart({ clock });
  await settledShare(slack, missed);
  expect(service.store.files(FOLDER).map(({ name }) => name)).toEqual(['away.bin']);
});

it('catch-up files what was shared before the channel was linked to another folder', async () => {
  const { slack, service } = stack;
  await linkChannel(stack, 'general', QUOTES);
  await stack.restart({ clock });
  await settledShare(slack, missed);
  expect(service.store.files(QUOTES).map(({ name }) => name)).toEqual(['away.bin']);
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Posted } from '../../src/playground/embedded-slack/index.ts';
import { missingScopes } from '../../src/surfaces/notices/operator-notices.ts';
import { FOLDER } from '../support/app-settings.ts';
import { createMovableClock, type MovableClock } from '../support/fake-clock.ts';
import { createListLogger } from '../support/list-logger.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const HOUR_MS = 60 * 60_000;
/** Longer than any wait of a file that waits for the token. */
const NEXT_TRY_MS = 10 * 60_000;
const NAMES = Array.from({ length: 10 }, (_, nth) => `plan-${nth}.txt`);

let stack: Stack;
let clock: MovableClock;
let log: ReturnType<typeof createListLogger>;
beforeEach(async () => {
  clock = createMovableClock();
  log = createListLogger();
  const scopes = Object.keys(missingScopes([]));
  stack = await startStack({
    slack: { scopes },
    operator: 'ada',
    appOptions: { clock, logger: log.logger },
  });
});
afterEach(() => stack.stop());

const shareTen = () =>
  stack.slack.share({
    channel: 'general',
    user: 'ben',
    files: NAMES.map((name) => ({ name, bytes: name })),
  });
const notices = () =>
  stack.slack.calls
    .filter(({ method, args, ok }) => {
      return (
        method === 'chat.postMessage' && args['channel'] === stack.slack.ids.users['ada'] && ok
      );
    })
    .map(({ args }) => String(args['text']))
    // Of the first start.
    .filter((text) => !text.includes('a new, empty ledger'));
const REFUSED = expect.stringMatching(/doesn’t let Pigeonhole read .* so they wait.*reinstall/s);
const MENDED = expect.stringMatching(/has the permissions in Slack that it lacked/);

/** Lets so much time pass so often, each time until Slack has refused the token again. */
async function refusedAgain(times: number, ms: number): Promise<void> {
  const { slack } = stack;
  for (let count = 0; count < times; count += 1) {
    const asked = slack.calls.length;
    clock.skip(ms);
    const isRefused = () =>
      slack.calls.slice(asked).some(({ method, ok }) => method === 'files.info' && !ok);
    await slack.until(isRefused);
  }
}

/** Has ten files shared that the token may not read; waits until the operator is told. */
async function shareRefused(): Promise<Posted> {
  const { slack } = stack;
  slack.refuseToken('missing_scope');
  const posted = await shareTen();
  // Of files shared just now, Slack is not believed.
  await slack.until(() => {
    clock.skip(10_000);
    return notices()[0];
  });
  return posted;
}

async function expectAllFiled(posted: Posted): Promise<void> {
  await settledShare(stack.slack, posted);
  const names = stack.service.store.files(FOLDER).map(({ name }) => name);
  expect(names.toSorted()).toEqual(NAMES);
}

describe('while Slack’s token may not read files', () => {
  it('files wait however long, one person is told once, and all are filed once it may again', async () => {
    const { slack } = stack;
    const posted = await shareRefused();
    const why = /^Waiting: plan-0\.txt.*Slack doesn’t let me read files/;
    await lineOf(slack, posted, why);
    await refusedAgain(5, 24 * HOUR_MS);
    slack.refuseToken(null);
    clock.skip(NEXT_TRY_MS);
    await expectAllFiled(posted);
    await slack.until(() => notices()[1]);
    expect(notices()).toEqual([REFUSED, MENDED]);
  });

  it('a new file waits with the others, and all are filed once it may again', async () => {
    const { slack } = stack;
    const posted = await shareRefused();
    await refusedAgain(6, HOUR_MS);
    const late = await slack.share({
      channel: 'design',
      user: 'ben',
      files: [{ name: 'new.txt', bytes: 'new' }],
    });
    await lineOf(slack, late, /^Waiting: new\.txt.*Slack doesn’t let me read files/);
    slack.refuseToken(null);
    clock.skip(NEXT_TRY_MS);
    for (const each of [posted, late]) await settledShare(slack, each);
    expect(stack.service.store.files(FOLDER)).toHaveLength(NAMES.length + 1);
  });

  it('a restart tells nobody again, and the one after the mend files all and says so', async () => {
    const { slack } = stack;
    const posted = await shareRefused();
    await stack.restart();
    const asked = slack.calls.length;
    await slack.until(() =>
      slack.calls.slice(asked).some(({ error }) => error === 'missing_scope'),
    );
    clock.skip(HOUR_MS);
    await stack.stopApp();
    slack.refuseToken(null);
    await stack.startApp();
    await expectAllFiled(posted);
    await slack.until(() => notices()[1]);
    expect(notices()).toEqual([REFUSED, MENDED]);
  });

  it('a revoked token lets nobody be told, so that the end is told alone', async () => {
    const { slack } = stack;
    slack.refuseToken('token_revoked');
    const posted = await shareTen();
    await slack.until(() => {
      clock.skip(10_000);
      return log.lines.some(({ text }) => text.startsWith('Files wait: ')) || null;
    });
    await stack.stopApp();
    clock.skip(HOUR_MS);
    slack.refuseToken(null);
    await stack.startApp();
    await expectAllFiled(posted);
    await slack.until(() => notices()[0]);
    expect(notices()).toEqual([MENDED]);
  });
});

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Ephemeral, Posted } from '../../src/playground/embedded-slack/index.ts';
import { FLOOR_PLANS, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { type Person, person, placeOfButton, screen, unlink } from '../support/person.ts';
import { announced, lineOf, linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
let ada: Person;
beforeEach(async () => {
  stack = await startStack({ env: WITHOUT_DEFAULT });
  ada = person(stack.slack, 'ada');
  await linkChannel(stack, 'general', FLOOR_PLANS);
});
afterEach(() => stack.stop());

/** Shares a file during an outage, and waits until its line says so. */
async function shareInVain(name: string) {
  stack.service.faults.set({ mode: 'outage' });
  const files = [{ name, bytes: name }];
  const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
  await lineOf(stack.slack, posted, /can.t be reached/);
  return posted;
}

/** Links to another folder, and returns the question about waiting files. */
async function relink(): Promise<Ephemeral> {
  stack.service.faults.set({ mode: '500' }, { only: 'upload' });
  await linkChannel(stack, 'general', QUOTES);
  return question();
}

const question = () =>
  stack.slack.until(() =>
    stack.slack.ephemerals('ada', 'general').find(({ text }) => text.includes('still on the way')),
  );

const unlinked = () => announced(stack, 'general', () => unlink(stack.slack, 'ada', 'general'));

const filed = (folder: number) => stack.service.store.files(folder).map(({ name }) => name);

it('a relink files waiting files in the new folder when somebody chooses so', async () => {
  const posted = await shareInVain('plan.txt');
  const asked = await relink();
  expect(screen(asked)).toContain(
    '1 file shared before is still on the way to *Office move › Floor plans*. Where should it go?',
  );
  expect(screen(await ada.presses(asked, 'To Office move › Quotes'))).toContain(
    '1 file goes to *Office move › Quotes*.',
  );
  stack.service.faults.clear();
  await pressTryNow(posted);
  await settledShare(stack.slack, posted);
  expect([filed(FLOOR_PLANS), filed(QUOTES)]).toEqual([[], ['plan.txt']]);
});

it('a relink files waiting files in the old folder when somebody chooses that', async () => {
  const posted = await shareInVain('plan.txt');
  const asked = await relink();
  expect(screen(await ada.presses(asked, 'To Office move › Floor plans'))).toContain(
    '1 file goes to *Office move › Floor plans*.',
  );
  stack.service.faults.clear();
  await pressTryNow(posted);
  await settledShare(stack.slack, posted);
  expect([filed(FLOOR_PLANS), filed(QUOTES)]).toEqual([['plan.txt'], []]);
});

it.each(['To Office move › Quotes', 'Leave in Slack'])(
  'an old question moves no files after the channel got its earlier folder back: %s',
  async (choice) => {
    const posted = await shareInVain('plan.txt');
    const asked = await relink();
    await linkChannel(stack, 'general', FLOOR_PLANS);
    expect(screen(await ada.presses(asked, choice))).toContain(
      '1 file goes to *Office move › Floor plans*.',
    );
    stack.service.faults.clear();
    await pressTryNow(posted);
    await settledShare(stack.slack, posted);
    expect([filed(FLOOR_PLANS), filed(QUOTES)]).toEqual([['plan.txt'], []]);
  },
);

it('an unlink leaves waiting files in Slack when somebody chooses that', async () => {
  const posted = await shareInVain('plan.txt');
  await unlinked();
  const asked = await question();
  expect(screen(asked)).not.toContain('To Office move › Quotes');
  expect(screen(await ada.presses(asked, 'Leave in Slack'))).toContain('Left 1 file in Slack.');
  stack.service.faults.clear();
  await lineOf(stack.slack, posted, /^Left in Slack: /);
  expect(filed(FLOOR_PLANS)).toEqual([]);
});

it('a relink retries in the new folder what the old one refused for an unknown reason', async () => {
  const real = await startStack({ env: WITHOUT_DEFAULT, service: { profile: 'real' } });
  await linkChannel(real, 'general', FLOOR_PLANS);
  real.service.faults.set({ mode: '404' }, { only: 'create' });
  const files = [{ name: 'plan.txt', bytes: 'plan' }];
  const posted = await real.slack.share({ channel: 'general', user: 'ben', files });
  await lineOf(real.slack, posted, /^Couldn’t be filed/);
  real.service.faults.clear();
  await linkChannel(real, 'general', QUOTES);
  await settledShare(real.slack, posted);
  expect(real.service.store.files(QUOTES).map(({ name }) => name)).toEqual(['plan.txt']);
  await real.stop();
});

async function pressTryNow(posted: Posted): Promise<void> {
  const line = await lineOf(stack.slack, posted, /./);
  const message = { channel: 'general', ts: line.ts };
  await stack.slack.press({ message, user: 'ben', ...placeOfButton(line, 'Try again') });
}

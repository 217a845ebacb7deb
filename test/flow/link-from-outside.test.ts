import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ShownMessage } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { FLOOR_PLANS, PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createFastClock, LATER_MS } from '../support/fake-clock.ts';
import { placeOfButton, screen, unlink } from '../support/person.ts';
import { announced, lineOf, linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeEach(async () => {
  stack = await startStack({
    env: WITHOUT_DEFAULT,
    appOptions: { historyEveryMs: 0, clock: createFastClock(4, LATER_MS) },
  });
});
afterEach(() => stack.stop());

/** Resolves when Ada has a form open, and not the outcome of an earlier one. */
const formOpened = () =>
  stack.slack.until(() => stack.slack.views('ada').some(({ private_metadata: form }) => form));

/** Opens the form, makes Ada leave the channel, and submits the link. */
async function linkFromOutside(channel: string, folder: number): Promise<void> {
  const { slack } = stack;
  await slack.command({ command: '/files', text: 'link', user: 'ada', channel });
  await formOpened();
  await slack.as('ada', 'conversations.leave', { channel: slack.ids.channels[channel] });
  const values = { [FOLDER_FIELD]: `${PROJECT}/${folder}` };
  await announced(stack, channel, () => slack.submitView({ user: 'ada', values }));
}

/** Returns the channel of Ada's direct messages with Pigeonhole. */
async function directMessages(): Promise<string> {
  const { slack } = stack;
  const opened = await slack.as('ada', 'conversations.open', { users: slack.ids.bot });
  return (opened['channel'] as { id: string }).id;
}

async function said(words: string): Promise<ShownMessage> {
  const channel = await directMessages();
  return stack.slack.until(async () =>
    (await stack.slack.state(channel)).find(({ text }) => text?.includes(words)),
  );
}

async function press(message: ShownMessage, label: string | RegExp): Promise<void> {
  const place = { channel: await directMessages(), ts: message.ts };
  await stack.slack.press({ message: place, user: 'ada', ...placeOfButton(message, label) });
}

const filed = (folder: number) => stack.service.store.files(folder).map(({ name }) => name);
const mention = (channel: string) => `#${stack.slack.ids.channels[channel]}`;

it('an admin who left the channel gets the offer of its earlier files as a direct message', async () => {
  const files = [{ name: 'one.txt', bytes: 'one' }];
  await stack.slack.share({ channel: 'design', user: 'ben', files, deliver: false });
  await linkFromOutside('design', QUOTES);
  const offer = await said('File it too?');
  expect(screen(offer)).toContain(`1 file was shared in ${mention('design')} before.`);
  await press(offer, 'File it');
  expect(screen(await said('I’ll post progress in'))).toContain(`in ${mention('design')}.`);
  await stack.slack.until(() => filed(QUOTES).includes('one.txt'));
});

it('an admin who left is asked directly about held-back files, and then about earlier ones', async () => {
  const { slack } = stack;
  const channel = slack.ids.channels['design'];
  const share = (name: string, deliver: boolean) => {
    const files = [{ name, bytes: name }];
    return slack.share({ channel: 'design', user: 'ben', files, deliver });
  };
  await share('old.txt', false);
  await share('held.txt', true);
  await slack.until(() => slack.ephemerals('ben', 'design').length > 0);
  await linkFromOutside('design', QUOTES);
  const offer = await said('in Slack only');
  expect(screen(offer)).toContain(`1 file shared in ${mention('design')} is in Slack only.`);
  await slack.until(() => slack.views('ada').length === 0);
  await slack.as('ada', 'conversations.join', { channel });
  await press(offer, 'File it');
  await said('1 file is on its way now.');
  const next = await said('before. File it too?');
  expect(screen(next)).toContain(`1 file was shared in ${mention('design')} before.`);
  await press(next, 'File it');
  await slack.until(() => filed(QUOTES).length === 2);
  expect(filed(QUOTES)).toEqual(['held.txt', 'old.txt']);
});

it('an admin who left is asked again when the channel has another folder, and can file there', async () => {
  const { slack } = stack;
  const files = [{ name: 'held.txt', bytes: 'held' }];
  await slack.share({ channel: 'design', user: 'ben', files });
  await slack.until(() => slack.ephemerals('ben', 'design').length > 0);
  await linkFromOutside('design', QUOTES);
  const offer = await said('in Slack only');
  slack.setUser('ben', { is_admin: true });
  const text = `link ${PROJECT}/${FLOOR_PLANS}`;
  await announced(stack, 'design', () =>
    slack.command({ command: '/files', text, user: 'ben', channel: 'design' }),
  );
  await press(offer, 'File it');
  await press(await said('now go to'), 'Link that channel');
  await formOpened();
  const values = { [FOLDER_FIELD]: `${PROJECT}/${FLOOR_PLANS}` };
  await slack.submitView({ user: 'ada', values });
  await press(await said('in Slack only'), 'File it');
  await slack.until(() => filed(FLOOR_PLANS).length > 0);
  expect([filed(QUOTES), filed(FLOOR_PLANS)]).toEqual([[], ['held.txt']]);
});

it('an offer in direct messages links its own channel when that was relinked or unlinked', async () => {
  const { slack } = stack;
  const files = [{ name: 'one.txt', bytes: 'one' }];
  await slack.share({ channel: 'design', user: 'ben', files, deliver: false });
  await linkFromOutside('design', QUOTES);
  const offer = await said('File it too?');
  slack.setUser('ben', { is_admin: true });
  const byBen = (text: string) => () =>
    slack.command({ command: '/files', text, user: 'ben', channel: 'design' });
  await announced(stack, 'design', byBen(`link ${PROJECT}/${FLOOR_PLANS}`));
  await press(offer, 'File it');
  const linked = await said('now go to');
  expect(screen(linked)).toContain(`Files shared in ${mention('design')} now go to`);
  await announced(stack, 'design', () => unlink(slack, 'ben', 'design'));
  const again = { channel: await directMessages(), ts: linked.ts };
  await slack.press({ message: again, user: 'ada', ...placeOfButton(linked, 'Link that channel') });
  await formOpened();
  const values = { [FOLDER_FIELD]: `${PROJECT}/${QUOTES}` };
  await announced(stack, 'design', () => slack.submitView({ user: 'ada', values }));
  await press(await said('File it too?'), 'File it');
  await stack.slack.until(() => filed(QUOTES).includes('one.txt'));
});

it('an admin who left is told directly what is wrong with a form that was closed early', async () => {
  const { slack, service } = stack;
  await slack.command({ command: '/files', text: 'link', user: 'ada', channel: 'design' });
  await formOpened();
  await slack.as('ada', 'conversations.leave', { channel: slack.ids.channels['design'] });
  service.faults.next({ mode: 'slow', ms: 700 }, 1, 'folders');
  await slack.submitView({ user: 'ada', values: { [FOLDER_FIELD]: `${PROJECT}/997` } });
  slack.closeView({ user: 'ada' });
  expect(screen(await said('There’s no folder'))).toContain(`${mention('design')}: There’s no`);
});

it('an admin who left is asked directly about waiting files, and the choice takes effect', async () => {
  await linkChannel(stack, 'design', FLOOR_PLANS);
  stack.service.faults.set({ mode: '500' }, { only: 'upload' });
  const files = [{ name: 'plan.txt', bytes: 'plan' }];
  const posted = await stack.slack.share({ channel: 'design', user: 'ben', files });
  await lineOf(stack.slack, posted, /the file service is down/i);
  await linkFromOutside('design', QUOTES);
  const question = await said('still on the way');
  expect(screen(question)).toContain(`1 file shared in ${mention('design')} before is still on`);
  await press(question, /^To .*Quotes$/);
  const done = await said('1 file goes to');
  // The project's name is shown only if the account returns it in time.
  expect(screen(done)).toMatch(/1 file goes to (Office move › )?Quotes\./);
  stack.service.faults.clear();
  const line = await lineOf(stack.slack, posted, /./);
  const message = { channel: 'design', ts: line.ts };
  await stack.slack.press({ message, user: 'ben', ...placeOfButton(line, 'Try again') });
  await settledShare(stack.slack, posted);
  expect([filed(FLOOR_PLANS), filed(QUOTES)]).toEqual([[], ['plan.txt']]);
});

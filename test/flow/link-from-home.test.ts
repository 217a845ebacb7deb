import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { HOME_CHANNEL } from '../../src/surfaces/status/actions.ts';
import { FLOOR_PLANS, PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createFastClock, LATER_MS } from '../support/fake-clock.ts';
import { screen } from '../support/person.ts';
import { announced, linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  const clock = createFastClock(4, LATER_MS);
  stack = await startStack({ env: WITHOUT_DEFAULT, appOptions: { clock } });
});
afterAll(() => stack.stop());
beforeEach(async () => {
  await stack.slack.openHome('ada');
  await homeShows('choose it here');
});
afterEach(() => {
  stack.service.faults.clear();
  stack.slack.clearFaults();
  stack.slack.setUser('ada', { is_admin: true, is_owner: true });
  stack.slack.closeView({ user: 'ada', all: true });
});

const idOf = (channel: string) => stack.slack.ids.channels[channel] ?? '';
const home = () => screen({ text: '', blocks: stack.slack.home('ada')?.blocks });
const homeShows = (words: string) => stack.slack.until(() => home().includes(words));
const form = () => {
  const view = stack.slack.views('ada').at(-1);
  return view && screen({ text: '', blocks: view.blocks });
};
const formShows = (words: string) => stack.slack.until(() => form()?.includes(words));
const picker = () => {
  const blocks = stack.slack.home('ada')?.blocks ?? [];
  return blocks.find((block) => JSON.stringify(block).includes(HOME_CHANNEL.id))?.['block_id'];
};

const choose = (channel: string) => {
  const { slack } = stack;
  const view = slack.home('ada')?.id ?? '';
  return slack.press({ view, user: 'ada', actionId: HOME_CHANNEL.id, choice: idOf(channel) });
};
const send = (folder: number) => {
  const values = { [FOLDER_FIELD]: `${PROJECT}/${folder}` };
  return stack.slack.submitView({ user: 'ada', values });
};

it('an admin links a channel from the App Home without typing', async () => {
  const { slack, service } = stack;
  await choose('general');
  await formShows('Files shared in #general will go to the folder you choose.');
  await announced(stack, 'general', () => send(QUOTES));
  const files = [{ name: 'quote.txt', bytes: 'quote' }];
  await settledShare(slack, await slack.share({ channel: 'general', user: 'ben', files }));
  expect(service.store.files(QUOTES).map(({ name }) => name)).toEqual(['quote.txt']);
});

it('a channel that has a folder opens its settings', async () => {
  await linkChannel(stack, 'design', FLOOR_PLANS);
  await choose('design');
  await formShows('| Folder: [Office move › Floor plans]');
  expect(form()).toContain('[Unlink this channel');
});

it('the same channel can be chosen twice, as the App Home is shown anew', async () => {
  const before = picker();
  await choose('general');
  await formShows('#general');
  await stack.slack.until(() => picker() !== before);
});

it('a private channel without the bot needs an invitation first', async () => {
  const { slack } = stack;
  const board = { channel: idOf('board') };
  await slack.as('ada', 'conversations.kick', { ...board, user: slack.ids.bot });
  await choose('board');
  await homeShows(
    '| I can’t see that channel. To bring me in, type `/invite @pigeonhole` in that channel. Then choose it again.',
  );
  expect(form()).toBeUndefined();
  expect(home()).toContain('# Channels');
  await slack.as('ada', 'conversations.invite', { ...board, users: slack.ids.bot });
  await choose('board');
  await formShows('Files shared in #board will');
});

it('a private channel that an admin is not in stays closed, whatever their client sends', async () => {
  const { slack } = stack;
  await slack.as('ada', 'conversations.leave', { channel: idOf('board') });
  await choose('board');
  await homeShows('I can’t see that channel.');
  expect(form()).toBeUndefined();
  const users = slack.ids.users['ada'];
  await slack.as('ben', 'conversations.invite', { channel: idOf('board'), users });
});

it('a person who may not link any more is told so', async () => {
  stack.slack.setUser('ada', { is_admin: false, is_owner: false, is_primary_owner: false });
  await choose('random');
  await homeShows('Only workspace admins can choose a channel’s folder.');
  expect(home()).not.toContain('choose it here');
  expect(form()).toBeUndefined();
});

it('while the file service is down, the form opens and says so', async () => {
  stack.service.faults.set({ mode: '500' });
  await choose('random');
  await formShows('#random');
  const { errors } = await send(FLOOR_PLANS);
  expect(Object.values(errors)).toEqual([
    'Nothing was linked: the file service is down. Try again in a minute.',
  ]);
});

it('while Slack does not say who is in a channel, none is opened', async () => {
  stack.slack.fail('conversations.info', 'internal_error');
  stack.slack.fail('users.conversations', 'internal_error');
  await choose('board');
  await homeShows('Slack can’t be reached. Try again in a minute.');
  expect(form()).toBeUndefined();
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../src/playground/embedded-slack/index.ts';
import { missingScopes } from '../../src/surfaces/notices/operator-notices.ts';
import { FLOOR_PLANS, PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { person, screen, unlink } from '../support/person.ts';
import { announced, linkChannel } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ env: WITHOUT_DEFAULT });
});
afterAll(() => stack.stop());

const address = (folder: number, { service } = stack) =>
  `${service.accountUrl}/projects/${PROJECT}/folders/${folder}`;

async function bookmarks({ slack } = stack): Promise<unknown[]> {
  const channel_id = slack.ids.channels['design'];
  const { bookmarks: found } = await slack.as('ada', 'bookmarks.list', { channel_id });
  return (found as Json[]).map(({ link }) => link);
}

const shows = (expected: readonly string[]) =>
  stack.slack.until(async () => (await bookmarks()).join() === expected.join());

const calls = ({ slack } = stack) =>
  slack.calls.filter(({ method }) => method.startsWith('bookmarks.')).length;

describe('the bookmark of a channel’s folder', () => {
  beforeEach(async () => {
    await linkChannel(stack, 'design', address(FLOOR_PLANS));
    await shows([address(FLOOR_PLANS)]);
  });
  afterEach(async () => {
    stack.service.faults.clear();
    stack.slack.clearFaults();
    await unlink(stack.slack, 'ada', 'design');
    await shows([]);
  });

  it('has the folder’s path for a title', async () => {
    const { slack } = stack;
    const channel_id = slack.ids.channels['design'];
    const { bookmarks: found } = await slack.as('ada', 'bookmarks.list', { channel_id });
    expect(found).toMatchObject([{ title: 'Office move › Floor plans', emoji: ':file_folder:' }]);
  });

  it('is the only one, however often the channel is linked to the folder', async () => {
    const before = calls();
    const again = await person(stack.slack, 'ada').types(
      `/files link ${address(FLOOR_PLANS)}`,
      'design',
    );
    expect(screen(again)).toContain('is already linked to');
    await announced(stack, 'design', () => unlink(stack.slack, 'ada', 'design'));
    await linkChannel(stack, 'design', address(FLOOR_PLANS));
    await stack.slack.until(() => calls() >= before + 3);
    await shows([address(FLOOR_PLANS)]);
  });

  it('makes way for that of another folder', async () => {
    await linkChannel(stack, 'design', address(QUOTES));
    await shows([address(QUOTES)]);
  });

  it('stays as it is where the new folder is refused, as the file service is down', async () => {
    const before = calls();
    stack.service.faults.set({ mode: '500' });
    const { slack } = stack;
    const refused = await person(slack, 'ada').types(`/files link ${address(QUOTES)}`, 'design');
    expect(screen(refused)).toContain('the file service is down');
    expect(await bookmarks()).toEqual([address(FLOOR_PLANS)]);
    expect(calls()).toBe(before);
  });

  it('goes with the link while the file service is down', async () => {
    stack.service.faults.set({ mode: 'outage' });
    await unlink(stack.slack, 'ada', 'design');
    await shows([]);
    stack.service.faults.clear();
    await linkChannel(stack, 'design', address(FLOOR_PLANS));
    await shows([address(FLOOR_PLANS)]);
  });
});

it('one that a person put there is taken for it', async () => {
  const { slack } = stack;
  const channel_id = slack.ids.channels['design'];
  const own = { channel_id, title: 'Plans', type: 'link', link: address(FLOOR_PLANS) };
  await slack.as('ada', 'bookmarks.add', own);
  const added = () => slack.calls.filter(({ method }) => method === 'bookmarks.add').length;
  const [before, sent] = [added(), calls()];
  await linkChannel(stack, 'design', address(FLOOR_PLANS));
  await slack.until(() => calls() > sent);
  await unlink(slack, 'ada', 'design');
  await shows([]);
  expect(added()).toBe(before);
});

it('one that Slack refused before the bot was in the channel is put there once it joins', async () => {
  const { slack } = stack;
  const [channel, { bot }] = [slack.ids.channels['design'], slack.ids];
  await slack.as('ada', 'conversations.kick', { channel, user: bot });
  slack.fail('bookmarks.add', 'not_in_channel');
  await person(slack, 'ada').types(`/files link ${address(FLOOR_PLANS)}`, 'design');
  await slack.until(() => slack.calls.some(({ error }) => error === 'not_in_channel'));
  slack.clearFaults();
  await slack.as('ada', 'conversations.invite', { channel, users: bot });
  await shows([address(FLOOR_PLANS)]);
  await unlink(slack, 'ada', 'design');
  await shows([]);
});

it('one whose answer was lost is known for the bookmark, and makes way for that of another folder', async () => {
  stack.slack.lose('bookmarks.add', 1);
  await linkChannel(stack, 'design', address(FLOOR_PLANS));
  await shows([address(FLOOR_PLANS)]);
  await linkChannel(stack, 'design', address(QUOTES));
  await shows([address(QUOTES)]);
  await unlink(stack.slack, 'ada', 'design');
  await shows([]);
});

it('where Slack refuses one, the channel is linked without', async () => {
  const { slack } = stack;
  slack.fail('bookmarks.add', 'restricted_action');
  await linkChannel(stack, 'design', address(FLOOR_PLANS));
  await slack.until(() => slack.calls.some(({ error }) => error === 'restricted_action'));
  expect(await bookmarks()).toEqual([]);
  expect(screen(await person(slack, 'ada').types('/files', 'design'))).toContain('Floor plans');
});

it('without the scope, none is kept, and the channel is linked', async () => {
  const scopes = Object.keys(missingScopes([]));
  const without = await startStack({ env: WITHOUT_DEFAULT, slack: { scopes } });
  await linkChannel(without, 'design', address(FLOOR_PLANS, without));
  // What the app does in the background ends with it.
  await without.stopApp();
  expect(calls(without)).toBe(0);
  await without.stop();
});

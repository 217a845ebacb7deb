import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from 'vitest';
import type { Ephemeral, Posted } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { missingScopes } from '../../src/surfaces/notices/operator-notices.ts';
import { FLOOR_PLANS } from '../support/app-settings.ts';
import { asksWhere, type Person, person, screen } from '../support/person.ts';
import { linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const LEFT = 'You’re not in this channel any more.';
/** More than one page. */
const NAMES = Array.from({ length: 12 }, (_, nth) => `secret-${nth}.txt`);

let stack: Stack;
let posted: Posted;
beforeAll(async () => {
  stack = await startStack({ env: { LINK_BY: 'members' } });
  await linkChannel(stack, 'board', FLOOR_PLANS);
  const files = NAMES.map((name) => ({ name, bytes: `bytes of ${name}` }));
  posted = await stack.slack.share({ channel: 'board', user: 'ben', files });
  await settledShare(stack.slack, posted);
});
afterAll(() => stack.stop());

const channel = () => stack.slack.ids.channels['board'] ?? '';
const join = (user: string) => {
  const users = stack.slack.ids.users[user];
  return stack.slack.as('cleo', 'conversations.invite', { channel: channel(), users });
};
const leave = (user: string) => stack.slack.as(user, 'conversations.leave', { channel: channel() });
const calls = () => stack.service.requests.list().length;
const copy = (shown: Ephemeral): Ephemeral => ({ ...shown, blocks: structuredClone(shown.blocks) });

describe.each(['ben', 'ada'])('%s, who has left a private channel', (user) => {
  let someone: Person;
  let list: Ephemeral;
  let before: number;
  beforeAll(async () => {
    someone = person(stack.slack, user);
    list = await someone.types('/files secret', 'board');
    expect(screen(list)).toContain('12 of 12 files');
  });
  beforeEach(async () => {
    await join(user);
    await leave(user);
    before = calls();
  });
  afterAll(() => join(user));

  const isRefused = (answer: Ephemeral) => {
    expect(screen(answer)).toContain(LEFT);
    expect(JSON.stringify(answer)).not.toMatch(/secret|Floor plans/);
    expect(calls()).toBe(before);
  };

  it.each(['Older', 'Show all'])('gets nothing from “%s” of an old list', async (label) => {
    isRefused(await someone.presses(copy(list), label));
  });

  it('deletes nothing with a button of an old list', async () => {
    isRefused(await someone.deletes(copy(list)));
    expect(stack.service.store.files(FLOOR_PLANS)).toHaveLength(NAMES.length);
  });

  it.each(['/files', '/files find secret', '/files status', '/files help', '/files unlink'])(
    'gets nothing from %s',
    async (line) => isRefused(await someone.types(line, 'board')),
  );

  it('gets nothing from a shortcut on a message', async () => {
    expect(await asksWhere(stack.slack, user, posted)).toContain(LEFT);
    stack.slack.closeView({ user });
  });

  it.each([['conversations.info'], ['users.conversations']])(
    'gets nothing while Slack does not answer %s, but the advice to try again',
    async (method) => {
      stack.slack.fail(method, 'internal_error');
      const answer = await someone.presses(copy(list), 'Older');
      expect(screen(answer)).toMatch(/Try again in a minute/);
      expect(JSON.stringify(answer)).not.toContain('secret');
      expect(calls()).toBe(before);
    },
  );

  it('gets the list again once they are back', async () => {
    await join(user);
    expect(screen(await someone.presses(copy(list), 'Show all'))).toContain('12 files');
  });
});

it('a public channel’s list works for people who have left it', async () => {
  const general = stack.slack.ids.channels['general'] ?? '';
  const ben = person(stack.slack, 'ben');
  const help = await ben.types('/files help');
  await stack.slack.as('ben', 'conversations.leave', { channel: general });
  expect(screen(help)).toContain('/files');
  expect(screen(await ben.types('/files'))).not.toContain(LEFT);
});

it('a form for a private channel suggests no folders to people who have left it', async () => {
  const { slack } = stack;
  await join('ben');
  await slack.command({ command: '/files', text: 'link', user: 'ben', channel: 'board' });
  const view = await slack.until(() => slack.views('ben')[0]?.id);
  const project = { view, user: 'ben', actionId: FOLDER_FIELD, typed: '' };
  expect(JSON.stringify((await slack.suggest(project)).body)).toContain('Office move');
  await leave('ben');
  expect((await slack.suggest(project)).body).toEqual({ options: [] });
});

describe('while Slack does not tell whether a channel is private', () => {
  let another: Stack;
  afterEach(() => another.stop());
  const without = (scope: string) => ({
    slack: { scopes: Object.keys(missingScopes([])).filter((one) => one !== scope) },
  });

  it.each([
    ['without channels:read', 'missing_scope', without('channels:read')],
    ['when too much is asked', 'ratelimited', {}],
    ['when it fails', 'internal_error', {}],
  ])('/files works in a public channel: %s', async (_case, error, options) => {
    another = await startStack(options);
    const { slack } = another;
    const files = [{ name: 'plan.txt', bytes: 'x' }];
    await settledShare(slack, await slack.share({ channel: 'general', user: 'ben', files }));
    slack.fail('conversations.info', error, 1_000);
    expect(screen(await person(slack, 'ben').types('/files'))).toContain('plan.txt');
  });

  it.each([
    ['without groups:read', 'missing_scope', without('groups:read')],
    ['without channels:read and when it fails', 'internal_error', without('channels:read')],
  ])('a private channel is closed to people outside it: %s', async (_case, error, options) => {
    another = await startStack(options);
    const { slack } = another;
    await slack.as('ben', 'conversations.leave', { channel: slack.ids.channels['board'] ?? '' });
    slack.fail('conversations.info', error, 1_000);
    const answer = await person(slack, 'ben').types('/files', 'board');
    expect(screen(answer)).toMatch(/I couldn’t list the files/);
    expect(another.service.requests.list().map(({ operation }) => operation)).not.toContain('list');
  });
});

it('a list of a public channel gives nothing to a guest who was removed from it', async () => {
  const another = await startStack();
  onTestFinished(() => another.stop());
  const { slack } = another;
  const guest = person(slack, 'cleo');
  const there = { channel: slack.ids.channels['design'], users: slack.ids.users['cleo'] };
  await linkChannel(another, 'design', FLOOR_PLANS);
  slack.setUser('cleo', { is_restricted: true });
  await slack.as('ada', 'conversations.invite', there);
  const files = NAMES.map((name) => ({ name, bytes: name }));
  await settledShare(slack, await slack.share({ channel: 'design', user: 'ben', files }));
  const list = await guest.types('/files secret', 'design');
  expect(screen(list)).toContain('12 of 12 files');
  const { channel, users: user } = there;
  await slack.as('ada', 'conversations.kick', { channel, user });
  const answer = screen(await guest.presses(list, 'Show all'));
  expect(answer).toContain(LEFT);
  expect(answer).not.toContain('secret');
});

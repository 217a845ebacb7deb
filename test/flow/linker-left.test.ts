import { expect, it, onTestFinished } from 'vitest';
import { FLOOR_PLANS, PROJECT, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { person } from '../support/person.ts';
import { startStack } from '../support/start-stack.ts';

it('who linked a private channel and has left it is not told how many files it has', async () => {
  const stack = await startStack({ env: { ...WITHOUT_DEFAULT, LINK_BY: 'members' } });
  onTestFinished(() => stack.stop());
  const { slack } = stack;
  const [channel, ben] = [slack.ids.channels['board'], slack.ids.users['ben']];
  await slack.as('ada', 'conversations.kick', { channel, user: slack.ids.bot });
  await person(slack, 'ben').types(`/files link ${PROJECT}/${FLOOR_PLANS}`, 'board');
  for (const name of ['one.txt', 'two.txt', 'three.txt'])
    await slack.share({ channel: 'board', user: 'ada', files: [{ name, bytes: name }] });
  await slack.as('ben', 'conversations.leave', { channel });
  const before = slack.calls.length;
  await slack.as('ada', 'conversations.invite', { channel, users: slack.ids.bot });
  const since = () => slack.calls.slice(before);
  await slack.until(() =>
    since().some(({ method, args }) => method === 'users.conversations' && args['user'] === ben),
  );
  await stack.stop();
  expect(since().filter(({ args }) => args['channel'] === ben)).toEqual([]);
});

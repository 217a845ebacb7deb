import { afterAll, beforeAll, expect, it } from 'vitest';
import { missingScopes } from '../../src/surfaces/notices/operator-notices.ts';
import { person, screen } from '../support/person.ts';
import { lineOf } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const NEEDED = Object.keys(missingScopes([]));

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    slack: { scopes: NEEDED.filter((scope) => scope !== 'reactions:write') },
    operator: 'ada',
  });
});
afterAll(() => stack.stop());

const notices = () =>
  stack.slack.calls
    .filter(
      ({ method, args }) =>
        method === 'chat.postMessage' && args['channel'] === stack.slack.ids.users['ada'],
    )
    .map(({ args }) => String(args['text']));

it('the operator is notified once of a scope that Slack has not granted, and of a new ledger, and the rest works', async () => {
  const { slack } = stack;
  await slack.until(() => notices()[1]);
  await stack.restart();
  slack.fail('reactions.add', 'missing_scope', 1_000);
  const bytes = 'x'.repeat(10);
  const share = await slack.share({
    channel: 'general',
    user: 'ben',
    files: [{ name: 'plan.txt', bytes }],
  });
  await lineOf(slack, share, /^Filed in .*: plan\.txt/);
  const answer = await person(slack, 'ben').types('/files');
  expect(screen(answer)).toContain('plan.txt');
  expect(notices().toSorted()).toEqual([
    expect.stringContaining('new, empty ledger, but it’s in 3 channels already'),
    expect.stringContaining('• reactions:write – messages with files get no reaction'),
  ]);
});

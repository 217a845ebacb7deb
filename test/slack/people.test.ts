import { webApi } from '@slack/bolt';
import { expect, it } from 'vitest';
import { findActor } from '../../src/slack/people.ts';
import { idOf, startedSlack } from '../playground/embedded-slack/started-slack.ts';
import { startServer } from '../support/start-server.ts';

const OTHER_TEAM = 'T0OTHER0001';

/** Who ben is when Slack tells this of him; `said` is his workspace as the request had it. */
async function actorWith(fields: object, said: 'own' | 'other' | 'none' = 'own') {
  const slack = await startedSlack();
  slack.setUser('ben', { ...fields });
  const client = new webApi.WebClient(slack.botToken, { slackApiUrl: slack.apiUrl });
  const { team: ownTeam, users } = slack.ids;
  const userTeam = { own: ownTeam, other: OTHER_TEAM, none: null }[said];
  return findActor(client, idOf(users, 'ben'), { ownTeam, userTeam });
}

const admin = { is_admin: true };

it.each([
  ['a member', {}, 'member'],
  ['an admin', admin, 'admin'],
  ['an owner', { is_owner: true }, 'admin'],
  ['a guest', { is_restricted: true }, 'guest'],
  ['a guest of one channel', { is_ultra_restricted: true }, 'guest'],
  ['a stranger', { ...admin, is_stranger: true }, 'outsider'],
  ['an admin elsewhere, whatever the request said', { ...admin, team_id: OTHER_TEAM }, 'outsider'],
  ['somebody without a workspace', { ...admin, team_id: undefined }, 'outsider'],
  ['an admin whose account is deactivated', { ...admin, deleted: true }, 'deactivated'],
  ['a deactivated stranger', { is_stranger: true, deleted: true }, 'deactivated'],
  ['a bot, admin or not', { ...admin, is_bot: true }, 'bot'],
])('%s', async (_who, fields, role) => {
  expect(await actorWith(fields)).toMatchObject({ role });
  expect(await actorWith(fields, 'none')).toMatchObject({ role });
});

it('believes a request that names another workspace', async () => {
  expect(await actorWith(admin, 'other')).toMatchObject({ role: 'outsider' });
});

it('rejects where Slack does not tell', async () => {
  const slack = await startedSlack();
  slack.fail('users.info', 'user_not_found');
  const client = new webApi.WebClient(slack.botToken, { slackApiUrl: slack.apiUrl });
  const teams = { ownTeam: slack.ids.team, userTeam: null };
  await expect(findActor(client, idOf(slack.ids.users, 'ben'), teams)).rejects.toMatchObject({
    code: 'SLACK_REFUSED',
  });
});

it('rejects where the answer names nobody', async () => {
  const slackApiUrl = await startServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"ok":true}');
  });
  const client = new webApi.WebClient('xoxb-any', { slackApiUrl: `${slackApiUrl}/` });
  const teams = { ownTeam: 'T1', userTeam: null };
  await expect(findActor(client, 'U1', teams)).rejects.toMatchObject({ code: 'SLACK_REFUSED' });
});

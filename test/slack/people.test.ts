import { webApi } from '@slack/bolt';
import { expect, it } from 'vitest';
import { findActor } from '../../src/slack/people.ts';
import { idOf, startedSlack } from '../playground/embedded-slack/started-slack.ts';

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
  ['a member', {}, { ownWorkspace: true, admin: false, guest: false }],
  ['an admin', admin, { ownWorkspace: true, admin: true }],
  ['an owner', { is_owner: true }, { ownWorkspace: true, admin: true }],
  ['a guest', { is_restricted: true }, { ownWorkspace: true, guest: true }],
  ['a guest of one channel', { is_ultra_restricted: true }, { guest: true }],
  ['a stranger', { ...admin, is_stranger: true }, { ownWorkspace: false, admin: false }],
  [
    'an admin elsewhere, whatever the request said',
    { ...admin, team_id: OTHER_TEAM },
    { ownWorkspace: false, admin: false },
  ],
  ['somebody without a workspace', { ...admin, team_id: undefined }, { ownWorkspace: false }],
])('%s', async (_who, fields, actor) => {
  expect(await actorWith(fields)).toMatchObject(actor);
  expect(await actorWith(fields, 'none')).toMatchObject(actor);
});

it('believes a request that names another workspace', async () => {
  expect(await actorWith(admin, 'other')).toMatchObject({ ownWorkspace: false, admin: false });
});

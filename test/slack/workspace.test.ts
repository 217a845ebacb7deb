import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { TEAM } from '../../src/playground/embedded-slack/workspace-seed.ts';
import { getFile } from '../../src/slack/download.ts';
import { SlackClient } from '../../src/slack/web-api.ts';
import { findActor, openWorkspace } from '../../src/slack/workspace.ts';
import { idOf, startedSlack } from '../playground/embedded-slack/started-slack.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { pacesOf } from '../support/paces.ts';
import { startServer } from '../support/start-server.ts';

const clock = createFakeClock(0);
const { signal } = new AbortController();
const OPTIONS = {
  ...{ botToken: 'xoxb', logger: silentLogger, fetch, getFile },
  ...{ clock, keepPersonMs: 3_000 },
};
const THREAD = { ts: '1.0', user: 'U1', reply_count: 1, latest_reply: '1.5' };
const ANSWERS: Record<string, object> = {
  'auth.test': { team_id: 'T1', user_id: 'UBOT', bot_id: 'BBOT', app_id: 'A1' },
  'users.conversations': {
    channels: [
      { id: 'C1' },
      { id: 'G1', is_private: true, is_mpim: false, is_im: false },
      { id: 'D1', is_im: true },
      { id: 'C2', is_private: true, is_mpim: true },
    ],
  },
  'users.info': { user: { id: 'U1', team_id: 'T1' } },
  'conversations.history': { messages: [{ ...THREAD, ts: '2.0' }, THREAD] },
  'conversations.replies': { messages: [] },
};

/** Opens the workspace of a Slack with two threads; `log` has the calls, and what `pace` adds. */
async function workspaceWith(pace: (log: string[]) => Promise<void>) {
  const log: string[] = [];
  const origin = await startServer((request, response) => {
    request.resume();
    const method = request.url?.replace('/api/', '') ?? '';
    if (method !== 'auth.test') log.push(method);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, ...ANSWERS[method] }));
  });
  const slackApiUrl = `${origin}/api/`;
  const options = { ...OPTIONS, slackApiUrl, paces: pacesOf(() => pace(log)) };
  return { log, workspace: await openWorkspace(options) };
}

it.each([
  ['those that Slack lists', ['chat:write', 'files:read']],
  ['undefined if Slack lists none', undefined],
])('the workspace knows the bot’s scopes: %s', async (_, scopes) => {
  const { apiUrl: slackApiUrl, botToken } = await startedSlack(scopes && { scopes });
  const paces = pacesOf();
  const { identity } = await openWorkspace({ ...OPTIONS, botToken, slackApiUrl, paces });
  expect(identity.scopes).toEqual(scopes);
});

it.each(['{}', '{"ok":true}', '<html>A page</html>', '', 'null'])(
  'a start at an address where something else than Slack answers %j doubts the address, not the token',
  async (body) => {
    const origin = await startServer((_request, response) => void response.end(body));
    const options = { ...OPTIONS, slackApiUrl: `${origin}/api/`, paces: pacesOf() };
    await expect(openWorkspace(options)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/^There is no usable answer from Slack \(.*SLACK_API_URL/),
    });
  },
);

it('the workspace does not ask for kinds of channels for which it lacks the scope', async () => {
  const asked: string[] = [];
  const origin = await startServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push(`${new URLSearchParams(body).get('types')}`);
    response.setHeader('content-type', 'application/json');
    response.setHeader('x-oauth-scopes', 'channels:read,im:read,files:read');
    response.end(JSON.stringify({ ok: true, ...ANSWERS['auth.test'], channels: [] }));
  });
  const options = { ...OPTIONS, slackApiUrl: `${origin}/api/`, paces: pacesOf() };
  const workspace = await openWorkspace(options);
  await workspace.channels(signal);
  await workspace.channelsOf('U1');
  expect(asked.slice(-2)).toEqual(['public_channel,im', 'public_channel,im']);
});

it('the workspace lists the bot’s channels, direct messages and group messages', async () => {
  const { workspace } = await workspaceWith(async () => undefined);
  expect(await workspace.channels(signal)).toEqual(['C1', 'G1', 'D1', 'C2']);
});

it.each([
  [{ is_im: true }, true],
  [{ is_member: true, is_archived: false }, true],
  [{ is_member: false }, false],
  [{ is_member: true, is_archived: true }, false],
  [{}, true],
])('the bot is in a conversation with %j: %s', async (channel, isIn) => {
  ANSWERS['conversations.info'] = { channel };
  const { workspace } = await workspaceWith(async () => undefined);
  expect(await workspace.isIn('C1')).toBe(isIn);
});

it('a channel that becomes private is closed to others once the answer about a person is old', async () => {
  ANSWERS['conversations.info'] = { channel: { is_private: false } };
  const { log, workspace } = await workspaceWith(async () => undefined);
  for (let second = 0; second < 3; second += 1) {
    expect(await workspace.isClosedTo({ userId: 'U1', role: 'member' }, 'C9')).toBe(false);
    await clock.advance(1_000);
  }
  expect(log).toEqual(['conversations.info']);
  ANSWERS['conversations.info'] = { channel: { is_private: true } };
  expect(await workspace.isClosedTo({ userId: 'U1', role: 'member' }, 'C9')).toBe(true);
});

it.each([
  ['a public channel', { is_private: false }, 'C9', true],
  ['a private channel that both are in', { is_private: true }, 'C1', true],
  ['a private channel of others', { is_private: true }, 'C9', false],
  ['an archived channel of others', { is_private: true, is_archived: true }, 'C9', false],
  ['a direct message of others', { is_im: true }, 'D9', false],
])('whether a conversation is open to a person: %s', async (_which, channel, id, isOpen) => {
  ANSWERS['conversations.info'] = { channel };
  const { workspace } = await workspaceWith(async () => undefined);
  expect(await workspace.isOpenTo('U1', id)).toBe(isOpen);
});

it('the workspace asks who is in a private channel each time', async () => {
  ANSWERS['conversations.info'] = { channel: { is_private: true } };
  const { log, workspace } = await workspaceWith(async () => undefined);
  expect(await workspace.isClosedTo({ userId: 'U1', role: 'member' }, 'C1')).toBe(false);
  await clock.advance(3_000);
  expect(await workspace.isClosedTo({ userId: 'U1', role: 'member' }, 'C1')).toBe(false);
  expect(await workspace.isClosedTo({ userId: 'U1', role: 'member' }, 'C9')).toBe(true);
  expect(log.filter((method) => method === 'users.conversations')).toHaveLength(2);
});

it('the workspace reads all pages of the bot’s channels, and paces each call', async () => {
  const asked: string[] = [];
  const origin = await startServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const cursor = new URLSearchParams(body).get('cursor');
    const page = cursor
      ? { channels: [{ id: 'C2' }], response_metadata: { next_cursor: '' } }
      : { channels: [{ id: 'C1' }], response_metadata: { next_cursor: 'more' } };
    asked.push(`${request.url} ${cursor}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, ...ANSWERS['auth.test'], ...page }));
  });
  const slackApiUrl = `${origin}/api/`;
  const paces = pacesOf(async () => void asked.push('turn'));
  const workspace = await openWorkspace({ ...OPTIONS, slackApiUrl, paces });
  expect(await workspace.channels(signal)).toEqual(['C1', 'C2']);
  expect(asked.slice(1)).toEqual([
    ...['turn', '/api/users.conversations null'],
    ...['turn', '/api/users.conversations more'],
  ]);
});

const RANGE = { oldest: '0', threadsSince: '0', signal };

it('the workspace asks about a person and their channels at most every three seconds', async () => {
  const { log, workspace } = await workspaceWith(async () => undefined);
  const ask = (user: string) =>
    Promise.all([
      workspace.actor(user, 'T1'),
      workspace.actor(user, 'T1'),
      workspace.channelsOf(user),
      workspace.channelsOf(user),
    ]);
  await ask('U1');
  await clock.advance(2_999);
  await ask('U1');
  expect(log.toSorted()).toEqual(['users.conversations', 'users.info']);
  await ask('U2');
  await clock.advance(1);
  await ask('U1');
  expect(log).toHaveLength(6);
});

describe('reading a channel’s history', () => {
  it('waits for the pace before each call', async () => {
    const { log, workspace } = await workspaceWith(async (calls) => void calls.push('turn'));
    for await (const _page of workspace.history('C1', RANGE)) log.push('page');
    expect(log).toEqual([
      ...['turn', 'conversations.history'],
      ...['turn', 'conversations.replies'],
      ...['turn', 'conversations.replies'],
      'page',
    ]);
  });

  it('rejects with the abort reason, and sends no further call', async () => {
    const lost = new AbortController();
    const { log, workspace } = await workspaceWith(async (calls) => {
      if (calls.length > 0) lost.abort(new Error('another has it'));
    });
    const read = async () => {
      for await (const _page of workspace.history('C1', { ...RANGE, signal: lost.signal }));
    };
    await expect(read()).rejects.toThrow('another has it');
    expect(log).toEqual(['conversations.history']);
  });

  it('rejects when aborted while Slack does not respond', async () => {
    const stopping = new AbortController();
    const origin = await startServer((request, response) => {
      if (request.url === '/api/conversations.history')
        return stopping.abort(new Error('stopping'));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ok: true, ...ANSWERS['auth.test'] }));
    });
    const slackApiUrl = `${origin}/api/`;
    const options = { ...OPTIONS, slackApiUrl, paces: pacesOf() };
    const workspace = await openWorkspace(options);
    const pages = workspace.history('C1', { ...RANGE, signal: stopping.signal });
    await expect(pages.next()).rejects.toThrow('stopping');
  });
});

const OTHER_TEAM = 'T0OTHER0001';

/** Finds ben, of whom users.info has `fields`; `said` is his workspace according to the request. */
async function actorWith(fields: object, said: 'own' | 'other' | 'none' = 'own') {
  const slack = await startedSlack();
  slack.setUser('ben', { ...fields });
  const client = new SlackClient(slack.botToken, { slackApiUrl: slack.apiUrl });
  const { team: ownTeam, users } = slack.ids;
  const userTeam = { own: ownTeam, other: OTHER_TEAM, none: null }[said];
  return findActor(client, idOf(users, 'ben'), { ownTeam, userTeam });
}

const admin = { is_admin: true };

describe('findActor', () => {
  it.each([
    ['a member', {}, 'member'],
    ['an admin', admin, 'admin'],
    ['an owner', { is_owner: true }, 'admin'],
    ['a guest', { is_restricted: true }, 'guest'],
    ['a guest of one channel', { is_ultra_restricted: true }, 'guest'],
    ['a stranger', { ...admin, is_stranger: true }, 'outsider'],
    [
      'an admin elsewhere, whatever the request said',
      { ...admin, team_id: OTHER_TEAM },
      'outsider',
    ],
    ['somebody without a workspace', { ...admin, team_id: undefined }, 'outsider'],
    ['an admin whose account is deactivated', { ...admin, deleted: true }, 'deactivated'],
    ['a deactivated stranger', { is_stranger: true, deleted: true }, 'deactivated'],
    ['a bot, even with admin rights', { ...admin, is_bot: true }, 'bot'],
  ])('returns the role of %s', async (_who, fields, role) => {
    expect(await actorWith(fields)).toMatchObject({ role });
    expect(await actorWith(fields, 'none')).toMatchObject({ role });
  });

  it('returns an outsider if the request names another workspace', async () => {
    expect(await actorWith(admin, 'other')).toMatchObject({ role: 'outsider' });
  });

  describe('in an organization', () => {
    const worksIn = (...teams: string[]) => ({ ...admin, enterprise_user: { teams } });

    it.each([
      ['whose home is another', worksIn(TEAM.id, OTHER_TEAM), OTHER_TEAM, 'admin'],
      ['whose home is not stated', worksIn(TEAM.id), undefined, 'admin'],
      ['of others only', worksIn(OTHER_TEAM), OTHER_TEAM, 'outsider'],
      ['who is a stranger', { ...worksIn(TEAM.id), is_stranger: true }, OTHER_TEAM, 'outsider'],
    ])('returns the role of a member of workspaces %s', async (_who, fields, team_id, role) => {
      for (const said of ['own', 'other', 'none'] as const)
        expect(await actorWith({ ...fields, team_id }, said)).toMatchObject({ role });
    });
  });

  it('rejects if Slack refuses to say who it is', async () => {
    const slack = await startedSlack();
    slack.fail('users.info', 'user_not_found');
    const client = new SlackClient(slack.botToken, { slackApiUrl: slack.apiUrl });
    const teams = { ownTeam: slack.ids.team, userTeam: null };
    await expect(findActor(client, idOf(slack.ids.users, 'ben'), teams)).rejects.toMatchObject({
      code: 'SLACK_REFUSED',
    });
  });

  it('rejects if the response names nobody', async () => {
    const slackApiUrl = await startServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"ok":true}');
    });
    const client = new SlackClient('xoxb-any', { slackApiUrl: `${slackApiUrl}/` });
    const teams = { ownTeam: 'T1', userTeam: null };
    await expect(findActor(client, 'U1', teams)).rejects.toMatchObject({ code: 'SLACK_REFUSED' });
  });
});

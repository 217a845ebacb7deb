import { describe, expect, test } from 'vitest';
import {
  isJson,
  type Json,
  objectsOf,
} from '../../../src/playground/embedded-slack/slack-types.ts';
import { callApi, connectedApp, idOf, startedSlack } from './started-slack.ts';

function names(answer: Json): unknown[] {
  return (objectsOf(answer, 'channels') ?? []).map((channel) => channel['name']);
}

describe('channels', () => {
  test('users.conversations lists those that the bot is in, by type and page', async () => {
    const slack = await startedSlack();
    expect(names(await callApi(slack, 'users.conversations'))).toEqual(['general', 'design']);
    const types = 'public_channel,private_channel,im';
    const one = await callApi(slack, 'users.conversations', { types, limit: '3' });
    expect(names(one)).toEqual(['general', 'design', 'board']);
    const metadata = one['response_metadata'];
    const cursor = isJson(metadata) ? String(metadata['next_cursor']) : '';
    const two = await callApi(slack, 'users.conversations', { types, limit: '3', cursor });
    expect(objectsOf(two, 'channels')).toMatchObject([
      { id: slack.ids.channels['dm'], is_im: true },
    ]);
    expect(two['response_metadata']).toEqual({ next_cursor: '' });
  });

  test('conversations.info reports membership and sharing', async () => {
    const slack = await startedSlack();
    slack.setChannel('design', { is_ext_shared: true });
    const info = (name: string) =>
      callApi(slack, 'conversations.info', { channel: idOf(slack.ids.channels, name) });
    expect(await info('design')).toMatchObject({
      channel: { is_member: true, is_ext_shared: true, is_private: false },
    });
    expect(await info('random')).toMatchObject({
      channel: { is_member: false, is_ext_shared: false },
    });
    expect(await info('board')).toMatchObject({ channel: { is_member: true, is_private: true } });
  });

  test('a private channel does not exist for people outside it', async () => {
    const slack = await startedSlack();
    const channel = idOf(slack.ids.channels, 'board');
    await slack.as('ada', 'conversations.kick', { channel, user: slack.ids.bot });
    for (const method of ['conversations.info', 'conversations.history', 'conversations.members']) {
      const answer = await callApi(slack, method, { channel });
      expect(answer).toMatchObject({ ok: false, error: 'channel_not_found' });
    }
    const post = await callApi(slack, 'chat.postMessage', { channel, text: 'Hello' });
    expect(post).toMatchObject({ ok: false, error: 'channel_not_found' });
  });

  test('conversations.members returns one page at a time', async () => {
    const slack = await startedSlack();
    const channel = idOf(slack.ids.channels, 'board');
    const { ada, ben, cleo, pigeonhole } = slack.ids.users;
    const whole = await callApi(slack, 'conversations.members', { channel });
    expect(whole['members']).toEqual([ada, ben, cleo, pigeonhole]);
    const page = await callApi(slack, 'conversations.members', { channel, limit: '2' });
    expect(page).toMatchObject({ members: [ada, ben] });
  });

  test('the app gets an event when it is invited and when it is removed', async () => {
    const slack = await startedSlack();
    const heard: string[] = [];
    await connectedApp(slack, (app) => {
      app.event('member_joined_channel', async ({ event }) => {
        heard.push(`${event.type} ${event.user} by ${event.inviter}`);
      });
      app.event('channel_left', async ({ event }) => {
        heard.push(`${event.type} ${event.channel}`);
      });
    });
    const channel = slack.ids.channels['random'];
    await slack.as('ben', 'conversations.invite', { channel, users: slack.ids.bot });
    await slack.settled();
    await slack.as('ada', 'conversations.kick', { channel, user: slack.ids.bot });
    await slack.settled();
    const joined = `member_joined_channel ${slack.ids.bot} by ${slack.ids.users['ben']}`;
    expect(heard).toEqual([joined, `channel_left ${channel}`]);
  });
});

describe('users and tokens', () => {
  test('users.info reports admins, and guests from another workspace', async () => {
    const slack = await startedSlack();
    const info = async (name: string) =>
      (await callApi(slack, 'users.info', { user: idOf(slack.ids.users, name) }))['user'];
    expect(await info('ada')).toMatchObject({ is_admin: true, is_owner: true });
    expect(await info('ben')).toMatchObject({ is_admin: false, is_restricted: false });
    expect(await info('dan')).toMatchObject({ is_restricted: true, team_id: 'T0PARTNER01' });
    slack.setUser('ben', { is_admin: true });
    expect(await info('ben')).toMatchObject({ is_admin: true });
  });

  test('a message to a person goes to their direct messages with the app', async () => {
    const slack = await startedSlack();
    const ben = idOf(slack.ids.users, 'ben');
    const answer = await callApi(slack, 'chat.postMessage', { channel: ben, text: 'Psst' });
    expect(answer).toMatchObject({ ok: true, channel: slack.ids.channels['dm'] });
    expect(await slack.state('dm')).toMatchObject([{ text: 'Psst', user: slack.ids.bot }]);
  });

  test('Web API calls distinguish valid, unknown, missing and wrong tokens', async () => {
    const slack = await startedSlack();
    expect(await callApi(slack, 'auth.test')).toMatchObject({ bot_id: slack.ids.botId });
    expect(await callApi(slack, 'auth.test', {}, 'xoxb-other')).toMatchObject({
      error: 'invalid_auth',
    });
    expect(await callApi(slack, 'auth.test', {}, '')).toMatchObject({ error: 'not_authed' });
    expect(await callApi(slack, 'apps.connections.open')).toMatchObject({
      error: 'not_allowed_token_type',
    });
    expect(await callApi(slack, 'no.such.method')).toMatchObject({ error: 'unknown_method' });
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])(
    'what every object has is neither a method nor a name: %s',
    async (name) => {
      const slack = await startedSlack();
      expect(await callApi(slack, name)).toEqual({ ok: false, error: 'unknown_method' });
      expect(() => slack.views(name)).toThrow(`There is no ${name}`);
      await expect(slack.state(name)).rejects.toThrow(`There is no ${name}`);
    },
  );
});

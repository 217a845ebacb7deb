import type { LinkSharedEvent } from '@slack/types';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/playground/embedded-slack/index.ts';
import { callApi, connectedApp, idOf, startedSlack } from './started-slack.ts';

const URL = 'https://eu.files.example/a?x=1&y=2';
const TEXT = 'See <https://eu.files.example/a?x=1&amp;y=2> and <https://other.example/b>';
const BLOCKS = [
  { type: 'section', text: { type: 'mrkdwn', text: 'All files' } },
  {
    type: 'actions',
    elements: [{ type: 'button', action_id: 'open', text: { type: 'plain_text', text: 'Open' } }],
  },
];

async function slackWithLinks() {
  const slack = await startedSlack({ unfurlDomains: ['files.example'] });
  const links: LinkSharedEvent[] = [];
  const changed: Json[] = [];
  const actions: Json[] = [];
  await connectedApp(slack, (app) => {
    app.event('link_shared', async ({ event }) => void links.push(event));
    app.event('message', async ({ event }) => {
      if (event.subtype === 'message_changed') changed.push({ ...event.message });
    });
    app.action('open', async ({ ack, body }) => {
      await ack();
      actions.push({ ...body });
    });
  });
  const say = async (channel: string) => {
    const { ts } = await slack.say({ channel, user: 'ben', text: TEXT });
    await slack.settled();
    return { channel: idOf(slack.ids.channels, channel), ts };
  };
  return { slack, links, changed, actions, say };
}

test('the app hears of links to its domains, also where it is no member', async () => {
  const { links, say, slack } = await slackWithLinks();
  const { channel, ts } = await say('design');
  await say('random');
  await slack.say({ channel: 'design', user: 'ben', text: '<https://notfiles.example/c>' });
  await slack.settled();
  expect(links).toMatchObject([
    { channel, message_ts: ts, is_bot_user_member: true, source: 'conversations_history' },
    { channel: slack.ids.channels['random'], is_bot_user_member: false },
  ]);
  expect(links[0]?.links).toEqual([{ domain: 'files.example', url: URL }]);
});

test('an unfurl appears in the message, is replaced, and can be acted in', async () => {
  const { slack, links, changed, actions, say } = await slackWithLinks();
  const { channel, ts } = await say('design');
  const unfurl = (target: Record<string, string>, unfurls: Json) =>
    callApi(slack, 'chat.unfurl', { ...target, unfurls: JSON.stringify(unfurls) });
  const early = [{ type: 'section', text: { type: 'mrkdwn', text: 'Wait' } }];
  expect(await unfurl({ channel, ts }, { [URL]: { blocks: early } })).toEqual({ ok: true });
  const byId = { unfurl_id: links[0]?.unfurl_id ?? '', source: 'conversations_history' };
  expect(await unfurl(byId, { [URL]: { blocks: BLOCKS } })).toEqual({ ok: true });
  const [message] = await slack.state('design');
  const shown = [{ id: 1, from_url: URL, is_app_unfurl: true, blocks: BLOCKS }];
  expect(message).toMatchObject({ text: TEXT, attachments: shown });
  await slack.settled();
  expect(changed).toMatchObject([{ ts }, { ts, attachments: shown }]);

  await slack.press({ message: { channel, ts, unfurl: URL }, user: 'cleo', actionId: 'open' });
  expect(actions).toMatchObject([
    {
      container: { type: 'message_attachment', message_ts: ts, app_unfurl_url: URL },
      channel: { id: channel },
      actions: [{ action_id: 'open' }],
    },
  ]);
});

test('only links of the message to the app’s domains can be unfurled', async () => {
  const { slack, say } = await slackWithLinks();
  const { channel, ts } = await say('design');
  const error = async (args: Record<string, string>) =>
    (await callApi(slack, 'chat.unfurl', args))['error'];
  const unfurls = JSON.stringify({ 'https://other.example/b': { blocks: BLOCKS } });
  expect(await error({ channel, ts, unfurls })).toBe('cannot_unfurl_url');
  expect(await error({ channel, ts: '1.000001', unfurls })).toBe('cannot_find_message');
  expect(await error({ channel, ts, unfurls: 'x' })).toBe('invalid_unfurls_format');
  expect(await error({ channel, ts })).toBe('missing_unfurls');
  expect(await error({ ts, unfurls })).toBe('missing_channel');
});

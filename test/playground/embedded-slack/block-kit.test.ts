import { expect, it } from 'vitest';
import { callApi, connectedApp, idOf, startedSlack } from './started-slack.ts';

const DIVIDER = { type: 'divider' };
const plain = (length: number) => ({ type: 'plain_text', text: 'x'.repeat(length) });
const button = (text: number, value: number) => ({
  type: 'actions',
  elements: [{ type: 'button', action_id: 'a', text: plain(text), value: 'v'.repeat(value) }],
});

it.each([
  ['blocks', Array(50).fill(DIVIDER), Array(51).fill(DIVIDER)],
  [
    'text in a section',
    [{ type: 'section', text: plain(3000) }],
    [{ type: 'section', text: plain(3001) }],
  ],
  [
    'text in a header',
    [{ type: 'header', text: plain(150) }],
    [{ type: 'header', text: plain(151) }],
  ],
  ['text on a button', [button(75, 1)], [button(76, 1)]],
  ['value of a button', [button(1, 2000)], [button(1, 2001)]],
  [
    'elements of a context',
    [{ type: 'context', elements: Array(10).fill(plain(1)) }],
    [{ type: 'context', elements: Array(11).fill(plain(1)) }],
  ],
])(
  'a message with too much is refused, in a channel and to one person: %s',
  async (_what, most, tooMuch) => {
    const slack = await startedSlack();
    const to = { channel: idOf(slack.ids.channels, 'design'), user: idOf(slack.ids.users, 'ben') };
    for (const method of ['chat.postMessage', 'chat.postEphemeral']) {
      const post = (blocks: unknown) =>
        callApi(slack, method, { ...to, text: 'Hi', blocks: JSON.stringify(blocks) });
      expect(await post(most)).toMatchObject({ ok: true });
      expect(await post(tooMuch)).toMatchObject({ ok: false, error: 'invalid_blocks' });
    }
  },
);

it('a view may have 100 blocks', async () => {
  const slack = await startedSlack();
  const publish = (count: number) => {
    const view = JSON.stringify({ type: 'home', blocks: Array(count).fill(DIVIDER) });
    return callApi(slack, 'views.publish', { user_id: idOf(slack.ids.users, 'ben'), view });
  };
  expect(await publish(100)).toMatchObject({ ok: true });
  expect(await publish(101)).toMatchObject({ ok: false, error: 'invalid_arguments' });
});

it('an answer to a command with too much is refused', async () => {
  const slack = await startedSlack();
  const statuses: unknown[] = [];
  await connectedApp(slack, (app) => {
    app.command('/files', async ({ ack, command }) => {
      await ack();
      for (const count of [51, 50]) {
        const body = JSON.stringify({ text: 'Hi', blocks: Array(count).fill(DIVIDER) });
        const headers = { 'content-type': 'application/json' };
        const { status } = await fetch(command.response_url, { method: 'POST', headers, body });
        statuses.push(status);
      }
    });
  });
  await slack.command({ command: '/files', text: '', user: 'ben', channel: 'design' });
  await expect.poll(() => statuses).toEqual([400, 200]);
});

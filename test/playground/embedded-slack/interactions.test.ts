import type { KnownBlock, View } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/playground/embedded-slack/index.ts';
import { createMovableClock } from '../../support/fake-clock.ts';
import { callApi, connectedApp, idOf, startedSlack } from './started-slack.ts';

const BUTTONS: KnownBlock[] = [
  { type: 'section', text: { type: 'mrkdwn', text: 'plan.pdf' } },
  {
    type: 'actions',
    elements: [
      {
        type: 'button',
        action_id: 'delete',
        value: '17',
        text: { type: 'plain_text', text: 'Delete' },
      },
      {
        type: 'static_select',
        action_id: 'more',
        options: [
          { text: { type: 'plain_text', text: 'Move' }, value: 'move' },
          { text: { type: 'plain_text', text: 'Copy' }, value: 'copy' },
        ],
      },
      {
        type: 'overflow',
        action_id: 'rest',
        options: [{ text: { type: 'plain_text', text: 'Show' }, value: 'show' }],
      },
    ],
  },
];

const FORM: View = {
  type: 'modal',
  callback_id: 'link',
  private_metadata: 'C1',
  title: { type: 'plain_text', text: 'Link' },
  submit: { type: 'plain_text', text: 'Link it' },
  blocks: [
    {
      type: 'input',
      block_id: 'name',
      label: { type: 'plain_text', text: 'Name' },
      element: { type: 'plain_text_input', action_id: 'name' },
    },
    {
      type: 'input',
      block_id: 'folder',
      label: { type: 'plain_text', text: 'Folder' },
      element: { type: 'external_select', action_id: 'folder', min_query_length: 0 },
    },
  ],
};

const SECOND: View = { ...FORM, title: { type: 'plain_text', text: 'Second' } };

describe('commands', () => {
  test('carry the user and the channel, and show the app’s response to the sender only', async () => {
    const slack = await startedSlack();
    const seen: unknown[] = [];
    await connectedApp(slack, (app) => {
      app.command('/files', async ({ ack, command, respond }) => {
        seen.push(command);
        await ack('This takes a moment. The answer comes in a new message.');
        await respond({ text: 'Two files', blocks: BUTTONS });
      });
    });
    const asked = { command: '/files', text: 'a & b', user: 'ben', channel: 'board' };
    const answer = await slack.command(asked);
    expect(answer).toMatchObject({
      status: 200,
      body: 'This takes a moment. The answer comes in a new message.',
    });
    await slack.until(() => answer.ephemerals.length === 2);
    expect(answer.ephemerals.map(({ via, text }) => [via, text])).toEqual([
      ['ack', 'This takes a moment. The answer comes in a new message.'],
      ['response_url', 'Two files'],
    ]);
    expect(slack.ephemerals('ben', 'board')).toEqual(answer.ephemerals);
    expect(slack.ephemerals('ada')).toEqual([]);
    expect(seen[0]).toMatchObject({
      text: 'a & b',
      channel_name: 'privategroup',
      user_id: slack.ids.users['ben'],
      is_enterprise_install: 'false',
    });
    expect(await slack.state('board')).toEqual([]);
  });

  test('can get a response for the whole channel', async () => {
    const slack = await startedSlack();
    await connectedApp(slack, (app) => {
      app.command('/files', ({ ack }) => ack({ response_type: 'in_channel', text: 'All of us' }));
    });
    await slack.command({ command: '/files', user: 'ben', channel: 'design' });
    expect(await slack.state('design')).toMatchObject([{ text: 'All of us' }]);
    expect(slack.ephemerals('ben')).toEqual([]);
  });

  test('are reported as failed if the app does not respond', async () => {
    const slack = await startedSlack({ responseTimeoutMs: 50 });
    await connectedApp(slack, (app) => app.command('/files', async () => undefined));
    const answer = await slack.command({ command: '/files', user: 'ben', channel: 'design' });
    expect(answer).toMatchObject({ status: 0, failure: 'http_timeout' });
  });
});

describe('response addresses', () => {
  async function askedOnce() {
    const clock = createMovableClock();
    const slack = await startedSlack({ clock });
    let url = '';
    await connectedApp(slack, (app) => {
      app.command('/files', async ({ ack, command }) => {
        url = command.response_url;
        await ack();
      });
    });
    const answer = await slack.command({ command: '/files', user: 'ben', channel: 'design' });
    const respond = async (body: object) =>
      (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).status;
    return { clock, answer, respond, slack };
  }

  test('work five times', async () => {
    const { respond, answer } = await askedOnce();
    for (let n = 0; n < 5; n += 1) expect(await respond({ text: `${n}` })).toBe(200);
    expect(await respond({ text: 'once more' })).toBe(404);
    expect(answer.ephemerals).toHaveLength(5);
  });

  test('work for half an hour', async () => {
    const { respond, clock } = await askedOnce();
    clock.skip(29 * 60_000);
    expect(await respond({ text: 'still' })).toBe(200);
    clock.skip(60_000);
    expect(await respond({ text: 'late' })).toBe(404);
  });

  test('refuse an empty message', async () => {
    const { respond } = await askedOnce();
    expect(await respond({})).toBe(400);
  });
});

describe('buttons', () => {
  test('on a message identify themselves, and their message can be replaced and deleted', async () => {
    const slack = await startedSlack();
    const seen: unknown[] = [];
    await connectedApp(slack, (app) => {
      app.action('delete', async ({ ack, body, action, respond }) => {
        seen.push(body, action);
        await ack();
        await respond({ text: 'Deleted' });
      });
      app.action('more', async ({ ack, action, respond }) => {
        seen.push(action);
        await ack();
        await respond({ delete_original: true });
      });
    });
    const channel = idOf(slack.ids.channels, 'design');
    const blocks = JSON.stringify(BUTTONS);
    const posted = await callApi(slack, 'chat.postMessage', { channel, text: 'plan', blocks });
    const message = { channel, ts: String(posted['ts']) };
    await slack.press({ message, user: 'ben', actionId: 'more', choice: 'copy' });
    await slack.until(async () => (await slack.state('design')).length === 0);
    expect(seen[0]).toMatchObject({ type: 'static_select', selected_option: { value: 'copy' } });

    const second = await callApi(slack, 'chat.postMessage', { channel, text: 'plan', blocks });
    const where = { channel, ts: String(second['ts']) };
    await slack.press({ message: where, user: 'ben', actionId: 'delete' });
    await slack.until(async () => (await slack.state('design'))[0]?.text === 'Deleted');
    expect(seen[1]).toMatchObject({
      container: { type: 'message', message_ts: where.ts, is_ephemeral: false },
      user: { id: slack.ids.users['ben'], team_id: slack.ids.team },
      message: { text: 'plan' },
      state: { values: {} },
    });
    expect(seen[2]).toMatchObject({ action_id: 'delete', value: '17', type: 'button' });
  });

  test('in an overflow menu send the option, which is no part of the state', async () => {
    const slack = await startedSlack();
    const seen: unknown[] = [];
    await connectedApp(slack, (app) => {
      app.action('rest', async ({ ack, body, action }) => {
        seen.push(action, body);
        await ack();
      });
    });
    const channel = idOf(slack.ids.channels, 'design');
    const blocks = JSON.stringify(BUTTONS);
    const posted = await callApi(slack, 'chat.postMessage', { channel, text: 'plan', blocks });
    const message = { channel, ts: String(posted['ts']) };
    await slack.press({ message, user: 'ben', actionId: 'rest', choice: 'show' });
    expect(seen[0]).toMatchObject({ type: 'overflow', selected_option: { value: 'show' } });
    const { state } = seen[1] as { state: { values: Record<string, object> } };
    expect(Object.values(state.values).flatMap(Object.keys)).toEqual(['more']);
  });

  test('on an ephemeral message can replace it, or leave it and add a new one', async () => {
    const slack = await startedSlack();
    await connectedApp(slack, (app) => {
      app.action('delete', async ({ ack, body, respond, action }) => {
        await ack();
        const fresh = 'value' in action && body.user.id === slack.ids.users['ada'];
        await respond(fresh ? { text: 'New', replace_original: false } : { text: 'Gone' });
      });
    });
    const channel = idOf(slack.ids.channels, 'design');
    const blocks = JSON.stringify(BUTTONS);
    for (const name of ['ada', 'ben']) {
      const user = idOf(slack.ids.users, name);
      await callApi(slack, 'chat.postEphemeral', { channel, user, text: 'plan', blocks });
      const [ephemeral] = slack.ephemerals(name);
      if (!ephemeral) throw new Error('No ephemeral message came');
      const answer = await slack.press({ ephemeral, user: name, actionId: 'delete' });
      await slack.until(() => answer.ephemerals.length === 1);
    }
    expect(slack.ephemerals('ada').map(({ text }) => text)).toEqual(['plan', 'New']);
    expect(slack.ephemerals('ben')).toMatchObject([{ text: 'Gone', edits: 1 }]);
  });

  test('on a message that was redrawn since are found by their value, or not at all', async () => {
    const slack = await startedSlack();
    const pressed: unknown[] = [];
    await connectedApp(slack, (app) => {
      app.action('delete', async ({ ack, action }) => {
        pressed.push(action);
        await ack();
      });
    });
    const channel = idOf(slack.ids.channels, 'design');
    const blocks = JSON.stringify(BUTTONS);
    const posted = await callApi(slack, 'chat.postMessage', { channel, text: 'plan', blocks });
    const message = { channel, ts: String(posted['ts']) };
    const seen = { message, user: 'ben', actionId: 'delete', blockId: 'as it was' };
    await slack.press({ ...seen, value: '17' });
    expect(pressed).toMatchObject([{ value: '17' }]);
    await expect(slack.press({ ...seen, value: '18' })).rejects.toThrow('not there');
    await expect(slack.press(seen)).rejects.toThrow('not there');
    expect(pressed).toHaveLength(1);
  });

  test('that do not exist cannot be pressed', async () => {
    const slack = await startedSlack();
    const channel = idOf(slack.ids.channels, 'design');
    const blocks = JSON.stringify(BUTTONS);
    const posted = await callApi(slack, 'chat.postMessage', { channel, text: 'plan', blocks });
    const message = { channel, ts: String(posted['ts']) };
    const pressing = slack.press({ message, user: 'ben', actionId: 'keep' });
    await expect(pressing).rejects.toThrow('there is: delete, more, rest');
  });

  test('have a counterpart in message shortcuts, which carry the message and its files', async () => {
    const slack = await startedSlack();
    const seen: unknown[] = [];
    await connectedApp(slack, (app) => {
      app.shortcut('file_this', async ({ ack, shortcut, respond }) => {
        seen.push(shortcut);
        await ack();
        await respond('Will do');
      });
    });
    const file = { name: 'plan.pdf', bytes: 'bytes' };
    const message = await slack.share({
      channel: 'design',
      user: 'ben',
      files: [file],
      deliver: false,
    });
    const answer = await slack.shortcut({ callbackId: 'file_this', user: 'cleo', message });
    await slack.until(() => answer.ephemerals.length === 1);
    expect(seen[0]).toMatchObject({ type: 'message_action', message_ts: message.ts });
    expect(seen[0]).toMatchObject({ message: { files: [{ name: 'plan.pdf' }] } });
    expect(slack.ephemerals('cleo', 'design')).toMatchObject([{ text: 'Will do' }]);
  });
});

test('a global shortcut tells who used it, and no channel', async () => {
  const slack = await startedSlack();
  const seen: object[] = [];
  await connectedApp(slack, (app) => {
    app.shortcut('find', async ({ ack, shortcut, client }) => {
      seen.push(shortcut);
      await ack();
      await client.views.open({ trigger_id: shortcut.trigger_id, view: FORM });
    });
  });
  await slack.shortcut({ callbackId: 'find', user: 'cleo' });
  await slack.until(() => slack.views('cleo').length === 1);
  const { cleo } = slack.ids.users;
  expect(seen).toMatchObject([{ type: 'shortcut', callback_id: 'find', user: { id: cleo } }]);
  for (const field of ['channel', 'message', 'response_url'])
    expect(seen[0]).not.toHaveProperty(field);
});

describe('views', () => {
  async function slackWithForm() {
    const clock = createMovableClock();
    const slack = await startedSlack({ clock });
    const seen: unknown[] = [];
    const triggers: string[] = [];
    const app = await connectedApp(slack, (bolt) => {
      bolt.command('/link', async ({ ack, body, client }) => {
        triggers.push(body.trigger_id);
        await ack();
        await client.views.open({ trigger_id: body.trigger_id, view: FORM });
      });
      bolt.command('/push', async ({ ack, body }) => {
        triggers.push(body.trigger_id);
        await ack();
      });
      bolt.options('folder', async ({ ack, options }) => {
        const text = { type: 'plain_text' as const, text: `Folder ${options.value}` };
        await ack({ options: [{ text, value: '42' }] });
      });
      bolt.view('link', async ({ ack, view, body }) => {
        seen.push(view.state.values, body.user.id, view.private_metadata);
        const name = view.state.values['name']?.['name']?.value;
        if (!name) return ack({ response_action: 'errors', errors: { name: 'Say a name' } });
        if (name === 'update') {
          return ack({ response_action: 'update', view: { ...FORM, private_metadata: 'C2' } });
        }
        if (name === 'push') return ack({ response_action: 'push', view: SECOND });
        return ack();
      });
      bolt.event('app_home_opened', async ({ event, client }) => {
        const blocks = [{ type: 'divider' as const }];
        await client.views.publish({ user_id: event.user, view: { type: 'home', blocks } });
      });
    });
    const openForm = async () => {
      await slack.command({ command: '/link', user: 'ben', channel: 'design' });
      await slack.until(() => slack.views('ben').length === 1);
    };
    return { slack, clock, seen, triggers, app, openForm };
  }

  test('open, offer options, and refuse or accept a submission', async () => {
    const { slack, seen, openForm } = await slackWithForm();
    await openForm();
    const view = slack.views('ben')[0]?.id ?? '';
    const typed = { view, user: 'ben', actionId: 'folder', typed: 'pl' };
    const offered = await slack.suggest(typed);
    expect(offered.body).toMatchObject({ options: [{ value: '42', text: { text: 'Folder pl' } }] });
    expect(await slack.submitView({ user: 'ben' })).toMatchObject({
      errors: { name: 'Say a name' },
    });
    expect(slack.views('ben')).toHaveLength(1);
    const done = await slack.submitView({ user: 'ben', values: { name: 'Plans', folder: '42' } });
    expect(done).toMatchObject({ status: 200, errors: {} });
    expect(slack.views('ben')).toEqual([]);
    expect(seen.slice(3)).toMatchObject([
      {
        name: { name: { value: 'Plans' } },
        folder: { folder: { selected_option: { value: '42' } } },
      },
      slack.ids.users['ben'],
      'C1',
    ]);
  });

  test('are updated and closed', async () => {
    const { slack, openForm } = await slackWithForm();
    await openForm();
    await slack.submitView({ user: 'ben', values: { name: 'update' } });
    expect(slack.views('ben')).toMatchObject([{ private_metadata: 'C2' }]);
    const ghost = slack.views('ben')[0]?.id ?? '';
    slack.closeView({ user: 'ben' });
    slack.closeView({ user: 'ben' });
    expect(slack.views('ben')).toEqual([]);
    const late = await callApi(slack, 'views.update', {
      view_id: ghost,
      view: JSON.stringify(FORM),
    });
    expect(late).toMatchObject({ error: 'not_found' });
  });

  test('are pushed, up to three, and closed one by one or all at once', async () => {
    const { slack, triggers, openForm } = await slackWithForm();
    const titles = () => slack.views('ben').map(({ title }) => (title as Json)['text']);
    const push = async (title: string, last = {}) => {
      const view = { ...FORM, title: { type: 'plain_text', text: title }, ...last };
      await slack.command({ command: '/push', user: 'ben', channel: 'design' });
      const trigger_id = triggers.at(-1) ?? '';
      return callApi(slack, 'views.push', { trigger_id, view: JSON.stringify(view) });
    };
    expect(await push('None')).toMatchObject({ error: 'not_found' });
    await openForm();
    const root = slack.views('ben')[0]?.id;
    const second = await push('Second');
    expect(second).toMatchObject({ view: { root_view_id: root, previous_view_id: root } });
    await push('Third', { clear_on_close: true });
    expect(await push('Fourth')).toMatchObject({ error: 'push_limit_reached' });
    expect(titles()).toEqual([FORM.title.text, 'Second', 'Third']);
    slack.closeView({ user: 'ben' });
    expect(titles()).toEqual([]);

    await openForm();
    await push('Second');
    slack.closeView({ user: 'ben' });
    expect(titles()).toEqual([FORM.title.text]);
    await slack.submitView({ user: 'ben', values: { name: 'push' } });
    expect(titles()).toEqual([FORM.title.text, 'Second']);
    await slack.submitView({ user: 'ben', values: { name: 'Plans' } });
    expect(titles()).toEqual([FORM.title.text]);
    await push('Second again');
    slack.closeView({ user: 'ben', all: true });
    expect(titles()).toEqual([]);
  });

  test('open with a trigger that lasts three seconds and works once', async () => {
    const { slack, clock, triggers, openForm } = await slackWithForm();
    const view = JSON.stringify(FORM);
    await openForm();
    const used = await callApi(slack, 'views.open', { trigger_id: triggers[0] ?? '', view });
    expect(used).toMatchObject({ error: 'exchanged_trigger_id' });
    const seen: string[] = [];
    await connectedApp(slack, (app) => {
      app.command('/link', async ({ ack, command }) => {
        seen.push(command.trigger_id);
        await ack();
      });
    });
    await slack.command({ command: '/link', user: 'ben', channel: 'design' });
    clock.skip(3_000);
    const late = await callApi(slack, 'views.open', { trigger_id: seen[0] ?? '', view });
    expect(late).toMatchObject({ error: 'expired_trigger_id' });
  });

  test('fill the Home tab when it is opened', async () => {
    const { slack } = await slackWithForm();
    await slack.openHome('cleo');
    const home = await slack.until(() => slack.home('cleo'));
    expect(home.blocks).toMatchObject([{ type: 'divider' }]);
  });
});

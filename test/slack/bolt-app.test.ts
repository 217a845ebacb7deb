import { App, LogLevel, type Receiver } from '@slack/bolt';
import type { ReceiverEvent } from '@slack/bolt/dist/types/receiver.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Logger, silentLogger } from '../../src/base/index.ts';
import { acknowledgeAfter, createBoltApp, isForInstallation } from '../../src/slack/bolt-app.ts';
import type { Identity } from '../../src/slack/objects.ts';
import type { WebFetch } from '../../src/slack/web-api.ts';
import { slackLogger } from '../../src/slack/web-api.ts';
import { createListLogger } from '../support/list-logger.ts';

class MustRedeliver extends Error {}

/** Returns a Bolt app whose requests are those that the test passes to `deliver`. */
function start({ guarded = true } = {}) {
  let inner: Pick<App, 'processEvent'> | undefined;
  const receiver: Receiver = {
    init: (app) => {
      inner = app;
    },
    start: async () => undefined,
    stop: async () => undefined,
  };
  const { logger, lines } = createListLogger();
  const mustRedeliver = (error: unknown) => error instanceof MustRedeliver;
  const options = { mustRedeliver, logger, inHand: () => undefined, onUnrecorded: () => undefined };
  const app = new App({
    receiver,
    token: 'xoxb-1',
    botId: 'B1',
    botUserId: 'UBOT',
    logger: slackLogger(silentLogger),
    logLevel: LogLevel.ERROR,
  });
  if (guarded) acknowledgeAfter(app, options);
  app.error(async (error) => {
    throw error;
  });
  const deliver = (body: ReceiverEvent['body']) => {
    const acks: unknown[] = [];
    const ack = async (response: unknown) => void acks.push(response);
    return { acks, done: inner?.processEvent({ body, ack }) ?? Promise.resolve() };
  };
  return { app, deliver, lines };
}

const event = (type: string) => ({
  type: 'event_callback',
  team_id: 'T1',
  event: { type, channel: 'C1', user: 'U1', ts: '1.2', channel_type: 'channel' },
});

const turns = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('acknowledgeAfter', () => {
  it.each(['null', '7', '"text"', '[]'])('acknowledges a non-object body: %s', async (text) => {
    const { deliver, lines } = start();
    const { acks, done } = deliver(JSON.parse(text));
    await done;
    expect(acks).toHaveLength(1);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('acknowledges an event only when its listener has ended', async () => {
    const { app, deliver } = start();
    const gate = Promise.withResolvers<void>();
    app.event('message', () => gate.promise);
    const { acks, done } = deliver(event('message'));
    await turns();
    expect(acks).toEqual([]);
    gate.resolve();
    await done;
    expect(acks).toHaveLength(1);
  });

  it('is needed, because Bolt alone acknowledges before the listener has ended', async () => {
    const { app, deliver } = start({ guarded: false });
    const gate = Promise.withResolvers<void>();
    app.event('message', () => gate.promise);
    const { acks, done } = deliver(event('message'));
    await turns();
    expect(acks).toHaveLength(1);
    gate.resolve();
    await done;
  });

  it('does not acknowledge an event that must be delivered again', async () => {
    const { app, deliver } = start();
    app.event('message', async () => {
      throw new MustRedeliver('the disk is full');
    });
    const { acks, done } = deliver(event('message'));
    await expect(done).rejects.toThrow('the disk is full');
    expect(acks).toEqual([]);
  });

  it('logs once why an event must be delivered again, however Bolt wraps the error', async () => {
    const { app, deliver, lines } = start();
    const why = new MustRedeliver('the disk is full; make room');
    for (const fails of [why, new TypeError('a fault')])
      app.event('message', async () => {
        throw fails;
      });
    await expect(deliver(event('message')).done).rejects.toThrow();
    expect(lines).toMatchObject([
      {
        level: 'error',
        fields: { error: why },
        text: expect.stringContaining('delivers it again'),
      },
    ]);
  });

  it('acknowledges an event that fails otherwise, as redelivery would not help', async () => {
    const { app, deliver } = start();
    app.event('message', async () => {
      throw new TypeError('a fault');
    });
    const { acks, done } = deliver(event('message'));
    await done;
    expect(acks).toHaveLength(1);
  });

  it.each([event('reaction_added'), { type: 'app_rate_limited' }, { type: 'new' }])(
    'acknowledges a request without a listener: %j',
    async (body) => {
      const { acks, done } = start().deliver(body);
      await done;
      expect(acks).toHaveLength(1);
    },
  );

  it('lets a command’s listener acknowledge it early, and does not do so again', async () => {
    const { app, deliver } = start();
    const gate = Promise.withResolvers<void>();
    app.command('/files', async ({ ack }) => {
      await ack();
      await gate.promise;
    });
    const command = { command: '/files', text: '', team_id: 'T1', channel_id: 'C1', user_id: 'U1' };
    const { acks, done } = deliver(command);
    await turns();
    expect(acks).toHaveLength(1);
    gate.resolve();
    await done;
    expect(acks).toHaveLength(1);
  });

  it('acknowledges a command whose listener fails before doing so', async () => {
    const { app, deliver } = start();
    app.command('/files', async () => {
      throw new TypeError('a fault');
    });
    const command = { command: '/files', text: '', team_id: 'T1', channel_id: 'C1', user_id: 'U1' };
    const { acks, done } = deliver(command);
    await done;
    expect(acks).toHaveLength(1);
  });
});

const IDENTITY = { team: 'T1', botUserId: 'UBOT', botId: 'BBOT', appId: 'A1' };
const ours = { type: 'event_callback', api_app_id: 'A1', event: {} };

it.each([
  ['accepts an event of this workspace', { ...ours, team_id: 'T1' }, true],
  ['rejects an event of another workspace', { ...ours, team_id: 'T2' }, false],
  ['rejects an event of another app', { ...ours, team_id: 'T1', api_app_id: 'A2' }, false],
  [
    'accepts an event by a partner’s member that is sent to this workspace',
    { ...ours, team_id: 'T2', context_team_id: 'T1' },
    true,
  ],
  [
    'accepts an event by a partner’s member that is authorised for this workspace',
    { ...ours, team_id: 'T2', authorizations: [{ team_id: 'T1' }] },
    true,
  ],
  [
    'rejects an event by a member of this workspace that is sent to a partner only',
    { ...ours, team_id: 'T1', context_team_id: 'T2', authorizations: [{ team_id: 'T2' }] },
    false,
  ],
  [
    'accepts an event of an organisation that is authorised for this workspace',
    { ...ours, team_id: 'E1', context_team_id: 'E1', authorizations: [{ team_id: 'T1' }] },
    true,
  ],
  [
    'accepts an event of this workspace with malformed authorizations',
    { ...ours, team_id: 'T1', authorizations: [null, 7] },
    true,
  ],
  ['accepts a command of this workspace', { team_id: 'T1', command: '/files' }, true],
  ['rejects a command of another workspace', { team_id: 'T2', command: '/files' }, false],
  [
    'accepts a button press in this workspace',
    { team: { id: 'T1' }, user: { team_id: 'T1' } },
    true,
  ],
  [
    'rejects a button press in another workspace',
    { team: { id: 'T2' }, user: { team_id: 'T2' } },
    false,
  ],
  [
    'accepts a button press in an organisation by a member of this workspace',
    { team: null, user: { team_id: 'T1' } },
    true,
  ],
  [
    'accepts a button press by a partner’s member on a message of our bot',
    { team: { id: 'T2' }, user: { team_id: 'T2' }, message: { user: 'UBOT' } },
    true,
  ],
  [
    'rejects a button press for another app on a message with our bot’s user ID',
    { team: { id: 'T2' }, message: { user: 'UBOT' }, api_app_id: 'A2' },
    false,
  ],
  [
    'accepts a form of the app as installed in this workspace',
    { team: { id: 'E1' }, view: { app_installed_team_id: 'T1' } },
    true,
  ],
  ['accepts a body that names no workspace', { type: 'something new' }, true],
])('isForInstallation %s', (_what, body, expected) => {
  expect(isForInstallation(body, IDENTITY)).toBe(expected);
});

it('isForInstallation goes by the workspace alone if the app’s ID is unknown', () => {
  const identity = { ...IDENTITY, appId: undefined };
  expect(isForInstallation({ api_app_id: 'A2', team_id: 'T1' }, identity)).toBe(true);
  expect(isForInstallation({ api_app_id: 'A2', team_id: 'T2' }, identity)).toBe(false);
});

/** Returns the product's Bolt app and a function that delivers a request's body to it. */
async function startBoltApp(
  fetch: WebFetch,
  {
    logger = silentLogger,
    appToken,
    identity = IDENTITY,
  }: { logger?: Logger; appToken?: string; identity?: Identity } = {},
) {
  let deliver = async (_body: object): Promise<void> => undefined;
  const receiver: Receiver = {
    init: (app) => {
      deliver = (body) =>
        app.processEvent({ body: { ...body }, ack: async () => undefined } as ReceiverEvent);
    },
    start: async () => undefined,
    stop: async () => undefined,
  };
  const app = createBoltApp({
    receiver,
    identity,
    botToken: 'xoxb-1',
    appToken: appToken ?? null,
    acknowledge: 'after',
    mustRedeliver: () => false,
    onUnrecorded: () => undefined,
    inHand: () => undefined,
    slackApiUrl: 'http://127.0.0.1:9/',
    logger,
    fetch,
  });
  return { app, deliver: (body: object) => deliver(body) };
}

it('the Bolt app logs once that requests for another app arrive', async () => {
  const { logger, lines } = createListLogger();
  const { deliver } = await startBoltApp(fetch, { logger });
  const foreign = { ...event('message'), api_app_id: 'A2' };
  for (const body of [{ ...event('message'), team_id: 'T2' }, foreign, foreign])
    await deliver(body);
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([
    {
      level: 'warn',
      fields: { app: 'A2', ours: 'A1' },
      text: expect.stringMatching(
        /ignored\. Take SLACK_APP_TOKEN .* or SLACK_SIGNING_SECRET .* from the bot token’s app$/,
      ),
    },
  ]);
});

it.each([
  ['xapp-1-A0123456789-1-a', ['A0123456789']],
  ['xapp-1-A0000000001-1-a', []],
  ['xapp-1-a', []],
])('the Bolt app logs at the start that %s is another app’s token', async (appToken, others) => {
  const { logger, lines } = createListLogger();
  const own = { ...IDENTITY, appId: 'A0000000001' };
  const { deliver } = await startBoltApp(fetch, { logger, appToken, identity: own });
  const warned = () => lines.filter(({ level }) => level === 'warn');
  expect(warned().map(({ fields }) => fields)).toEqual(
    others.map((app) => ({ app, ours: 'A0000000001' })),
  );
  await deliver({ ...event('message'), api_app_id: 'A0123456789' });
  expect(warned()).toHaveLength(1);
});

it('the Bolt app waits ten seconds for Slack to take an answer to a command, and no longer', async () => {
  const timeUp = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeUp.signal);
  onTestFinished(() => timeout.mockRestore());
  const silent: WebFetch = (_url, init) =>
    new Promise((_resolve, reject) =>
      init?.signal?.addEventListener('abort', () => reject('late')),
    );
  const { app, deliver } = await startBoltApp(silent);
  const ends: unknown[] = [];
  app.command('/files', async ({ respond }) => {
    await respond('Your files').catch((error: unknown) => ends.push(error));
  });
  const asked = { command: '/files', team_id: 'T1', response_url: 'http://127.0.0.1:9/answer' };
  const handled = deliver(asked);
  await turns();
  expect(ends).toEqual([]);
  timeUp.abort();
  await handled;
  expect(ends).toEqual(['late']);
  expect(timeout.mock.calls).toEqual([[10_000]]);
});

describe('what a person types reaches the listeners up to 3,000 characters', () => {
  const long = 'x'.repeat(40_000);
  const cut = `${'x'.repeat(2_999)}…`;
  const from = { team: { id: 'T1' }, user: { id: 'U1', team_id: 'T1' } };
  const fields = (value: string) => ({ address: { form_address: { type: 'text', value } } });
  const form = {
    ...{ id: 'V1', type: 'modal', callback_id: 'form', private_metadata: '{}' },
    state: { values: { ...fields(long), empty: { other: { type: 'text', value: null } } } },
  };

  it('in a command', async () => {
    const { app, deliver } = await startBoltApp(fetch);
    const seen: unknown[] = [];
    app.command('/files', async ({ command }) => void seen.push(command.text));
    const command = { command: '/files', team_id: 'T1', channel_id: 'C1', user_id: 'U1' };
    const whole = 'x'.repeat(3_000);
    for (const text of [long, whole, undefined]) await deliver({ ...command, text });
    expect(seen).toEqual([cut, whole, undefined]);
  });

  it('in a command, whose entities are decoded once before', async () => {
    const { app, deliver } = await startBoltApp(fetch);
    const seen: unknown[] = [];
    app.command('/files', async ({ command }) => void seen.push(command.text));
    const command = { command: '/files', team_id: 'T1', channel_id: 'C1', user_id: 'U1' };
    for (const text of ['&lt;b&gt; &amp;amp;', '&amp;'.repeat(3_000), '&amp;'.repeat(8_000)])
      await deliver({ ...command, text });
    expect(seen).toEqual(['<b> &amp;', '&'.repeat(3_000), `${'&'.repeat(2_999)}…`]);
  });

  it('in a search field', async () => {
    const { app, deliver } = await startBoltApp(fetch);
    const seen: unknown[] = [];
    app.options<'block_suggestion'>(
      { type: 'block_suggestion', action_id: 'form_project' },
      async ({ options, body }) => void seen.push(options.value, body.value),
    );
    const search = { ...from, type: 'block_suggestion', action_id: 'form_project', block_id: 'b' };
    await deliver({ ...search, value: long });
    expect(seen).toEqual([cut, cut]);
  });

  it.each(['view_submission', 'block_actions'])('in the fields of a form: %s', async (type) => {
    const { app, deliver } = await startBoltApp(fetch);
    const seen: unknown[] = [];
    app.view('form', async ({ view }) => void seen.push(view.state.values));
    app.action('choice', async ({ body }) => {
      seen.push('view' in body && body.view?.state.values);
    });
    const actions = [{ type: 'button', action_id: 'choice', block_id: 'b', value: 'v' }];
    await deliver({ ...from, type, view: structuredClone(form), actions });
    expect(seen).toEqual([{ ...form.state.values, ...fields(cut) }]);
  });
});

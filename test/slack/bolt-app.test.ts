import { App, LogLevel, type Receiver } from '@slack/bolt';
import type { ReceiverEvent } from '@slack/bolt/dist/types/receiver.js';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { acknowledgeAfter, createBoltApp, isForInstallation } from '../../src/slack/bolt-app.ts';
import { slackLogger } from '../../src/slack/web-api.ts';
import { createListLogger } from '../support/list-logger.ts';

class MustRedeliver extends Error {}

/** A Bolt app behind a receiver that is told by hand what has come in. */
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
  const options = { mustRedeliver, logger, inHand: () => undefined };
  const app = new App({
    receiver: guarded ? acknowledgeAfter(receiver, options) : receiver,
    token: 'xoxb-1',
    botId: 'B1',
    botUserId: 'UBOT',
    logger: slackLogger(silentLogger),
    logLevel: LogLevel.ERROR,
  });
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
  it.each(['null', '7', '"text"', '[]'])('answers a body that is no object: %s', async (text) => {
    const { deliver, lines } = start();
    const { acks, done } = deliver(JSON.parse(text));
    await done;
    expect(acks).toHaveLength(1);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('answers an event when its listener has ended, not before', async () => {
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

  it('is needed: Bolt alone answers before', async () => {
    const { app, deliver } = start({ guarded: false });
    const gate = Promise.withResolvers<void>();
    app.event('message', () => gate.promise);
    const { acks, done } = deliver(event('message'));
    await turns();
    expect(acks).toHaveLength(1);
    gate.resolve();
    await done;
  });

  it('does not answer an event that must be delivered again', async () => {
    const { app, deliver } = start();
    app.event('message', async () => {
      throw new MustRedeliver('the disk is full');
    });
    const { acks, done } = deliver(event('message'));
    await expect(done).rejects.toThrow('the disk is full');
    expect(acks).toEqual([]);
  });

  it('logs once why an event must be delivered again, whatever Bolt wraps it in', async () => {
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

  it('answers an event whose listener fails otherwise: again would be no better', async () => {
    const { app, deliver } = start();
    app.event('message', async () => {
      throw new TypeError('a fault');
    });
    const { acks, done } = deliver(event('message'));
    await done;
    expect(acks).toHaveLength(1);
  });

  it.each([event('reaction_added'), { type: 'app_rate_limited' }, { type: 'new' }])(
    'answers what nobody listens for: %j',
    async (body) => {
      const { acks, done } = start().deliver(body);
      await done;
      expect(acks).toHaveLength(1);
    },
  );

  it('leaves the answer to a command to its listener, as early as it likes', async () => {
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

  it('answers a command whose listener fails before it answered', async () => {
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
  ['an event of ours', { ...ours, team_id: 'T1' }, true],
  ['one of another workspace', { ...ours, team_id: 'T2' }, false],
  ['one of another app', { ...ours, team_id: 'T1', api_app_id: 'A2' }, false],
  ['by somebody of a partner, told to us', { ...ours, team_id: 'T2', context_team_id: 'T1' }, true],
  [
    'by somebody of a partner, authorised for us',
    { ...ours, team_id: 'T2', authorizations: [{ team_id: 'T1' }] },
    true,
  ],
  [
    'by somebody of ours, told to a partner alone',
    { ...ours, team_id: 'T1', context_team_id: 'T2', authorizations: [{ team_id: 'T2' }] },
    false,
  ],
  [
    'of an organisation',
    { ...ours, team_id: 'E1', context_team_id: 'E1', authorizations: [{ team_id: 'T1' }] },
    true,
  ],
  [
    'with authorizations that are none',
    { ...ours, team_id: 'T1', authorizations: [null, 7] },
    true,
  ],
  ['a command of ours', { team_id: 'T1', command: '/files' }, true],
  ['a command of another workspace', { team_id: 'T2', command: '/files' }, false],
  ['a press of ours', { team: { id: 'T1' }, user: { team_id: 'T1' } }, true],
  ['a press of another workspace', { team: { id: 'T2' }, user: { team_id: 'T2' } }, false],
  ['a press of ours in an organisation', { team: null, user: { team_id: 'T1' } }, true],
  [
    'a press by somebody of a partner on a message of ours',
    { team: { id: 'T2' }, user: { team_id: 'T2' }, message: { user: 'UBOT' } },
    true,
  ],
  [
    'the same of another app that has taken our bot’s name',
    { team: { id: 'T2' }, message: { user: 'UBOT' }, api_app_id: 'A2' },
    false,
  ],
  ['a form of ours', { team: { id: 'E1' }, view: { app_installed_team_id: 'T1' } }, true],
  ['what names nobody', { type: 'something new' }, true],
])('%s', (_what, body, expected) => {
  expect(isForInstallation(body, IDENTITY)).toBe(expected);
});

it('goes by the workspace alone where the app’s identifier is not known', () => {
  const identity = { ...IDENTITY, appId: undefined };
  expect(isForInstallation({ api_app_id: 'A2', team_id: 'T1' }, identity)).toBe(true);
  expect(isForInstallation({ api_app_id: 'A2', team_id: 'T2' }, identity)).toBe(false);
});

it('logs once that another app’s requests come in, as when the tokens are of two apps', async () => {
  const { logger, lines } = createListLogger();
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
    inlet: { receiver, requestListener: null, connection: null },
    identity: IDENTITY,
    botToken: 'xoxb-1',
    acknowledge: 'after',
    mustRedeliver: () => false,
    inHand: () => undefined,
    slackApiUrl: 'http://127.0.0.1:9/',
    logger,
    fetch,
  });
  await app.init();
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

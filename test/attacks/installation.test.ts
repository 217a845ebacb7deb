import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { settledShare } from '../support/slack-channel.ts';
import { postSigned } from '../support/slack-requests.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const ELSEWHERE = 'T0ELSEWHERE';

describe.each([
  ['HTTP', false],
  ['Socket Mode', true],
])('over %s, an event or command that Slack signs for another installation', (_way, socketMode) => {
  let stack: Stack;
  const written: string[] = [];
  beforeAll(async () => {
    const aroundLedger = (ledger: Ledger): Ledger => ({
      ...ledger,
      recordShare: (input) => {
        written.push(`share ${input.share.ts}`);
        return ledger.recordShare(input);
      },
      setLink: (...link) => {
        written.push('link');
        return ledger.setLink(...link);
      },
    });
    stack = await startStack({ socketMode, appOptions: { aroundLedger } });
    if (socketMode) await stack.slack.until(() => stack.slack.socket.connections() > 0);
  });
  afterAll(() => stack.stop());

  /** Shares a file without its event; returns the envelope that would carry the event. */
  async function untoldShare(name: string) {
    const { slack } = stack;
    const files = [{ name, bytes: randomBytes(100) }];
    const posted = await slack.share({ channel: 'general', user: 'ben', files, deliver: false });
    const messages = await slack.state('general');
    const {
      reactions: _none,
      replies: _neither,
      ...message
    } = messages.find(({ ts }) => ts === posted.ts) ?? {};
    const { general: channel } = slack.ids.channels;
    const event = { ...message, type: 'message', channel, channel_type: 'channel' };
    const payload = {
      type: 'event_callback',
      api_app_id: slack.ids.app,
      team_id: slack.ids.team,
      context_team_id: slack.ids.team,
      authorizations: [{ team_id: slack.ids.team, user_id: slack.ids.bot, is_bot: true }],
      event,
      event_id: `Ev${name}`,
    };
    return { posted, payload };
  }

  /** Returns how often the app has asked Slack about a user. */
  const askedWho = () => stack.slack.calls.filter(({ method }) => method === 'users.info').length;

  const authorized = (team_id: string) => ({
    team_id,
    context_team_id: team_id,
    authorizations: [{ team_id }],
  });

  it.each([
    ['workspace', authorized(ELSEWHERE)],
    ['app', { api_app_id: 'A0OTHER' }],
  ])('has no effect and gets a 200, if another %s is named', async (what, changed) => {
    const { payload } = await untoldShare(`other-${what}.bin`);
    written.length = 0;
    const foreign = { ...payload, ...changed };
    const attempt = await stack.slack.sendRaw({ type: 'events_api', payload: foreign });
    expect(attempt.status).toBe(200);
    expect(written).toEqual([]);
  });

  it('has its effect if it names our installation, also from a partner in a shared channel', async () => {
    for (const [name, team_id] of [
      ['ours.bin', stack.slack.ids.team],
      ['partner.bin', ELSEWHERE],
    ] as const) {
      const { posted, payload } = await untoldShare(name);
      const shared = { ...payload, team_id };
      await stack.slack.sendRaw({ type: 'events_api', payload: shared });
      await settledShare(stack.slack, posted);
    }
    const names = stack.service.store.files(FOLDER).map(({ name }) => name);
    expect(names).toContain('ours.bin');
    expect(names).toContain('partner.bin');
    expect(names.filter((name) => name.startsWith('other-'))).toEqual([]);
  });

  it.each([
    ['link', `link 23423235/${FOLDER}`, 'workspace', { team_id: ELSEWHERE }],
    ['link', `link 23423235/${FOLDER}`, 'app', { api_app_id: 'A0OTHER' }],
  ])(
    'changes nothing as a command to %s (%s) of another %s',
    async (verb, text, _what, changed) => {
      const { ids } = stack.slack;
      const ours = {
        command: '/files',
        text,
        team_id: ids.team,
        api_app_id: ids.app,
        user_id: ids.users['ada'],
        channel_id: ids.channels['general'],
        channel_name: 'general',
        response_url: `${stack.slack.origin}/response/none`,
        trigger_id: '1.2',
      };
      const payload = { ...ours, ...changed };
      written.length = 0;
      const asked = askedWho();
      const attempt = await stack.slack.sendRaw({ type: 'slash_commands', payload });
      expect(attempt).toMatchObject({ status: 200 });
      expect(attempt.body === '' || JSON.stringify(attempt.body) === '{}').toBe(true);
      // A command first asks Slack about its sender: of the two, only the later one does.
      await stack.slack.command({ command: '/files', text, user: 'ada', channel: 'general' });
      await stack.slack.until(() => written.length > 0);
      expect(written).toEqual([verb]);
      expect(askedWho()).toBe(asked + 1);
    },
  );
});

describe('a signed body that is no object', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.stop());

  const JSON_TYPE = 'application/json';
  const FORM = 'application/x-www-form-urlencoded';

  it.each([
    [JSON_TYPE, 'null'],
    [JSON_TYPE, '[]'],
    [JSON_TYPE, '[{"type":"event_callback"}]'],
    [JSON_TYPE, '7'],
    [JSON_TYPE, '"text"'],
    [JSON_TYPE, 'true'],
    [JSON_TYPE, ''],
    [FORM, 'payload=null'],
    [FORM, 'payload=7'],
    [FORM, 'payload=%5B%5D'],
    [FORM, 'payload='],
    [FORM, 'payload=%7B'],
    [FORM, 'payload=null&payload=null'],
    [FORM, ''],
    [JSON_TYPE, '{"type":"event_callback","event":null}'],
    [JSON_TYPE, '{"type":"event_callback","event":7,"authorizations":{}}'],
    [JSON_TYPE, '{"type":"block_actions","actions":null}'],
  ])('(%s: %s) gets a response, and the app keeps running', async (type, body) => {
    const answer = await postSigned(stack.port, body, { secret: stack.slack.signingSecret, type });
    expect([200, 400]).toContain(answer.status);
    expect((await fetch(`http://127.0.0.1:${stack.port}/healthz`)).status).toBe(200);
  });
});

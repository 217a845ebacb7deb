import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Ledger, LedgerError } from '../../src/ledger/index.ts';
import { signatureHeaders } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { person, screen } from '../support/person.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const MINUTE = 60_000;

let stack: Stack;
let findLink: (() => never) | null = null;
beforeAll(async () => {
  const aroundLedger = (ledger: Ledger): Ledger => ({
    ...ledger,
    findLink: (ref) => (findLink ?? (() => ledger.findLink(ref)))(),
  });
  stack = await startStack({ appOptions: { aroundLedger } });
});
afterAll(() => stack.stop());
beforeEach(() => {
  findLink = null;
  stack.service.faults.clear();
});

interface Sending {
  type?: string;
  /** How far ahead of now the request claims to be sent, in milliseconds. */
  skewMs?: number;
  secret?: string;
}

function send(body: string, { type = JSON_TYPE, skewMs = 0, secret }: Sending = {}) {
  const { signingSecret } = stack.slack;
  const signature = signatureHeaders(secret ?? signingSecret, body, Date.now() + skewMs);
  return post(body, { 'content-type': type, ...signature });
}

function post(body: string, headers: Record<string, string>) {
  const address = `http://127.0.0.1:${stack.port}/slack/events`;
  return fetch(address, { method: 'POST', body, headers });
}

function shareEvent(ts: string): string {
  const file = { id: `F0FORGED${ts}`, name: 'forged.bin', size: 4, mode: 'hosted' };
  const { general: channel } = stack.slack.ids.channels;
  const { ben: user } = stack.slack.ids.users;
  const event = { type: 'message', channel, user, ts, files: [file] };
  return JSON.stringify({
    type: 'event_callback',
    team_id: stack.slack.ids.team,
    event_id: `Ev${ts}`,
    event,
    authorizations: [{ team_id: stack.slack.ids.team, user_id: stack.slack.ids.bot, is_bot: true }],
  });
}

/** Returns how many reactions the app added, a sign of the shares in the ledger. */
const reactions = () => stack.slack.calls.filter(({ method }) => method === 'reactions.add').length;

const command = new URLSearchParams({ command: '/files', text: 'help', team_id: 'T000000001' });

describe('a request with a doubtful signature, time or address', () => {
  it.each(['wrong signature', 'old timestamp', 'no signature'] as const)(
    'is refused with %s, and nothing is recorded',
    async (kind) => {
      const before = reactions();
      const attempt = await stack.slack.sendForged(
        kind,
        JSON.parse(shareEvent('1700000001.000001')),
      );
      expect(attempt.status).toBe(401);
      expect(reactions()).toBe(before);
    },
  );

  it.each([
    ['replayed after six minutes', -6 * MINUTE],
    ['dated six minutes ahead', 6 * MINUTE],
    ['dated a year ahead', 365 * 24 * 60 * MINUTE],
  ])('is refused when it is %s', async (_what, skewMs) => {
    expect((await send(shareEvent('1700000002.000001'), { skewMs })).status).toBe(401);
    const form = await send(command.toString(), { type: FORM, skewMs });
    expect(form.status).toBe(401);
  });

  it('is refused with a signature for another body', async () => {
    const headers = signatureHeaders(stack.slack.signingSecret, '{}', Date.now());
    const answer = await post(shareEvent('1700000003.000001'), {
      'content-type': JSON_TYPE,
      ...headers,
    });
    expect(answer.status).toBe(401);
  });

  it('is accepted when it is a minute old or a minute ahead', async () => {
    for (const skewMs of [-MINUTE, MINUTE])
      expect((await send('{"type":"event_callback"}', { skewMs })).status).toBe(200);
  });

  it.each(['{"type":', 'not json', ''])(
    'is refused with the body %j, without harm',
    async (body) => {
      const answer = await send(body);
      expect(answer.status).toBeLessThan(500);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(await alive()).toBe(true);
    },
  );

  it('gets a 404 at an unknown address or with another method', async () => {
    const origin = `http://127.0.0.1:${stack.port}`;
    expect((await fetch(`${origin}/slack/events`)).status).toBe(404);
    for (const path of ['/', '/slack/install', '/slack/events/x', '//', '/%'])
      expect((await fetch(`${origin}${path}`)).status).toBe(404);
    for (const method of ['PUT', 'DELETE', 'HEAD', 'OPTIONS'])
      expect((await fetch(`${origin}/slack/events`, { method })).status).toBe(404);
    expect((await fetch(`${origin}/slack/other`, { method: 'POST', body: '{}' })).status).toBe(404);
  });
});

describe('a Slack request other than a share', () => {
  it('gets its challenge back for url_verification', async () => {
    const answer = await send(JSON.stringify({ type: 'url_verification', challenge: 'abc123' }));
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ challenge: 'abc123' });
  });

  it('gets a 200 for an unsigned ssl_check', async () => {
    const answer = await post('ssl_check=1&token=old', { 'content-type': FORM });
    expect(answer.status).toBe(200);
  });

  it.each([
    ['an event of an unknown type', { type: 'event_callback', event: { type: 'moon_landed' } }],
    ['app_rate_limited', { type: 'app_rate_limited', team_id: 'T1', minute_rate_limited: 1 }],
    ['something new', { type: 'from_the_future' }],
    ['a message event without anything', { type: 'event_callback', event: { type: 'message' } }],
    [
      'a message with odd files',
      {
        type: 'event_callback',
        event: { type: 'message', channel: 'C1', ts: '1.2', files: [null, 7, {}, { id: '' }] },
      },
    ],
  ])('gets a 200 for %s', async (_what, body) => {
    const answer = await send(JSON.stringify(body));
    expect(answer.status).toBe(200);
    expect(await alive()).toBe(true);
  });

  it('gets a 200 for an unknown command and an unknown button', async () => {
    const unknown = new URLSearchParams({ ...Object.fromEntries(command), command: '/unknown' });
    expect((await send(unknown.toString(), { type: FORM })).status).toBe(200);
    const payload = {
      type: 'block_actions',
      user: { id: 'U1' },
      team: { id: 'T000000001' },
      channel: { id: 'C1' },
      actions: [{ type: 'button', action_id: 'unknown', block_id: 'b', value: '' }],
    };
    const form = new URLSearchParams({ payload: JSON.stringify(payload) });
    expect((await send(form.toString(), { type: FORM })).status).toBe(200);
  });
});

describe('a command whose handling fails', () => {
  it('gets a plain message without internal details', async () => {
    findLink = () => {
      throw new TypeError('secret inner detail');
    };
    const shown = screen(await person(stack.slack, 'ben').types('/files'));
    expect(shown).toContain(
      'I couldn’t list the files: something went wrong in Pigeonhole itself.',
    );
    expect(shown).toMatch(/- For your admin: [0-9a-f]{8}/);
    expect(shown).not.toContain('inner detail');
  });
});

describe('a share whose recording fails', () => {
  it('is not acknowledged, so that Slack delivers it again and it is filed', async () => {
    let failures = 2;
    findLink = () => {
      failures -= 1;
      if (failures === 0) findLink = null;
      throw new LedgerError('LEDGER_UNAVAILABLE', 'locked');
    };
    const files = [{ name: 'again.bin', bytes: 'again' }];
    const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
    expect(posted.deliveries.map(({ status }) => status)).toEqual([500, 500, 200]);
    await stack.slack.until(() =>
      stack.service.store.files(FOLDER).some(({ name }) => name === 'again.bin'),
    );
  });
});

describe('the probes', () => {
  const get = (path: string) => fetch(`http://127.0.0.1:${stack.port}${path}`);

  it('report that the app is alive and ready', async () => {
    expect(await (await get('/healthz')).json()).toEqual({ ok: true });
    const ready = await get('/readyz');
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ ok: true, database: 'ok', slack: 'ok', service: 'ok' });
  });

  it('return metrics for Prometheus', async () => {
    const answer = await get('/metrics');
    expect(answer.headers.get('content-type')).toContain('text/plain');
    const text = await answer.text();
    expect(text).toMatch(/^pigeonhole_build_info\{version="\d+\.\d+\.\d+"\} 1$/m);
    expect(text).toMatch(/^pigeonhole_transfers_waiting 0$/m);
    expect(text).toMatch(/^pigeonhole_transfers_refused 0$/m);
    expect(text).toMatch(/^pigeonhole_requests_allowed \d+$/m);
  });

  it('name what does not answer', async () => {
    const failing = await startStack();
    failing.service.faults.set({ mode: '500' });
    failing.slack.fail('auth.test', 'account_inactive', 5);
    const answer = await fetch(`http://127.0.0.1:${failing.port}/readyz`);
    expect(answer.status).toBe(503);
    const body = await answer.json();
    expect(body).toEqual({
      ok: false,
      database: 'ok',
      slack: 'does not work',
      service: 'does not work',
    });
    await failing.stop();
  });
});

async function alive(): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${stack.port}/healthz`)).ok;
}

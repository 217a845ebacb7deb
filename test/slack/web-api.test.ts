import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { askedToWaitMs, isFinal, wasNotSent } from '../../src/base/index.ts';
import {
  codeOf,
  mayBeRepeated,
  SlackCallError,
  slackFetch,
  startProblem,
  toCallError,
} from '../../src/slack/web-api.ts';
import { freePort } from '../support/loopback.ts';
import { startServer } from '../support/start-server.ts';

const refusal = (reason: string) => new SlackCallError(codeOf(reason), reason, { reason });

describe('a failed call', () => {
  it.each([
    ...['channel_not_found', 'missing_scope', 'is_archived', 'is_inactive'],
    ...['restricted_action_read_only_channel', 'restricted_action_thread_only_channel'],
    ...['restricted_action_non_threadable_channel', 'cannot_reply_to_message'],
  ])('with %s is permanent', (reason) => {
    expect(isFinal(refusal(reason))).toBe(true);
  });

  it.each(['internal_error', 'ratelimited', 'something_new', ''])(
    'with %j may be transient',
    (reason) => {
      expect(isFinal(refusal(reason))).toBe(false);
    },
  );

  it.each(['ratelimited', 'rate_limited', 'message_limit_exceeded'])(
    'with %s was not done, and may be repeated after a wait',
    (reason) => {
      expect(mayBeRepeated(refusal(reason))).toBe(true);
      // Whoever retries must wait, also where Slack does not say how long.
      expect(askedToWaitMs(refusal(reason))).toBe(30_000);
    },
  );

  it('surely had no effect if Slack says so or there was no connection', () => {
    const refused = Object.assign(new Error('refused'), { syscall: 'connect' });
    const failing = (cause: Error) =>
      toCallError('chat.postEphemeral', new TypeError('fetch failed', { cause }));
    expect(failing(refused).hadNoEffect).toBe(true);
    expect(failing(new Error('socket hang up')).hadNoEffect).toBe(false);
    const reasons = ['service_unavailable', 'ratelimited', 'is_archived', 'internal_error'];
    expect(reasons.map((one) => refusal(one).hadNoEffect)).toEqual([true, true, true, false]);
    expect(refusal('fatal_error').hadNoEffect).toBe(false);
  });

  it('is a refusal unless Slack reports a rate limit or trouble of its own', () => {
    expect(['fatal_error', 'ratelimited', 'something_new'].map(codeOf)).toEqual([
      'SLACK_UNREACHABLE',
      'SLACK_RATE_LIMITED',
      'SLACK_REFUSED',
    ]);
  });
});

describe('startProblem', () => {
  it.each<['SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN', string, RegExp]>([
    ['SLACK_BOT_TOKEN', 'invalid_auth', /Copy it again/],
    ['SLACK_APP_TOKEN', 'invalid_auth', /Copy it again/],
    ['SLACK_BOT_TOKEN', 'account_inactive', /Reinstall .*Install App.* copy the new token/],
    ['SLACK_BOT_TOKEN', 'token_expired', /Reinstall .*Install App.* copy the new token/],
    ['SLACK_BOT_TOKEN', 'token_revoked', /Reinstall .*Install App.* copy the new token/],
    ['SLACK_APP_TOKEN', 'missing_scope', /Generate .*connections:write .*Basic Information/],
    ['SLACK_APP_TOKEN', 'token_revoked', /Generate .*connections:write .*Basic Information/],
  ])('names %s and what to do about %s', (setting, reason, advice) => {
    const problem = startProblem(setting, refusal(reason));
    expect(problem).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(problem.message).toContain(`${setting} (${reason})`);
    expect(problem.message).toMatch(advice);
    expect(problem.message.match(/Copy|Reinstall|Generate/g)).toHaveLength(1);
  });

  it('says how long Slack asks to wait, and names no setting', () => {
    const limited = new SlackCallError('SLACK_RATE_LIMITED', 'wait', { retryAfterMs: 29_400 });
    const { message } = startProblem('SLACK_BOT_TOKEN', limited);
    expect(message).toBe('Slack asks to wait 30 s. Start Pigeonhole again after that.');
  });

  it('says what keeps Slack away, once, and what to check', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const away = toCallError('auth.test', new Error('request failed', { cause }));
    const { message } = startProblem('SLACK_BOT_TOKEN', away);
    expect(message).toMatch(/\(auth\.test: connect ECONNREFUSED\)\. Check the network, and/);
  });
});

const slackThat = (listener: RequestListener) => startServer(listener);

describe('slackFetch', () => {
  it('sends text with its headers, and returns the whole response', async () => {
    const url = await slackThat(async (request, response) => {
      const { method, headers } = request;
      const asked = { method, token: headers.authorization, body: await text(request) };
      response.setHeader('Retry-After', '3');
      response.writeHead(429, 'Slow down');
      response.write('{"asked":');
      response.end(`${JSON.stringify(asked)}}`);
    });
    const init = { method: 'POST', headers: { Authorization: 'Bearer x' }, body: 'é=1' };
    const answer = await slackFetch(`${url}/api/auth.test`, init);
    const { ok, status, statusText } = answer;
    expect({ ok, status, statusText }).toEqual({ ok: false, status: 429, statusText: 'Slow down' });
    expect(answer.headers.get('Retry-After')).toBe('3');
    expect(answer.headers.get('x-oauth-scopes')).toBeNull();
    expect(Object.fromEntries(answer.headers.entries())).toMatchObject({ 'retry-after': '3' });
    const asked = { method: 'POST', token: 'Bearer x', body: 'é=1' };
    expect(JSON.parse(await answer.text())).toEqual({ asked });
    expect(await answer.json()).toEqual({ asked });
  });

  it('sends the next call over the same connection', async () => {
    const ports: (number | undefined)[] = [];
    const url = await slackThat((request, response) => {
      ports.push(request.socket.remotePort);
      response.end('{}');
    });
    await slackFetch(url);
    await slackFetch(url);
    expect(new Set(ports).size).toBe(1);
    expect(ports).toHaveLength(2);
  });

  it('follows no redirect', async () => {
    const asked: (string | undefined)[] = [];
    const url = await slackThat((request, response) => {
      asked.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(await slackFetch(`${url}/api`)).toMatchObject({ ok: false, status: 302 });
    expect(asked).toEqual(['/api']);
  });

  it('rejects if the response breaks off, without claiming that nothing was sent', async () => {
    const url = await slackThat((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"ok":', () => response.destroy());
    });
    const error: unknown = await slackFetch(url).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(wasNotSent(error)).toBe(false);
  });

  it('rejects when its signal aborts, before and during the response', async () => {
    for (const begins of [false, true]) {
      const abort = new AbortController();
      const url = await slackThat((_request, response) => {
        if (begins) response.write('{');
        setImmediate(() => abort.abort());
      });
      await expect(slackFetch(url, { signal: abort.signal })).rejects.toThrow(/abort/);
    }
  });

  it('rejects with an error that says nothing was sent if nobody listens', async () => {
    const port = await freePort();
    const error: unknown = await slackFetch(`http://127.0.0.1:${port}/api`).catch(
      (reason: unknown) => reason,
    );
    expect(wasNotSent(error)).toBe(true);
  });
});

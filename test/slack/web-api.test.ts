import { describe, expect, it } from 'vitest';
import {
  callSlack,
  codeOf,
  isPermanent,
  SlackCallError,
  startProblem,
} from '../../src/slack/web-api.ts';

const refusal = (reason: string) => new SlackCallError(codeOf(reason), reason, { reason });

describe('a failed call', () => {
  it.each(['channel_not_found', 'missing_scope', 'is_archived'])(
    'with %s is permanent',
    (reason) => {
      expect(isPermanent(refusal(reason))).toBe(true);
    },
  );

  it.each(['internal_error', 'ratelimited', 'something_new', ''])(
    'with %j may be transient',
    (reason) => {
      expect(isPermanent(refusal(reason))).toBe(false);
    },
  );

  it('surely had no effect if Slack says so or there was no connection', async () => {
    const refused = Object.assign(new Error('refused'), { syscall: 'connect' });
    const failing = (cause: Error) => Promise.reject(new TypeError('fetch failed', { cause }));
    const unsent = callSlack('chat.postEphemeral', () => failing(refused));
    await expect(unsent).rejects.toMatchObject({ notDone: true });
    const lost = callSlack('chat.postEphemeral', () => failing(new Error('socket hang up')));
    await expect(lost).rejects.toMatchObject({ notDone: false });
    const reasons = ['service_unavailable', 'ratelimited', 'is_archived', 'internal_error'];
    expect(reasons.map((one) => refusal(one).notDone)).toEqual([true, true, true, false]);
    expect(refusal('fatal_error').notDone).toBe(false);
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
});

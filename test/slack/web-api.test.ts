import { describe, expect, it } from 'vitest';
import { callSlack, codeOf, isPermanent, SlackCallError } from '../../src/slack/web-api.ts';

const refusal = (reason: string) => new SlackCallError(codeOf(reason), reason, { reason });

describe('a failed call', () => {
  it.each(['channel_not_found', 'missing_scope', 'is_archived'])('%s is permanent', (reason) => {
    expect(isPermanent(refusal(reason))).toBe(true);
  });

  it.each(['internal_error', 'ratelimited', 'something_new', ''])('%j may pass', (reason) => {
    expect(isPermanent(refusal(reason))).toBe(false);
  });

  it('was surely not done where Slack said so, or there was no connection', async () => {
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

  it('is a refusal unless Slack says that it has trouble of its own', () => {
    expect(['fatal_error', 'ratelimited', 'something_new'].map(codeOf)).toEqual([
      'SLACK_UNREACHABLE',
      'SLACK_RATE_LIMITED',
      'SLACK_REFUSED',
    ]);
  });
});

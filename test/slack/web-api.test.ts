import { describe, expect, it } from 'vitest';
import { codeOf, isPermanent, SlackCallError } from '../../src/slack/web-api.ts';

const refusal = (reason: string) => new SlackCallError(codeOf(reason), reason, { reason });

describe('a failed call', () => {
  it.each(['channel_not_found', 'missing_scope', 'is_archived'])('%s is permanent', (reason) => {
    expect(isPermanent(refusal(reason))).toBe(true);
  });

  it.each(['internal_error', 'ratelimited', 'something_new', ''])('%j may pass', (reason) => {
    expect(isPermanent(refusal(reason))).toBe(false);
  });

  it('is a refusal unless Slack says that it has trouble of its own', () => {
    expect(['fatal_error', 'ratelimited', 'something_new'].map(codeOf)).toEqual([
      'SLACK_UNREACHABLE',
      'SLACK_RATE_LIMITED',
      'SLACK_REFUSED',
    ]);
  });
});

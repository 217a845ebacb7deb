import { describe, expect, test } from 'vitest';
import { systemRandom } from '../../src/base/index.ts';
import { ServiceError, type ServiceErrorCode } from '../../src/service/requests/service-error.ts';
import { withRetries } from '../../src/service/requests/with-retries.ts';

const failed = (code: ServiceErrorCode) =>
  new ServiceError(code, code, { retry: 'later', sent: 'no' });

/** What a person's call comes to that fails with these, one after another, and then succeeds. */
function callThatFailsWith(...errors: ServiceErrorCode[]): Promise<string> {
  const left = [...errors];
  const options = {
    lane: 'interactive',
    signal: undefined,
    clock: { now: () => 0, sleep: async () => {} },
    random: systemRandom,
  } as const;
  return withRetries(options, async () => {
    const code = left.shift();
    if (code) throw failed(code);
    return 'done';
  });
}

describe('a person’s call', () => {
  test('that fails once is repeated', async () => {
    expect(await callThatFailsWith('SERVICE_FAILED')).toBe('done');
  });

  test('of somebody who has no call left is refused for that', async () => {
    await expect(callThatFailsWith('SERVICE_SHARE_USED')).rejects.toMatchObject({
      code: 'SERVICE_SHARE_USED',
    });
  });

  test('with no call left to repeat it is refused for what made it fail', async () => {
    await expect(callThatFailsWith('SERVICE_FAILED', 'SERVICE_SHARE_USED')).rejects.toMatchObject({
      code: 'SERVICE_FAILED',
    });
  });
});

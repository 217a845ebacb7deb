import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/service/service-error.ts';
import { rejectionOf } from './client-under-test.ts';
import { recordOf, useGroupCommit } from './group-commit-under-test.ts';

const under = useGroupCommit();

function failure(
  code: ServiceError['code'],
  details: ConstructorParameters<typeof ServiceError>[2],
): ServiceError {
  return new ServiceError(code, code, details);
}

const refused = () => failure('SERVICE_BAD_REQUEST', { retry: 'never', sent: 'yes', status: 400 });
const limited = (retryAfterMs = 4_000) =>
  failure('SERVICE_RATE_LIMITED', { retry: 'later', sent: 'yes', status: 429, retryAfterMs });

describe('a request that fails', () => {
  test('refused: each alone, and told again, so that the bad one fails alone', async () => {
    let told = 0;
    const onSending = async () => {
      told += 1;
    };
    const [good, bad, fine] = [
      under.file(1, { onSending }),
      rejectionOf(under.file(2)),
      under.file(3),
    ];
    await under.grant();
    under.now.sent[0]?.fail(refused());
    await under.settled();
    for (let places = 0; places < 3; places += 1) await under.grant();
    expect(under.now.sent.map(({ attachments }) => attachments)).toEqual([
      [1, 2, 3],
      [1],
      [2],
      [3],
    ]);
    expect(told).toBe(2);
    under.now.sent[1]?.answer(recordOf(1));
    under.now.sent[2]?.fail(refused());
    under.now.sent[3]?.answer(recordOf(3));
    expect((await good)?.id).toBe(10);
    expect(await bad).toMatchObject({ code: 'SERVICE_BAD_REQUEST' });
    expect((await fine)?.id).toBe(30);
    expect(under.now.throttle.open()).toBe(0);
  });

  test('refused, though a part of it is in the folder: what is found there is not sent again', async () => {
    const found = under.file(1, { findLeft: async () => recordOf(1) });
    const missing = under.file(2, { findLeft: async () => null });
    const hidden = rejectionOf(
      under.file(3, {
        findLeft: async () => {
          throw failure('SERVICE_TIMEOUT', { retry: 'later', sent: 'unknown' });
        },
      }),
    );
    await under.grant();
    under.now.sent[0]?.fail(refused());
    await under.settled();
    expect((await found)?.id).toBe(10);
    expect(await hidden).toMatchObject({ code: 'SERVICE_BAD_REQUEST', sent: 'yes' });
    await under.grant();
    expect(under.now.sent.map(({ attachments }) => attachments)).toEqual([[1, 2, 3], [2]]);
    under.now.sent[1]?.answer(recordOf(2));
    expect((await missing)?.id).toBe(20);
  });

  test('refused though alone: rejected', async () => {
    const one = rejectionOf(under.file(1));
    await under.grant();
    under.now.sent[0]?.fail(refused());
    expect(await one).toMatchObject({ code: 'SERVICE_BAD_REQUEST' });
    expect(under.now.throttle.waiting()).toBe(0);
  });

  test('for its key: nobody needs to try alone', async () => {
    const files = [rejectionOf(under.file(1)), rejectionOf(under.file(2))];
    await under.grant();
    under.now.sent[0]?.fail(
      failure('SERVICE_UNAUTHORIZED', { retry: 'never', sent: 'yes', status: 401 }),
    );
    for (const one of files) expect(await one).toMatchObject({ code: 'SERVICE_UNAUTHORIZED' });
    expect(under.now.throttle.waiting()).toBe(0);
  });

  test('with an unknown outcome: everybody is told so, nobody is repeated', async () => {
    const files = [rejectionOf(under.file(1)), rejectionOf(under.file(2))];
    await under.grant();
    const error = failure('SERVICE_TIMEOUT', { retry: 'later', sent: 'unknown' });
    under.now.sent[0]?.fail(error);
    for (const one of files) expect(await one).toBe(error);
    expect(under.now.throttle.waiting()).toBe(0);
  });

  test('rate limited: the same go again, five times, and the throttle hears of it', async () => {
    const files = [rejectionOf(under.file(1)), rejectionOf(under.file(2))];
    for (let round = 0; round < 6; round += 1) {
      await under.grant();
      under.now.sent[round]?.fail(limited());
      await under.settled();
    }
    expect(under.now.sent.map(({ attachments }) => attachments)).toEqual(Array(6).fill([1, 2]));
    for (const one of files) expect(await one).toMatchObject({ code: 'SERVICE_RATE_LIMITED' });
    expect(under.now.throttle.outcomes).toEqual(
      Array(6).fill({ sent: true, rateLimitedForMs: 4_000 }),
    );
    expect(under.now.throttle.waiting()).toBe(0);
  });

  test('rate limited, though a part of it is in the folder: that is not sent again', async () => {
    const asked: number[] = [];
    const findLeft = async (answeredAt: number) => {
      asked.push(answeredAt);
      return null;
    };
    const found = under.file(1, { findLeft: async () => recordOf(1) });
    const missing = under.file(2, { findLeft });
    const hidden = rejectionOf(under.file(3, { findLeft: () => Promise.reject(limited()) }));
    await under.grant();
    await under.now.clock.advance(1_000);
    under.now.sent[0]?.fail(limited());
    await under.settled();
    expect(asked).toEqual([under.now.clock.now()]);
    expect((await found)?.id).toBe(10);
    expect(await hidden).toMatchObject({ code: 'SERVICE_RATE_LIMITED', sent: 'yes' });
    await under.grant();
    expect(under.now.sent.map(({ attachments }) => attachments)).toEqual([[1, 2, 3], [2]]);
    under.now.sent[1]?.answer(recordOf(2));
    expect((await missing)?.id).toBe(20);
  });

  test('that never left is not looked for', async () => {
    const findLeft = async () => expect.unreachable('looked for');
    const one = under.file(1, { findLeft });
    await under.grant();
    under.now.sent[0]?.fail(failure('SERVICE_UNREACHABLE', { retry: 'later', sent: 'no' }));
    await under.settled();
    await under.now.clock.advance(250);
    await under.grant();
    under.now.sent[1]?.answer(recordOf(1));
    expect((await one)?.id).toBe(10);
  });

  test('rate limited: they go before who came since', async () => {
    void under.file(1);
    await under.grant();
    void under.file(2);
    under.now.sent[0]?.fail(limited());
    await under.settled();
    await under.grant();
    expect(under.now.sent[1]?.attachments).toEqual([1, 2]);
  });

  test('before it left: once more after a while, then rejected', async () => {
    const one = rejectionOf(under.file(1));
    await under.grant();
    const error = failure('SERVICE_UNREACHABLE', { retry: 'later', sent: 'no' });
    under.now.sent[0]?.fail(error);
    await under.settled();
    expect(under.now.throttle.waiting()).toBe(0);
    expect(under.now.throttle.outcomes).toMatchObject([{ sent: true }]);
    await under.now.clock.advance(250);
    await under.grant();
    under.now.sent[1]?.fail(error);
    expect(await one).toBe(error);
  });

  test('at the throttle: all in line are told', async () => {
    const files = [rejectionOf(under.file(1)), rejectionOf(under.file(2))];
    const stopped = failure('SERVICE_STOPPED', { retry: 'later', sent: 'no' });
    under.now.throttle.refuse(stopped);
    for (const one of files) expect(await one).toBe(stopped);
  });
});

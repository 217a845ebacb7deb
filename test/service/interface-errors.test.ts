import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { ACCOUNT, API, FILES, FOLDER, serviceErrorOf, sourceOf } from './client-under-test.ts';
import { BULK, fault, PERSON, useNock } from './nock-under-test.ts';

const under = useNock();

describe('section 7 (errors): a request that fails', () => {
  test.each([
    [400, 'SERVICE_BAD_REQUEST'],
    [401, 'SERVICE_UNAUTHORIZED'],
    [403, 'SERVICE_FORBIDDEN'],
    [404, 'SERVICE_NOT_FOUND'],
    [409, 'SERVICE_BAD_REQUEST'],
    [415, 'SERVICE_BAD_REQUEST'],
  ])('rejects at %i with %s after one request', async (status, code) => {
    nock(API).get(FILES).reply(status, 'no');
    const error = await serviceErrorOf(under.it.client.listFiles(FOLDER, PERSON));
    expect(error).toMatchObject({ code, retry: 'never', status });
  });

  test.each([
    [408, 'SERVICE_TIMEOUT', 'unknown'],
    [500, 'SERVICE_FAILED', 'yes'],
    [502, 'SERVICE_FAILED', 'yes'],
    [503, 'SERVICE_FAILED', 'yes'],
    [504, 'SERVICE_FAILED', 'yes'],
  ])('rejects at %i with %s after a retry', async (status, code, sent) => {
    nock(API).get(FILES).times(2).reply(status, '<html>oops</html>');
    const listing = serviceErrorOf(under.it.client.listFiles(FOLDER, BULK));
    await under.nextRetry();
    const error = await listing;
    expect(error).toMatchObject({ code, retry: 'later', status, sent });
    expect(error.message).toContain('a web page');
  });

  test('waits for the Retry-After of a 503', async () => {
    nock(API).get(FILES).reply(503, '', { 'Retry-After': '3' });
    nock(API).get(FILES).reply(200, []);
    const listing = under.it.client.listFiles(FOLDER, PERSON);
    await under.retryDue();
    await under.it.clock.advance(2_999);
    expect(under.it.throttle.requests).toHaveLength(1);
    await under.it.clock.advance(1);
    await listing;
  });

  test('rejects at once when Retry-After is longer than an interactive call may wait', async () => {
    nock(API).get(FILES).reply(503, '', { 'Retry-After': '60' });
    const error = await serviceErrorOf(under.it.client.listFiles(FOLDER, PERSON));
    expect(error).toMatchObject({ code: 'SERVICE_FAILED', retryAfterMs: 60_000 });
  });

  test('is tried three times, with growing waits, when it is interactive', async () => {
    nock(API).get(FILES).times(3).reply(500);
    const listing = serviceErrorOf(under.it.client.listFiles(FOLDER, PERSON));
    await under.retryDue();
    await under.it.clock.advance(250);
    await expect.poll(() => under.it.throttle.requests.length, { interval: 1 }).toBe(2);
    await under.retryDue();
    await under.it.clock.advance(500);
    expect((await listing).code).toBe('SERVICE_FAILED');
    expect(under.it.throttle.requests).toHaveLength(3);
  });

  test.each([
    ['ECONNREFUSED', 'connect'],
    ['ENOTFOUND', 'getaddrinfo'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', undefined],
  ])('rejects at %s as a request that was not sent', async (code, syscall) => {
    nock(API).get(FILES).times(2).replyWithError(fault(code, syscall));
    const listing = serviceErrorOf(under.it.client.listFiles(FOLDER, BULK));
    await under.nextRetry();
    expect(await listing).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      retry: 'later',
      sent: 'no',
      status: undefined,
    });
  });

  test.each(['ECONNRESET', 'EPIPE'])(
    'rejects at %s without knowing whether it was sent',
    async (code) => {
      nock(API).get(FILES).times(2).replyWithError(fault(code));
      const listing = serviceErrorOf(under.it.client.listFiles(FOLDER, BULK));
      await under.nextRetry();
      expect(await listing).toMatchObject({ code: 'SERVICE_UNREACHABLE', sent: 'unknown' });
    },
  );
});

describe('section 8 (limits): a 429', () => {
  test('tells the throttle how long to wait, and its call is repeated once admitted', async () => {
    nock(API).get(FILES).reply(429, '', { 'Retry-After': '4' });
    nock(API).get(FILES).reply(200, []);
    const listing = under.it.client.listFiles(FOLDER, PERSON);
    await under.nextRetry(0);
    await listing;
    expect(under.it.throttle.outcomes).toEqual([
      { sent: true, rateLimitedForMs: 4_000 },
      { sent: true, rateLimitedForMs: undefined },
    ]);
  });

  test('rejects an interactive call at once if Retry-After is longer than it may wait', async () => {
    nock(API).get(FILES).reply(429, '', { 'Retry-After': '9' });
    expect(await serviceErrorOf(under.it.client.listFiles(FOLDER, PERSON))).toMatchObject({
      code: 'SERVICE_RATE_LIMITED',
      retry: 'later',
      sent: 'yes',
      retryAfterMs: 9_000,
    });
  });

  test('without Retry-After holds calls for one window', async () => {
    nock(API).get(FILES).reply(429);
    await serviceErrorOf(under.it.client.listFiles(FOLDER, PERSON));
    expect(under.it.throttle.outcomes).toEqual([{ sent: true, rateLimitedForMs: 10_000 }]);
  });

  test('rejects a bulk call with a long Retry-After, and the ledger keeps the work', async () => {
    nock(API).get(FILES).reply(429, '', { 'Retry-After': '86400' });
    expect(await serviceErrorOf(under.it.client.listFiles(FOLDER, BULK))).toMatchObject({
      code: 'SERVICE_RATE_LIMITED',
      sent: 'yes',
      retryAfterMs: 600_000,
    });
  });

  test('makes a bulk call wait in line again up to five times', async () => {
    nock(API).get(FILES).times(6).reply(429, '', { 'Retry-After': '30' });
    const listing = serviceErrorOf(under.it.client.listFiles(FOLDER, BULK));
    const asked = async () => {
      await under.it.clock.advance(0);
      return under.it.throttle.requests.length;
    };
    await expect.poll(asked, { interval: 1 }).toBe(6);
    expect((await listing).code).toBe('SERVICE_RATE_LIMITED');
    expect(under.it.throttle.requests).toHaveLength(6);
  });

  test('makes an upload open its file again', async () => {
    nock(ACCOUNT).post('/files/upload.php').reply(429, '', { 'Retry-After': '1' });
    nock(ACCOUNT).post('/files/upload.php').reply(200, { file_id: 5 });
    const source = sourceOf('hello');
    const uploading = under.it.client.uploadFile(7, source, BULK);
    await under.nextRetry(0);
    expect(await uploading).toMatchObject({ attachmentId: 5, sentBytes: 5 });
    expect(source.opened).toHaveLength(2);
  });
});

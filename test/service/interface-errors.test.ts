import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { isFinal } from '../../src/base/index.ts';
import {
  ACCOUNT,
  API,
  FILES,
  FOLDER,
  record,
  serviceErrorOf,
  sourceOf,
} from './client-under-test.ts';
import { BULK, fault, PERSON, useNock } from './nock-under-test.ts';

const under = useNock();

describe('section 7 (errors): a request that fails', () => {
  test.each([
    [400, 'SERVICE_BAD_REQUEST'],
    [401, 'SERVICE_UNAUTHORIZED'],
    [402, 'SERVICE_BAD_REQUEST'],
    [403, 'SERVICE_FORBIDDEN'],
    [404, 'SERVICE_NOT_FOUND'],
    [409, 'SERVICE_REFUSED'],
    [410, 'SERVICE_NOT_FOUND'],
    [415, 'SERVICE_BAD_REQUEST'],
    [423, 'SERVICE_REFUSED'],
  ])('rejects at %i with %s after one request', async (status, code) => {
    nock(API).get(FILES).reply(status, 'no');
    const error = await serviceErrorOf(under.it.client.listFiles(FOLDER, PERSON));
    expect(error).toMatchObject({ code, retry: 'never', status });
  });

  test.each([
    [400, 'SERVICE_BAD_REQUEST'],
    [401, 'SERVICE_UNAUTHORIZED'],
    [402, 'SERVICE_FULL'],
    [403, 'SERVICE_UPLOAD_FORBIDDEN'],
    [404, 'SERVICE_NOT_FOUND'],
    [406, 'SERVICE_BAD_REQUEST'],
    [407, 'SERVICE_BLOCKED'],
    [409, 'SERVICE_REFUSED'],
    [410, 'SERVICE_NOT_FOUND'],
    [411, 'SERVICE_BAD_REQUEST'],
    [413, 'SERVICE_TOO_LARGE'],
    [414, 'SERVICE_BAD_REQUEST'],
    [415, 'SERVICE_WRONG_TYPE'],
    [422, 'SERVICE_BAD_REQUEST'],
    [423, 'SERVICE_REFUSED'],
    [431, 'SERVICE_BAD_REQUEST'],
    [451, 'SERVICE_UNLAWFUL'],
    [507, 'SERVICE_FULL'],
  ])('rejects an upload at %i with %s, and sends it once', async (status, code) => {
    nock(ACCOUNT).post('/files/upload.php').reply(status, { message: 'no' });
    const source = sourceOf('hello');
    const error = await serviceErrorOf(under.it.client.uploadFile(7, source, BULK));
    expect(error).toMatchObject({ code, status });
    expect(isFinal(error)).toBe(!['SERVICE_FULL', 'SERVICE_UNAUTHORIZED'].includes(code));
    expect(source.opened).toHaveLength(1);
  });

  test.each([
    [408, 'SERVICE_TIMEOUT', 'unknown'],
    [500, 'SERVICE_FAILED', 'yes'],
    [502, 'SERVICE_FAILED', 'yes'],
    [503, 'SERVICE_FAILED', 'yes'],
    [504, 'SERVICE_FAILED', 'yes'],
    [507, 'SERVICE_FAILED', 'yes'],
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

describe('a web page in place of an answer', () => {
  const PAGE = '<!doctype html><title>Blocked</title>';
  const HTML = { 'Content-Type': 'text/html; charset=utf-8' };

  test.each([
    [400, 'SERVICE_BLOCKED'],
    [401, 'SERVICE_BLOCKED'],
    [403, 'SERVICE_BLOCKED'],
    [404, 'SERVICE_BLOCKED'],
    [406, 'SERVICE_BLOCKED'],
    [410, 'SERVICE_BLOCKED'],
    [423, 'SERVICE_BLOCKED'],
    [413, 'SERVICE_TOO_LARGE'],
    [451, 'SERVICE_UNLAWFUL'],
  ])(
    'of status %i to an upload rejects with %s, and the file is sent once',
    async (status, code) => {
      nock(ACCOUNT).post('/files/upload.php').reply(status, PAGE);
      const source = sourceOf('hello');
      const error = await serviceErrorOf(under.it.client.uploadFile(7, source, BULK));
      expect(error).toMatchObject({ code, retry: 'never', sent: 'yes', status, said: undefined });
      expect(source.opened).toHaveLength(1);
    },
  );

  test.each([401, 403, 404])(
    'of status %i to a create rejects with SERVICE_BLOCKED after one request',
    async (status) => {
      nock(API).post(FILES).reply(status, PAGE);
      const error = await serviceErrorOf(under.create());
      expect(error).toMatchObject({ code: 'SERVICE_BLOCKED', retry: 'never', sent: 'yes' });
    },
  );

  test.each([401, 403, 404, 407])(
    'of status %i to a list says nothing of the key, the rights or the folder, and may pass',
    async (status) => {
      nock(API).get(FILES).reply(status, PAGE);
      nock(API).get(FILES).reply(200, []);
      const listing = under.it.client.listFiles(FOLDER, BULK);
      await under.nextRetry();
      expect((await listing).files).toEqual([]);
    },
  );

  test.each<[string, string, Record<string, string>, string]>([
    ['text that is sent as a page', 'Access denied', HTML, 'SERVICE_BLOCKED'],
    ['JSON that is sent as a page', '{"message":"no"}', HTML, 'SERVICE_UPLOAD_FORBIDDEN'],
    ['nothing that is sent as a page', '', HTML, 'SERVICE_UPLOAD_FORBIDDEN'],
    ['text', 'Access denied', { 'Content-Type': 'text/plain' }, 'SERVICE_UPLOAD_FORBIDDEN'],
  ])('is told from %s', async (_what, body, headers, code) => {
    nock(ACCOUNT).post('/files/upload.php').reply(403, body, headers);
    const error = await serviceErrorOf(under.it.client.uploadFile(7, sourceOf('hello'), BULK));
    expect(error.code).toBe(code);
  });

  test.each([403, 404])(
    'of status %i to a list that an account need not offer is taken for a lack of it',
    async (status) => {
      nock(API).get('/projects').times(2).reply(status, PAGE);
      const projects = under.it.client.listProjects(BULK);
      await under.nextRetry();
      expect(await projects).toBeNull();
    },
  );

  test.each([401, 403, 404])(
    'of status %i to a delete is no proof: the folder shows whether the file is there',
    async (status) => {
      const listed = (...ids: number[]) =>
        nock(API)
          .get(FILES)
          .reply(
            200,
            ids.map((id) => record({ id })),
          );
      nock(API).delete(`${FILES}/3`).times(2).reply(status, PAGE);
      listed(1, 3);
      listed(1, 3);
      const deleting = serviceErrorOf(under.it.client.deleteFile(FOLDER, 3, BULK));
      await under.nextRetry();
      expect(await deleting).toMatchObject({ code: 'SERVICE_REFUSED', retry: 'never', status });
      nock(API).delete(`${FILES}/3`).reply(status, PAGE);
      listed(1);
      expect(await under.it.client.deleteFile(FOLDER, 3, BULK)).toMatch(/^(deleted|gone)$/);
    },
  );

  test('of status 404 to a delete is not believed when the folder cannot be listed either', async () => {
    nock(API).delete(`${FILES}/3`).times(2).reply(404, PAGE);
    nock(API).get(FILES).times(2).reply(403);
    const deleting = serviceErrorOf(under.it.client.deleteFile(FOLDER, 3, BULK));
    await under.nextRetry();
    expect(await deleting).toMatchObject({ code: 'SERVICE_BAD_ANSWER', retry: 'later' });
  });
});

describe('section 8 (limits): a 429', () => {
  test('waits for its Retry-After also as a web page', async () => {
    nock(ACCOUNT).post('/files/upload.php').reply(429, '<html>', { 'Retry-After': '4' });
    nock(ACCOUNT).post('/files/upload.php').reply(200, { file_id: 5 });
    const uploading = under.it.client.uploadFile(7, sourceOf('hello'), BULK);
    await under.nextRetry(0);
    await uploading;
    expect(under.it.throttle.outcomes[0]).toEqual({ sent: true, rateLimitedForMs: 4_000 });
  });

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

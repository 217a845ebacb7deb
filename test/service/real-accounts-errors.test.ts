import nock from 'nock';
import { describe, expect, test } from 'vitest';
import {
  ACCOUNT,
  API,
  FILES,
  FOLDER,
  record,
  serviceErrorOf,
  sourceOf,
} from './client-under-test.ts';
import { BULK, PERSON, useNock } from './nock-under-test.ts';

const under = useNock();

const NO_KEY = { success: false, status: false, code: 1001, message: 'API key is not valid' };
const REFUSED = { success: false, status: false, code: 4711, message: 'The file is locked' };
const LIMITED = { success: false, message: 'Rate limit exceeded. Try again in 10 seconds.' };

describe('R2: a request without a content type', () => {
  test('is never sent, so that a DELETE succeeds that would be refused without one', async () => {
    const bare = { badheaders: ['content-type'] };
    nock(API, bare)
      .delete(`${FILES}/3`)
      .optionally()
      .reply(200, { code: 1201, message: 'headers' });
    nock(API, { reqheaders: { 'content-type': 'application/json' } })
      .delete(`${FILES}/3`)
      .reply(204);
    expect(await under.it.client.deleteFile(FOLDER, 3, PERSON)).toBe('deleted');
  });
});

describe('R3: an error within a 200', () => {
  test('ends an upload at once when the key is not accepted', async () => {
    nock(ACCOUNT).post('/files/upload.php').reply(200, NO_KEY);
    const source = sourceOf('hello');
    const error = await serviceErrorOf(under.it.client.uploadFile(7, source, BULK));
    expect(error).toMatchObject({ code: 'SERVICE_UNAUTHORIZED', retry: 'never', status: 200 });
    expect(source.opened).toHaveLength(1);
  });

  test.each([
    ['seen', 200, NO_KEY],
    ['specified', 401, ''],
  ])(
    'rejects a list with SERVICE_UNAUTHORIZED when the key is not accepted, as %s',
    async (_form, status, body) => {
      nock(API).get(FILES).reply(status, body);
      const error = await serviceErrorOf(under.it.client.listFiles(FOLDER, BULK));
      expect(error).toMatchObject({ code: 'SERVICE_UNAUTHORIZED', retry: 'never' });
    },
  );

  test('rejects a create with SERVICE_REFUSED when the reason is unknown', async () => {
    nock(API).post(FILES).reply(200, REFUSED);
    const error = await serviceErrorOf(under.create());
    expect(error).toMatchObject({ code: 'SERVICE_REFUSED', retry: 'never', sent: 'yes' });
    expect(error.said).toBe('The file is locked');
  });

  test('rejects a create with SERVICE_BAD_REQUEST, which has created nothing', async () => {
    nock(API).post(FILES).reply(200, { code: 1301, message: 'Bad request', response_code: 400 });
    const error = await serviceErrorOf(under.create());
    expect(error).toMatchObject({ code: 'SERVICE_BAD_REQUEST', retry: 'never', sent: 'yes' });
  });

  test('has its message reduced to one line, without the key', async () => {
    nock(API).get(FILES).reply(200, { success: false, message: 'no\nkey-of-the-team, no' });
    const error = await serviceErrorOf(under.it.client.listFiles(FOLDER, PERSON));
    expect(error.said).toBe('no [secret], no');
    expect(error.message).not.toContain('key-of-the-team');
  });
});

describe('R3: a delete', () => {
  const deleting = () => under.it.client.deleteFile(FOLDER, 3, PERSON);
  const answered = (status: number, body: unknown) =>
    nock(API)
      .delete(`${FILES}/3`)
      .reply(status, typeof body === 'string' ? body : JSON.stringify(body));
  const holds = (...ids: number[]) =>
    nock(API)
      .get(FILES)
      .reply(
        200,
        ids.map((id) => record({ id })),
      );

  test.each([
    [204, ''],
    [200, ''],
    [200, 'null'],
    [200, { success: true, message: 'File deleted' }],
    [200, { id: 3 }],
  ])('resolves to deleted at %i %j, without listing the folder', async (status, body) => {
    answered(status, body);
    expect(await deleting()).toBe('deleted');
  });

  test.each([
    [NO_KEY, 'SERVICE_UNAUTHORIZED'],
    [{ code: 1202, message: 'headers' }, 'SERVICE_BAD_REQUEST'],
    [{ success: false, code: 403, message: 'no' }, 'SERVICE_FORBIDDEN'],
  ])('rejects at %j without listing the folder', async (body, code) => {
    answered(200, body);
    expect(await serviceErrorOf(deleting())).toMatchObject({ code });
  });

  test.each([REFUSED, { message: 'The file is locked' }])(
    "rejects with the service's words at %j while the file is still in the folder",
    async (body) => {
      answered(200, body);
      holds(1, 3);
      const error = await serviceErrorOf(deleting());
      expect(error).toMatchObject({ code: 'SERVICE_REFUSED', said: 'The file is locked' });
    },
  );

  test('resolves to gone when it is refused and the file is not in the folder', async () => {
    answered(200, REFUSED);
    holds(1);
    expect(await deleting()).toBe('gone');
  });

  test.each(['<html>Sign in</html>', 'done', '[]', { message: 'File deleted' }])(
    'resolves to deleted at %j when the file is no longer in the folder',
    async (body) => {
      answered(200, body);
      holds(1);
      expect(await deleting()).toBe('deleted');
    },
  );

  test('is repeated once after a web page while the file is still in the folder', async () => {
    answered(200, '<html>Sign in</html>');
    holds(1, 3);
    answered(204, '');
    const deleted = under.it.client.deleteFile(FOLDER, 3, BULK);
    await under.nextRetry();
    expect(await deleted).toBe('deleted');
  });

  test('rejects for good after a second web page while the file is still in the folder', async () => {
    for (let times = 0; times < 2; times += 1) {
      answered(200, '<html>Sign in</html>');
      holds(1, 3);
    }
    const error = serviceErrorOf(under.it.client.deleteFile(FOLDER, 3, PERSON));
    await under.nextRetry();
    expect(await error).toMatchObject({ code: 'SERVICE_REFUSED', retry: 'never' });
  });

  test('rejects at once at an error object without words while the file is still there', async () => {
    answered(200, { success: false, status: false, code: 4711 });
    holds(1, 3);
    expect(await serviceErrorOf(deleting())).toMatchObject({
      code: 'SERVICE_REFUSED',
      retry: 'never',
    });
  });

  test("is repeated after an unclear answer when the folder's list is incomplete", async () => {
    answered(200, 'done');
    nock(API)
      .get(FILES)
      .reply(200, [record({ id: 1 }), { odd: true }]);
    answered(204, '');
    const deleted = under.it.client.deleteFile(FOLDER, 3, BULK);
    await under.nextRetry();
    expect(await deleted).toBe('deleted');
  });

  test('rejects with SERVICE_BAD_ANSWER when refused and the folder cannot be listed', async () => {
    answered(200, REFUSED);
    answered(200, REFUSED);
    nock(API).get(FILES).times(2).reply(403);
    const error = serviceErrorOf(under.it.client.deleteFile(FOLDER, 3, BULK));
    await under.nextRetry();
    expect(await error).toMatchObject({ code: 'SERVICE_BAD_ANSWER', said: 'The file is locked' });
  });

  test('is repeated when unclear and the folder cannot be listed, then rejects as unknown', async () => {
    answered(200, 'done');
    answered(200, 'done');
    nock(API).get(FILES).times(2).reply(403);
    const error = serviceErrorOf(under.it.client.deleteFile(FOLDER, 3, BULK));
    await under.nextRetry();
    expect(await error).toMatchObject({ code: 'SERVICE_BAD_ANSWER' });
  });
});

describe('R10: the rate limit', () => {
  test('is passed to the throttle from within a 200, and the call is repeated', async () => {
    nock(API).get(FILES).reply(200, LIMITED);
    nock(API).get(FILES).reply(200, []);
    const listing = under.it.client.listFiles(FOLDER, BULK);
    await under.nextRetry(0);
    await listing;
    expect(under.it.throttle.outcomes).toEqual([
      { sent: true, rateLimitedForMs: 10_000 },
      { sent: true, rateLimitedForMs: undefined },
    ]);
  });

  test.each([
    ['seen', 200, LIMITED],
    ['specified', 429, ''],
  ])('gives the wait of its Retry-After in the error, as %s', async (_form, status, body) => {
    nock(API).get(FILES).reply(status, body, { 'Retry-After': '12' });
    const error = await serviceErrorOf(under.it.client.listFiles(FOLDER, PERSON));
    expect(error).toMatchObject({ code: 'SERVICE_RATE_LIMITED', retryAfterMs: 12_000 });
  });

  test.each([
    ['seen', 200, LIMITED],
    ['specified', 429, ''],
  ])(
    'ends a create, as %s, without a retry, and is passed to the throttle',
    async (_form, status, body) => {
      nock(API).post(FILES).reply(status, body);
      const error = await serviceErrorOf(under.create());
      expect(error).toMatchObject({ code: 'SERVICE_RATE_LIMITED', sent: 'yes', retry: 'later' });
      expect(under.it.throttle.outcomes).toEqual([{ sent: true, rateLimitedForMs: 10_000 }]);
    },
  );
});

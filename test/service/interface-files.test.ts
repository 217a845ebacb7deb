import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, FILES, FOLDER, record, serviceErrorOf } from './client-under-test.ts';
import { BULK, fault, PERSON, useNock } from './nock-under-test.ts';

const under = useNock();

describe('section 4.1: list files', () => {
  test('reads an array as a list, with the times of both clocks', async () => {
    const date = 'Mon, 05 Jan 2026 08:59:58 GMT';
    nock(API)
      .get(FILES)
      .reply(200, [record(), record({ id: 2 })], { Date: date });
    const list = await under.it.client.listFiles(FOLDER, PERSON);
    expect(list.files.map(({ id }) => id)).toEqual([1, 2]);
    expect(list.serviceTime).toBe(Date.parse(date));
    expect(list.fetchedAt).toBe(under.it.clock.now());
  });

  test('reads an empty folder as an empty list', async () => {
    nock(API).get(FILES).reply(200, []);
    expect(await under.it.client.listFiles(FOLDER, PERSON)).toMatchObject({
      files: [],
      unreadable: 0,
    });
  });

  test('misses no record because of one that is odd', async () => {
    nock(API)
      .get(FILES)
      .reply(200, [record(), null, 'x', { id: 5 }, record({ id: 2 })]);
    const list = await under.it.client.listFiles(FOLDER, PERSON);
    expect(list.files.map(({ id }) => id)).toEqual([1, 2]);
    expect(list.unreadable).toBe(3);
  });

  test.each([
    ['an object', JSON.stringify({ files: [] })],
    ['a web page', '<html>Sign in</html>'],
    ['nothing', ''],
    ['half a list', '[{"id": 1'],
  ])('rejects %s with SERVICE_BAD_ANSWER', async (_what, body) => {
    nock(API).get(FILES).times(2).reply(200, body);
    const listing = serviceErrorOf(under.it.client.listFiles(FOLDER, BULK));
    await under.nextRetry();
    const error = await listing;
    expect(error).toMatchObject({ code: 'SERVICE_BAD_ANSWER', retry: 'later', sent: 'yes' });
    expect(error.message).not.toContain('<html>');
  });
});

describe('section 4.2: create file entries', () => {
  test('sends attachments and folder as JSON, and reads the record from a 201', async () => {
    nock(API)
      .post(FILES, { attachments: [11], folder: 42 })
      .matchHeader('content-type', 'application/json')
      .reply(201, record());
    expect(await under.create()).toMatchObject({ id: 1, name: 'plan.pdf', creatorId: 9 });
  });

  test('accepts an array of one record', async () => {
    nock(API)
      .post(FILES)
      .reply(201, [record({ id: 8 })]);
    expect(await under.create()).toMatchObject({ id: 8 });
  });

  test('rejects a 403 with SERVICE_FORBIDDEN and no retry', async () => {
    nock(API).post(FILES).reply(403, { error: 'no access' });
    const error = await serviceErrorOf(under.create());
    expect(error).toMatchObject({ code: 'SERVICE_FORBIDDEN', retry: 'never', status: 403 });
    expect(error.message).toBe(
      'POST /projects/7/folders/42/files was answered 403: {"error":"no access"}',
    );
  });

  test.each([
    ['an empty body', ''],
    ['a web page', '<!doctype html>'],
    ['no record', '{"ok":true}'],
  ])('takes a 201 with %s as created, with an unknown record', async (_what, body) => {
    nock(API).post(FILES).reply(201, body);
    expect(await under.create()).toBeNull();
  });

  test.each([
    ['an empty body', ''],
    ['a web page', '<!doctype html>'],
    ['no record', '[]'],
  ])('leaves the outcome unknown at a 200 with %s', async (_what, body) => {
    nock(API).post(FILES).reply(200, body);
    expect(await serviceErrorOf(under.create())).toMatchObject({
      code: 'SERVICE_BAD_ANSWER',
      retry: 'later',
      sent: 'unknown',
    });
  });

  test('does not take a record as its own that neither matches nor is new', async () => {
    const other = record({ name: 'other.pdf', byte_size: 6, created_at: '2019-01-01T00:00:00Z' });
    nock(API).post(FILES).reply(201, other);
    expect(await under.create()).toBeNull();
  });

  test('takes a new record as its own, whatever its name', async () => {
    const created_at = new Date(under.it.clock.now()).toISOString();
    nock(API)
      .post(FILES)
      .reply(201, record({ id: 9, name: 'x', byte_size: 6, created_at }));
    expect(await under.create()).toMatchObject({ id: 9 });
  });

  test.each([500, 502, 503, 504])(
    'leaves the outcome unknown at %i, and the create is not repeated',
    async (status) => {
      nock(API).post(FILES).reply(status);
      expect(await serviceErrorOf(under.create())).toMatchObject({
        code: 'SERVICE_FAILED',
        sent: 'unknown',
      });
    },
  );

  test('leaves the outcome unknown when the connection breaks, and is not repeated', async () => {
    nock(API).post(FILES).replyWithError(fault('ECONNRESET'));
    expect(await serviceErrorOf(under.create())).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      sent: 'unknown',
    });
  });

  test('leaves the outcome unknown when TLS breaks, and is not repeated', async () => {
    nock(API).post(FILES).replyWithError(fault('ERR_SSL_WRONG_VERSION_NUMBER'));
    expect(await serviceErrorOf(under.create())).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      sent: 'unknown',
    });
  });

  test('says that nothing was sent when there was no connection, so another may be sent', async () => {
    nock(API).post(FILES).replyWithError(fault('ECONNREFUSED', 'connect'));
    const error = { code: 'SERVICE_UNREACHABLE', retry: 'later', sent: 'no' };
    expect(await serviceErrorOf(under.create())).toMatchObject(error);
  });
});

describe('section 4.3: delete a file', () => {
  test('resolves to deleted at a 204', async () => {
    nock(API).delete(`${FILES}/3`).reply(204);
    expect(await under.it.client.deleteFile(FOLDER, 3, PERSON)).toBe('deleted');
  });

  test.each([
    ['does not have the file', 200, [record({ id: 4 })]],
    ['has a record that cannot be read', 200, [record({ id: 'odd' })]],
    ['cannot be listed', 404, undefined],
  ])(
    'resolves to gone at a 404 to the first attempt when the folder %s',
    async (_, status, list) => {
      nock(API).delete(`${FILES}/3`).reply(404);
      nock(API).get(FILES).reply(status, list);
      expect(await under.it.client.deleteFile(FOLDER, 3, PERSON)).toBe('gone');
    },
  );

  test('believes a 404 with words without a look', async () => {
    nock(API).delete(`${FILES}/3`).reply(404, { message: 'No such file' });
    expect(await under.it.client.deleteFile(FOLDER, 3, PERSON)).toBe('gone');
  });

  // A proxy may answer 404 for a service that is away.
  test('tries again after a 404 without words while the file is still there', async () => {
    nock(API).delete(`${FILES}/3`).reply(404, '<html>Not here</html>');
    nock(API)
      .get(FILES)
      .reply(200, [record({ id: 3 })]);
    nock(API).delete(`${FILES}/3`).reply(204);
    const deleted = under.it.client.deleteFile(FOLDER, 3, BULK);
    await under.nextRetry();
    expect(await deleted).toBe('deleted');
  });

  test('resolves to deleted at a 404 after an attempt that may have been received', async () => {
    nock(API).delete(`${FILES}/3`).replyWithError(fault('ECONNRESET'));
    nock(API).delete(`${FILES}/3`).reply(404);
    nock(API).get(FILES).reply(200, []);
    const deleted = under.it.client.deleteFile(FOLDER, 3, PERSON);
    await under.nextRetry();
    expect(await deleted).toBe('deleted');
  });

  test('resolves to gone at a 404 after an attempt that did not reach the service', async () => {
    nock(API).delete(`${FILES}/3`).replyWithError(fault('ECONNREFUSED', 'connect'));
    nock(API).delete(`${FILES}/3`).reply(404);
    nock(API).get(FILES).reply(200, []);
    const deleted = under.it.client.deleteFile(FOLDER, 3, PERSON);
    await under.nextRetry();
    expect(await deleted).toBe('gone');
  });

  test('rejects a 403 with SERVICE_FORBIDDEN', async () => {
    nock(API).delete(`${FILES}/3`).reply(403);
    const error = await serviceErrorOf(under.it.client.deleteFile(FOLDER, 3, PERSON));
    expect(error).toMatchObject({ code: 'SERVICE_FORBIDDEN', retry: 'never' });
  });

  test('accepts a 200 as well, but no web page', async () => {
    nock(API).delete(`${FILES}/3`).reply(200, { ok: true });
    expect(await under.it.client.deleteFile(FOLDER, 3, PERSON)).toBe('deleted');
    nock(API).delete(`${FILES}/3`).times(2).reply(200, '<html>');
    nock(API)
      .get(FILES)
      .times(2)
      .reply(200, [record({ id: 3 })]);
    const deleted = serviceErrorOf(under.it.client.deleteFile(FOLDER, 3, BULK));
    await under.nextRetry();
    expect(await deleted).toMatchObject({ code: 'SERVICE_REFUSED' });
  });
});

import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, FILES, FOLDER, record, serviceErrorOf } from './client-under-test.ts';
import { BULK, fault, PERSON, useNock } from './nock-under-test.ts';

const under = useNock();

describe('section 4.1: list files', () => {
  test('an array is a list, with both clocks', async () => {
    const date = 'Mon, 05 Jan 2026 08:59:58 GMT';
    nock(API)
      .get(FILES)
      .reply(200, [record(), record({ id: 2 })], { Date: date });
    const list = await under.it.client.listFiles(FOLDER, PERSON);
    expect(list.files.map(({ id }) => id)).toEqual([1, 2]);
    expect(list.serviceTime).toBe(Date.parse(date));
    expect(list.fetchedAt).toBe(under.it.clock.now());
  });

  test('an empty folder is an empty list', async () => {
    nock(API).get(FILES).reply(200, []);
    expect(await under.it.client.listFiles(FOLDER, PERSON)).toMatchObject({
      files: [],
      unreadable: 0,
    });
  });

  test('one odd record hides no other', async () => {
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
  ])('%s is a bad answer', async (_what, body) => {
    nock(API).get(FILES).times(2).reply(200, body);
    const listing = serviceErrorOf(under.it.client.listFiles(FOLDER, BULK));
    await under.nextRetry();
    const error = await listing;
    expect(error).toMatchObject({ code: 'SERVICE_BAD_ANSWER', retry: 'later', sent: 'yes' });
    expect(error.message).not.toContain('<html>');
  });
});

describe('section 4.2: create file entries', () => {
  test('attachments and the folder go out as JSON; 201 is answered with the record', async () => {
    nock(API)
      .post(FILES, { attachments: [11], folder: 42 })
      .matchHeader('content-type', 'application/json')
      .reply(201, record());
    expect(await under.create()).toMatchObject({ id: 1, name: 'plan.pdf', creatorId: 9 });
  });

  test('an array of one is as good as a record', async () => {
    nock(API)
      .post(FILES)
      .reply(201, [record({ id: 8 })]);
    expect(await under.create()).toMatchObject({ id: 8 });
  });

  test('403 is forbidden, for good', async () => {
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
  ])(
    '201 with %s is created all the same, as a record that it does not tell',
    async (_what, body) => {
      nock(API).post(FILES).reply(201, body);
      expect(await under.create()).toBeNull();
    },
  );

  test.each([
    ['an empty body', ''],
    ['a web page', '<!doctype html>'],
    ['no record', '[]'],
  ])('200 with %s leaves the outcome unknown', async (_what, body) => {
    nock(API).post(FILES).reply(200, body);
    expect(await serviceErrorOf(under.create())).toMatchObject({
      code: 'SERVICE_BAD_ANSWER',
      retry: 'later',
      sent: 'unknown',
    });
  });

  test('a record that is neither its, nor new, is not taken for it', async () => {
    const other = record({ name: 'other.pdf', byte_size: 6, created_at: '2019-01-01T00:00:00Z' });
    nock(API).post(FILES).reply(201, other);
    expect(await under.create()).toBeNull();
  });

  test('a record that is new is taken for it, whatever it is named', async () => {
    const created_at = new Date(under.it.clock.now()).toISOString();
    nock(API)
      .post(FILES)
      .reply(201, record({ id: 9, name: 'x', byte_size: 6, created_at }));
    expect(await under.create()).toMatchObject({ id: 9 });
  });

  test.each([500, 502, 503, 504])(
    '%i leaves the outcome unknown and is not repeated',
    async (status) => {
      nock(API).post(FILES).reply(status);
      expect(await serviceErrorOf(under.create())).toMatchObject({
        code: 'SERVICE_FAILED',
        sent: 'unknown',
      });
    },
  );

  test('a connection that breaks leaves the outcome unknown and is not repeated', async () => {
    nock(API).post(FILES).replyWithError(fault('ECONNRESET'));
    expect(await serviceErrorOf(under.create())).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      sent: 'unknown',
    });
  });

  test('TLS that breaks leaves the outcome unknown and is not repeated', async () => {
    nock(API).post(FILES).replyWithError(fault('ERR_SSL_WRONG_VERSION_NUMBER'));
    expect(await serviceErrorOf(under.create())).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      sent: 'unknown',
    });
  });

  test('a connection that never was: nothing was made, and whose create it is may send another', async () => {
    nock(API).post(FILES).replyWithError(fault('ECONNREFUSED', 'connect'));
    const error = { code: 'SERVICE_UNREACHABLE', retry: 'later', sent: 'no' };
    expect(await serviceErrorOf(under.create())).toMatchObject(error);
  });
});

describe('section 4.3: delete a file', () => {
  test('204 is deleted', async () => {
    nock(API).delete(`${FILES}/3`).reply(204);
    expect(await under.it.client.deleteFile(FOLDER, 3, PERSON)).toBe('deleted');
  });

  test('404 at once: it was gone', async () => {
    nock(API).delete(`${FILES}/3`).reply(404);
    expect(await under.it.client.deleteFile(FOLDER, 3, PERSON)).toBe('gone');
  });

  test('404 after an attempt that may have got through: that one did it', async () => {
    nock(API).delete(`${FILES}/3`).replyWithError(fault('ECONNRESET'));
    nock(API).delete(`${FILES}/3`).reply(404);
    const deleted = under.it.client.deleteFile(FOLDER, 3, PERSON);
    await under.nextRetry();
    expect(await deleted).toBe('deleted');
  });

  test('404 after an attempt that did not get through: it was gone', async () => {
    nock(API).delete(`${FILES}/3`).replyWithError(fault('ECONNREFUSED', 'connect'));
    nock(API).delete(`${FILES}/3`).reply(404);
    const deleted = under.it.client.deleteFile(FOLDER, 3, PERSON);
    await under.nextRetry();
    expect(await deleted).toBe('gone');
  });

  test('403 is forbidden', async () => {
    nock(API).delete(`${FILES}/3`).reply(403);
    const error = await serviceErrorOf(under.it.client.deleteFile(FOLDER, 3, PERSON));
    expect(error).toMatchObject({ code: 'SERVICE_FORBIDDEN', retry: 'never' });
  });

  test('200 is as good, a web page is not', async () => {
    nock(API).delete(`${FILES}/3`).reply(200, { ok: true });
    expect(await under.it.client.deleteFile(FOLDER, 3, PERSON)).toBe('deleted');
    nock(API).delete(`${FILES}/3`).reply(200, '<html>');
    nock(API)
      .get(FILES)
      .reply(200, [record({ id: 3 })]);
    const deleted = serviceErrorOf(under.it.client.deleteFile(FOLDER, 3, BULK));
    expect(await deleted).toMatchObject({ code: 'SERVICE_REFUSED' });
  });
});

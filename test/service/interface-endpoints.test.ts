import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ACCOUNT,
  API,
  createUnderTest,
  FILES,
  FOLDER,
  KEY,
  record,
  serviceErrorOf,
  sourceOf,
  type UnderTest,
} from './client-under-test.ts';

const PERSON = { lane: 'interactive' } as const;
const BULK = { lane: 'bulk', queue: 'C1' } as const;

let it: UnderTest;

beforeEach(() => {
  nock.disableNetConnect();
  it = createUnderTest();
});

afterEach(() => {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  nock.enableNetConnect();
  expect(pending).toEqual([]);
  expect(it.throttle.open()).toBe(0);
  expect(it.clock.sleepers()).toBe(0);
});

function create(fields: { name?: string; attachmentId?: number } = {}) {
  const request = { destination: FOLDER, attachmentId: 11, name: 'plan.pdf', byteSize: 5 };
  return it.client.createFile({ ...request, onSending: async () => undefined, ...fields }, BULK);
}

describe('section 2.1: file records', () => {
  async function read(fields: Record<string, unknown>) {
    nock(API)
      .get(FILES)
      .reply(200, [record(fields)]);
    const list = await it.client.listFiles(FOLDER, PERSON);
    return { file: list.files[0], unreadable: list.unreadable };
  }

  test('every field is read', async () => {
    expect((await read({})).file).toEqual({
      id: 1,
      name: 'plan.pdf',
      byteSize: 5,
      createdAt: Date.UTC(2026, 0, 5, 9),
      updatedAt: Date.UTC(2026, 0, 5, 10, 30),
      source: 'upload',
      approvedByMe: true,
      approvedCount: 2,
      fileType: 'pdf',
      proofCount: 3,
      url: 'https://acme.example/thumbnails/1.png',
      creatorId: 9,
    });
  });

  test('a record with nothing but identifier, name and size is kept', async () => {
    nock(API)
      .get(FILES)
      .reply(200, [{ id: '3', name: 'a', byte_size: '12' }]);
    expect((await it.client.listFiles(FOLDER, PERSON)).files).toEqual([
      {
        id: 3,
        name: 'a',
        byteSize: 12,
        createdAt: null,
        updatedAt: null,
        source: null,
        approvedByMe: false,
        approvedCount: 0,
        fileType: null,
        proofCount: 0,
        url: null,
        creatorId: null,
      },
    ]);
  });

  test.each([
    ['an offset without a colon', '2026-01-05T10:00:00+0100', Date.UTC(2026, 0, 5, 9)],
    ['UTC', '2026-01-05T09:00:00.250Z', Date.UTC(2026, 0, 5, 9, 0, 0, 250)],
    ['no offset', '2026-01-05T09:00:00', null],
    ['no time at all', 'yesterday', null],
    ['a number', 1767603600, null],
  ])('created_at with %s', async (_what, created_at, expected) => {
    expect((await read({ created_at })).file?.createdAt).toBe(expected);
  });

  test.each([
    [
      'an object',
      { thumbnail: 'https://t.example/', download: 'https://d.example/f' },
      'https://d.example/f',
    ],
    ['an object without the file', { thumbnail: 'https://t.example/' }, 'https://t.example/'],
    ['plain http', 'http://t.example/', null],
    ['plain http on this machine', 'http://127.0.0.1:8080/t', 'http://127.0.0.1:8080/t'],
    ['a script', 'javascript:alert(1)', null],
    ['nothing', null, null],
  ])('url as %s', async (_what, url, expected) => {
    expect((await read({ url })).file?.url).toBe(expected);
  });

  test.each([
    ['no identifier', { id: undefined }],
    ['no name', { name: '' }],
    ['a size that is none', { byte_size: 'large' }],
    ['a negative size', { byte_size: -1 }],
    ['an identifier beyond exact numbers', { id: 2 ** 60 }],
  ])('a record with %s is counted as unreadable', async (_what, fields) => {
    expect(await read(fields)).toEqual({ file: undefined, unreadable: 1 });
  });
});

describe('section 2.2: attachments', () => {
  test.each([
    ['an object', { file_id: 5, name: 'x' }],
    ['a numeric string', { file_id: '5' }],
    ['one level down', { status: 'ok', file: { file_id: 5 } }],
    ['an array of one', [{ file_id: 5 }]],
  ])('file_id is read from %s', async (_what, answer) => {
    nock(ACCOUNT).post('/files/upload.php').reply(200, JSON.stringify(answer));
    expect((await it.client.uploadFile(7, sourceOf('hello'), BULK)).attachmentId).toBe(5);
  });
});

describe('section 3: states are not specified', () => {
  test('a state that a record tells is passed over', async () => {
    nock(API)
      .get(FILES)
      .reply(200, [record({ state: 'archived' })]);
    expect((await it.client.listFiles(FOLDER, PERSON)).files[0]).not.toHaveProperty('state');
  });
});

describe('section 4.1: list files', () => {
  test('an array is a list, with both clocks', async () => {
    const date = 'Mon, 05 Jan 2026 08:59:58 GMT';
    nock(API)
      .get(FILES)
      .reply(200, [record(), record({ id: 2 })], { Date: date });
    const list = await it.client.listFiles(FOLDER, PERSON);
    expect(list.files.map(({ id }) => id)).toEqual([1, 2]);
    expect(list.serviceTime).toBe(Date.parse(date));
    expect(list.fetchedAt).toBe(it.clock.now());
  });

  test('an empty folder is an empty list', async () => {
    nock(API).get(FILES).reply(200, []);
    expect(await it.client.listFiles(FOLDER, PERSON)).toMatchObject({ files: [], unreadable: 0 });
  });

  test('one odd record hides no other', async () => {
    nock(API)
      .get(FILES)
      .reply(200, [record(), null, 'x', { id: 5 }, record({ id: 2 })]);
    const list = await it.client.listFiles(FOLDER, PERSON);
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
    const listing = serviceErrorOf(it.client.listFiles(FOLDER, BULK));
    await nextRetry();
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
    expect(await create()).toMatchObject({ id: 1, name: 'plan.pdf', creatorId: 9 });
  });

  test('an array of one is as good as a record', async () => {
    nock(API)
      .post(FILES)
      .reply(201, [record({ id: 8 })]);
    expect(await create()).toMatchObject({ id: 8 });
  });

  test('403 is forbidden, for good', async () => {
    nock(API).post(FILES).reply(403, { error: 'no access' });
    const error = await serviceErrorOf(create());
    expect(error).toMatchObject({ code: 'SERVICE_FORBIDDEN', retry: 'never', status: 403 });
    expect(error.message).toBe(
      'POST /projects/7/folders/42/files was answered 403: {"error":"no access"}',
    );
  });

  test.each([
    ['an empty body', ''],
    ['a web page', '<!doctype html>'],
    ['no record', '{"ok":true}'],
  ])('201 with %s is created all the same: the outcome is unknown', async (_what, body) => {
    nock(API).post(FILES).reply(201, body);
    expect(await serviceErrorOf(create())).toMatchObject({
      code: 'SERVICE_BAD_ANSWER',
      retry: 'later',
      sent: 'unknown',
    });
  });

  test.each([500, 502, 503, 504])(
    '%i leaves the outcome unknown and is not repeated',
    async (status) => {
      nock(API).post(FILES).reply(status);
      expect(await serviceErrorOf(create())).toMatchObject({
        code: 'SERVICE_FAILED',
        sent: 'unknown',
      });
    },
  );

  test('a connection that breaks leaves the outcome unknown and is not repeated', async () => {
    nock(API).post(FILES).replyWithError(fault('ECONNRESET'));
    expect(await serviceErrorOf(create())).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      sent: 'unknown',
    });
  });

  test('a connection that never was is tried again', async () => {
    nock(API).post(FILES).replyWithError(fault('ECONNREFUSED'));
    nock(API).post(FILES).reply(201, record());
    const created = create();
    await nextRetry();
    expect(await created).toMatchObject({ id: 1 });
  });
});

describe('section 4.3: delete a file', () => {
  test('204 is deleted', async () => {
    nock(API).delete(`${FILES}/3`).reply(204);
    expect(await it.client.deleteFile(FOLDER, 3, PERSON)).toBe('deleted');
  });

  test('404 at once: it was gone', async () => {
    nock(API).delete(`${FILES}/3`).reply(404);
    expect(await it.client.deleteFile(FOLDER, 3, PERSON)).toBe('gone');
  });

  test('404 after an attempt that may have got through: that one did it', async () => {
    nock(API).delete(`${FILES}/3`).replyWithError(fault('ECONNRESET'));
    nock(API).delete(`${FILES}/3`).reply(404);
    const deleted = it.client.deleteFile(FOLDER, 3, PERSON);
    await nextRetry();
    expect(await deleted).toBe('deleted');
  });

  test('404 after an attempt that did not get through: it was gone', async () => {
    nock(API).delete(`${FILES}/3`).replyWithError(fault('ECONNREFUSED'));
    nock(API).delete(`${FILES}/3`).reply(404);
    const deleted = it.client.deleteFile(FOLDER, 3, PERSON);
    await nextRetry();
    expect(await deleted).toBe('gone');
  });

  test('403 is forbidden', async () => {
    nock(API).delete(`${FILES}/3`).reply(403);
    const error = await serviceErrorOf(it.client.deleteFile(FOLDER, 3, PERSON));
    expect(error).toMatchObject({ code: 'SERVICE_FORBIDDEN', retry: 'never' });
  });

  test('200 is as good, a web page is not', async () => {
    nock(API).delete(`${FILES}/3`).reply(200, { ok: true });
    expect(await it.client.deleteFile(FOLDER, 3, PERSON)).toBe('deleted');
    nock(API).delete(`${FILES}/3`).times(2).reply(200, '<html>');
    const deleted = serviceErrorOf(it.client.deleteFile(FOLDER, 3, BULK));
    await nextRetry();
    expect(await deleted).toMatchObject({ code: 'SERVICE_BAD_ANSWER' });
  });
});

describe('section 4.4: upload a file', () => {
  test('project_id and the file go out as a form of known length', async () => {
    let body = '';
    nock(ACCOUNT)
      .post('/files/upload.php', (sent: string) => {
        body = sent;
        return true;
      })
      .matchHeader('content-type', /^multipart\/form-data; boundary=/)
      .matchHeader('content-length', /^\d+$/)
      .matchHeader('x-api-key', KEY)
      .reply(200, { file_id: 5 }, { Date: 'Mon, 05 Jan 2026 09:00:00 GMT' });
    const name = 'Prüfung "2".pdf';
    const upload = await it.client.uploadFile(7, sourceOf('hello', { name }), BULK);
    expect(upload).toEqual({ attachmentId: 5, sentBytes: 5, serviceTime: Date.UTC(2026, 0, 5, 9) });
    expect(body).toMatch(/name="project_id"\r\n\r\n7\r\n/);
    expect(body).toContain('name="file"; filename="Prüfung %222%22.pdf"');
    expect(body).toMatch(/Content-Type: application\/pdf\r\n\r\nhello\r\n/);
  });

  test('what is no media type does not get into the part', async () => {
    nock(ACCOUNT)
      .post('/files/upload.php', /Content-Type: application\/octet-stream\r\n\r\nhello/)
      .reply(200, { file_id: 5 });
    await it.client.uploadFile(7, sourceOf('hello', { mimetype: 'a/b\r\nX: y' }), BULK);
  });

  test('an answer without file_id is bad; the next attempt opens the file anew', async () => {
    nock(ACCOUNT).post('/files/upload.php').times(2).reply(200, { ok: true });
    const source = sourceOf('hello');
    const uploading = serviceErrorOf(it.client.uploadFile(7, source, BULK));
    await nextRetry();
    expect(await uploading).toMatchObject({
      code: 'SERVICE_BAD_ANSWER',
      retry: 'later',
      sent: 'yes',
    });
    expect(source.opened).toHaveLength(2);
    expect(source.opened.every((bytes) => bytes.destroyed)).toBe(true);
  });

  test('403 is forbidden', async () => {
    nock(ACCOUNT).post('/files/upload.php').reply(403);
    const error = await serviceErrorOf(it.client.uploadFile(7, sourceOf('hello'), BULK));
    expect(error.code).toBe('SERVICE_FORBIDDEN');
    expect(error.message).toBe('POST /files/upload.php was answered 403');
  });

  test('the throttle hears how long it may take', async () => {
    nock(ACCOUNT).post('/files/upload.php').reply(200, { file_id: 5 });
    await it.client.uploadFile(7, sourceOf('x'.repeat(128 * 1024)), BULK);
    expect(it.throttle.requests).toMatchObject([{ lane: 'bulk', queue: 'C1', timeoutMs: 62_000 }]);
  });
});

describe('section 4.5: two-step flow', () => {
  test('the file_id of the upload is the attachment of the create', async () => {
    nock(ACCOUNT).post('/files/upload.php').reply(200, { file_id: 77 });
    nock(API)
      .post(FILES, { attachments: [77], folder: 42 })
      .reply(201, record());
    const { attachmentId } = await it.client.uploadFile(7, sourceOf('hello'), BULK);
    expect(await create({ attachmentId })).toMatchObject({ id: 1 });
    expect(it.throttle.outcomes).toMatchObject([{ sent: true }, { sent: true }]);
  });
});

function fault(code: string): Error {
  return Object.assign(new Error(`fault ${code}`), { code });
}

// Waits until a retry is due and lets it go.
async function nextRetry(): Promise<void> {
  await expect.poll(() => it.throttle.open() === 0 && it.clock.sleepers(), { interval: 1 }).toBe(1);
  await it.clock.advance(8_000);
}

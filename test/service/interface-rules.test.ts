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
  rejectionOf,
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

function create() {
  const request = { destination: FOLDER, attachmentId: 11, name: 'plan.pdf', byteSize: 5 };
  return it.client.createFile({ ...request, onSending: async () => undefined }, BULK);
}

describe('section 5: authentication and request rules', () => {
  test.each([
    ['the account', 'https://acme.example', 'https://acme.example'],
    ['a closing slash', 'https://acme.example/', 'https://acme.example'],
    ['a path', 'https://acme.example/team/', 'https://acme.example/team'],
    ['loopback over plain http', 'http://127.0.0.1:8123', 'http://127.0.0.1:8123'],
  ])('key and User-Agent go with every request: %s', async (_what, accountUrl, account) => {
    it = createUnderTest(accountUrl);
    const scope = nock(account, {
      reqheaders: { 'x-api-key': KEY, 'user-agent': 'Pigeonhole (ops@acme.example)' },
    });
    scope.get(`/api/v3${FILES}`).reply(200, []);
    scope.post(`/api/v3${FILES}`).reply(201, record());
    scope.delete(`/api/v3${FILES}/1`).reply(204);
    scope.post('/files/upload.php').reply(200, { file_id: 5 });
    scope.get('/api/v3/people').reply(200, []);
    await it.client.listFiles(FOLDER, PERSON);
    await create();
    await it.client.deleteFile(FOLDER, 1, PERSON);
    await it.client.uploadFile(7, sourceOf('hello'), BULK);
    await it.client.listPeople(PERSON);
    expect(scope.isDone()).toBe(true);
  });

  test('a personal key takes the place of the shared one', async () => {
    nock(API, { reqheaders: { 'x-api-key': 'my-own' } })
      .get(FILES)
      .reply(200, []);
    await it.client.listFiles(FOLDER, { ...PERSON, apiKey: 'my-own' });
  });

  test('a request without a body names no content type', async () => {
    nock(API, { badheaders: ['content-type'] })
      .get(FILES)
      .reply(200, []);
    await it.client.listFiles(FOLDER, PERSON);
  });

  test.each([
    'http://acme.example',
    'http://127.0.0.1.acme.example',
    'http://localhost.acme.example',
    'ftp://acme.example',
    'acme.example',
    'https://user:s3cret@acme.example',
    'https://acme.example/?team=1',
    '',
  ])('%s is refused as an account address', async (accountUrl) => {
    const refused = await rejectionOf((async () => createUnderTest(accountUrl))());
    expect(refused).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(String(refused)).not.toContain('s3cret');
  });

  test.each(['http://localhost:1', 'http://[::1]:1', 'http://127.8.9.1'])(
    '%s stays within the machine',
    (accountUrl) => {
      expect(() => createUnderTest(accountUrl)).not.toThrow();
    },
  );

  test.each([
    [301, 'https://elsewhere.example/sign-in?session=s3cret', 'https://elsewhere.example'],
    [302, '/login', 'the same host'],
  ])('%i is not followed: the key stays with the account', async (status, location, told) => {
    nock(API).get(FILES).times(2).reply(status, '', { Location: location });
    const listing = serviceErrorOf(it.client.listFiles(FOLDER, BULK));
    await nextRetry();
    const error = await listing;
    expect(error).toMatchObject({ code: 'SERVICE_BAD_ANSWER', status });
    expect(error.message).toBe(`GET ${FILES} was answered ${status} that points to ${told}`);
  });

  test('no error carries the key, not even where the service repeats it', async () => {
    nock(API)
      .get(FILES)
      .reply(400, `bad key\n ${KEY} ${'x'.repeat(500)}`);
    nock(API).post(FILES).replyWithError(fault('ECONNRESET'));
    const refused = await serviceErrorOf(it.client.listFiles(FOLDER, PERSON));
    const broken = await serviceErrorOf(create());
    expect(refused.message).toContain('bad key [secret] xxx');
    expect(refused.message.length).toBeLessThan(300);
    for (const error of [refused, broken]) {
      expect(JSON.stringify(everythingIn(error))).not.toContain(KEY);
    }
    expect(broken.cause).toMatchObject({ message: 'fault ECONNRESET', code: 'ECONNRESET' });
  });
});

describe('section 6: events are not specified', () => {
  test('a list is asked for afresh each time, unless a copy will do', async () => {
    nock(API).get(FILES).reply(200, []);
    nock(API).get(FILES).reply(200, [record()]);
    await it.client.listFiles(FOLDER, PERSON);
    expect((await it.client.listFiles(FOLDER, PERSON)).files).toHaveLength(1);
  });
});

describe('section 7: errors', () => {
  test.each([
    [400, 'SERVICE_BAD_REQUEST'],
    [401, 'SERVICE_UNAUTHORIZED'],
    [403, 'SERVICE_FORBIDDEN'],
    [404, 'SERVICE_NOT_FOUND'],
    [409, 'SERVICE_BAD_REQUEST'],
    [415, 'SERVICE_BAD_REQUEST'],
  ])('%i is %s, and asked once', async (status, code) => {
    nock(API).get(FILES).reply(status, 'no');
    const error = await serviceErrorOf(it.client.listFiles(FOLDER, PERSON));
    expect(error).toMatchObject({ code, retry: 'never', status });
  });

  test.each([
    [408, 'SERVICE_TIMEOUT', 'unknown'],
    [500, 'SERVICE_FAILED', 'yes'],
    [502, 'SERVICE_FAILED', 'yes'],
    [503, 'SERVICE_FAILED', 'yes'],
    [504, 'SERVICE_FAILED', 'yes'],
  ])('%i is %s, tried again', async (status, code, sent) => {
    nock(API).get(FILES).times(2).reply(status, '<html>oops</html>');
    const listing = serviceErrorOf(it.client.listFiles(FOLDER, BULK));
    await nextRetry();
    const error = await listing;
    expect(error).toMatchObject({ code, retry: 'later', status, sent });
    expect(error.message).toContain('a web page');
  });

  test('Retry-After on 503 is told and waited for', async () => {
    nock(API).get(FILES).reply(503, '', { 'Retry-After': '3' });
    nock(API).get(FILES).reply(200, []);
    const listing = it.client.listFiles(FOLDER, PERSON);
    await retryDue();
    await it.clock.advance(2_999);
    expect(it.throttle.requests).toHaveLength(1);
    await it.clock.advance(1);
    await listing;
  });

  test('a Retry-After beyond a person’s patience is told at once', async () => {
    nock(API).get(FILES).reply(503, '', { 'Retry-After': '60' });
    const error = await serviceErrorOf(it.client.listFiles(FOLDER, PERSON));
    expect(error).toMatchObject({ code: 'SERVICE_FAILED', retryAfterMs: 60_000 });
  });

  test('a person’s call is tried three times, with growing waits', async () => {
    nock(API).get(FILES).times(3).reply(500);
    const listing = serviceErrorOf(it.client.listFiles(FOLDER, PERSON));
    await retryDue();
    await it.clock.advance(250);
    await expect.poll(() => it.throttle.requests.length, { interval: 1 }).toBe(2);
    await retryDue();
    await it.clock.advance(500);
    expect((await listing).code).toBe('SERVICE_FAILED');
    expect(it.throttle.requests).toHaveLength(3);
  });

  test.each([
    'ECONNREFUSED',
    'ENOTFOUND',
    'EHOSTUNREACH',
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
  ])('%s: nothing was sent', async (code) => {
    nock(API).get(FILES).times(2).replyWithError(fault(code));
    const listing = serviceErrorOf(it.client.listFiles(FOLDER, BULK));
    await nextRetry();
    expect(await listing).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      retry: 'later',
      sent: 'no',
      status: undefined,
    });
  });

  test.each(['ECONNRESET', 'EPIPE'])('%s: nobody knows', async (code) => {
    nock(API).get(FILES).times(2).replyWithError(fault(code));
    const listing = serviceErrorOf(it.client.listFiles(FOLDER, BULK));
    await nextRetry();
    expect(await listing).toMatchObject({ code: 'SERVICE_UNREACHABLE', sent: 'unknown' });
  });
});

describe('section 8: limits', () => {
  test('429 tells the throttle for how long, and is tried again once it admits', async () => {
    nock(API).get(FILES).reply(429, '', { 'Retry-After': '4' });
    nock(API).get(FILES).reply(200, []);
    const listing = it.client.listFiles(FOLDER, PERSON);
    await nextRetry(0);
    await listing;
    expect(it.throttle.outcomes).toEqual([
      { sent: true, rateLimitedForMs: 4_000 },
      { sent: true, rateLimitedForMs: undefined },
    ]);
  });

  test('429 beyond a person’s patience is told at once', async () => {
    nock(API).get(FILES).reply(429, '', { 'Retry-After': '9' });
    expect(await serviceErrorOf(it.client.listFiles(FOLDER, PERSON))).toMatchObject({
      code: 'SERVICE_RATE_LIMITED',
      retry: 'later',
      sent: 'no',
      retryAfterMs: 9_000,
    });
  });

  test('429 without Retry-After waits out a window', async () => {
    nock(API).get(FILES).reply(429);
    await serviceErrorOf(it.client.listFiles(FOLDER, PERSON));
    expect(it.throttle.outcomes).toEqual([{ sent: true, rateLimitedForMs: 10_000 }]);
  });

  test('the bulk lane stands in line again five times', async () => {
    nock(API).get(FILES).times(6).reply(429, '', { 'Retry-After': '60' });
    const listing = serviceErrorOf(it.client.listFiles(FOLDER, BULK));
    for (let refusals = 1; refusals <= 5; refusals += 1) await nextRetry(0);
    expect((await listing).code).toBe('SERVICE_RATE_LIMITED');
    expect(it.throttle.requests).toHaveLength(6);
  });

  test('an upload that was rate limited opens its file anew', async () => {
    nock(ACCOUNT).post('/files/upload.php').reply(429, '', { 'Retry-After': '1' });
    nock(ACCOUNT).post('/files/upload.php').reply(200, { file_id: 5 });
    const source = sourceOf('hello');
    const uploading = it.client.uploadFile(7, source, BULK);
    await nextRetry(0);
    expect(await uploading).toMatchObject({ attachmentId: 5, sentBytes: 5 });
    expect(source.opened).toHaveLength(2);
  });
});

describe('appendix: projects, folders and people', () => {
  test('projects', async () => {
    nock(API)
      .get('/projects')
      .reply(200, [
        { id: '7', title: 'Roof', archived: true, assigned: [] },
        { id: 8, title: 'Cellar' },
        {},
      ]);
    expect(await it.client.listProjects(PERSON)).toEqual([
      { id: 7, title: 'Roof', archived: true },
      { id: 8, title: 'Cellar', archived: false },
    ]);
  });

  test('folders: "root" is the top', async () => {
    nock(API)
      .get('/projects/7/folders')
      .reply(200, [
        { id: 42, name: 'Plans', level: 1, parent_id: 'root' },
        { id: 43, name: 'Old', level: 2, parent_id: '42' },
      ]);
    expect(await it.client.listFolders(7, PERSON)).toEqual([
      { id: 42, name: 'Plans', level: 1, parentId: null },
      { id: 43, name: 'Old', level: 2, parentId: 42 },
    ]);
  });

  test('people: a name from its parts', async () => {
    nock(API)
      .get('/people')
      .reply(200, [
        { id: 1, first_name: 'Ada', last_name: 'Lovelace' },
        { id: 2, first_name: 'Bo', last_name: null },
        { id: 3 },
      ]);
    expect(await it.client.listPeople(PERSON)).toEqual([
      { id: 1, name: 'Ada Lovelace' },
      { id: 2, name: 'Bo' },
    ]);
  });

  test.each([403, 404])('%i: the account does not offer it', async (status) => {
    nock(API).get('/projects').reply(status);
    expect(await it.client.listProjects(PERSON)).toBeNull();
  });

  test('401 is no matter of what is offered', async () => {
    nock(API).get('/projects').reply(401);
    expect((await serviceErrorOf(it.client.listProjects(PERSON))).code).toBe(
      'SERVICE_UNAUTHORIZED',
    );
  });
});

function fault(code: string): Error {
  return Object.assign(new Error(`fault ${code}`), { code });
}

// Everything that a logger could reach.
function everythingIn(error: Error): unknown {
  const own = (one: object) =>
    Object.fromEntries(Object.getOwnPropertyNames(one).map((key) => [key, Reflect.get(one, key)]));
  return { ...own(error), cause: error.cause instanceof Error ? own(error.cause) : error.cause };
}

async function retryDue(): Promise<void> {
  await expect.poll(() => it.throttle.open() === 0 && it.clock.sleepers(), { interval: 1 }).toBe(1);
}

async function nextRetry(ms = 8_000): Promise<void> {
  await retryDue();
  await it.clock.advance(ms);
}

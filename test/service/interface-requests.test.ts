import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, FILES, FOLDER, KEY, record, serviceErrorOf, sourceOf } from './client-under-test.ts';
import { BULK, fault, PERSON, useNock } from './nock-under-test.ts';

const under = useNock();

describe('section 5 (authentication and request rules): the client', () => {
  test.each([
    ['the account', 'https://acme.example', 'https://acme.example'],
    ['a closing slash', 'https://acme.example/', 'https://acme.example'],
    ['a path', 'https://acme.example/team/', 'https://acme.example/team'],
    ['loopback over plain http', 'http://127.0.0.1:8123', 'http://127.0.0.1:8123'],
  ])(
    'sends the key and the User-Agent with every request: %s',
    async (_what, accountUrl, account) => {
      under.moveTo(accountUrl);
      const scope = nock(account, {
        reqheaders: {
          'x-api-key': KEY,
          'user-agent': /^Pigeonhole\/\d+\.\d+\.\d+ \(ops@acme\.example\)$/,
        },
      });
      scope.get(`/api/v3${FILES}`).reply(200, []);
      scope.post(`/api/v3${FILES}`).reply(201, record());
      scope.delete(`/api/v3${FILES}/1`).reply(204);
      scope.post('/files/upload.php').reply(200, { file_id: 5 });
      scope.get('/api/v3/people').reply(200, []);
      await under.it.client.listFiles(FOLDER, PERSON);
      await under.create();
      await under.it.client.deleteFile(FOLDER, 1, PERSON);
      await under.it.client.uploadFile(7, sourceOf('hello'), BULK);
      await under.it.client.listPeople(PERSON);
      expect(scope.isDone()).toBe(true);
    },
  );

  test("sends a content type with every request to the API's base address, even without a body", async () => {
    const scope = nock(API, { reqheaders: { 'content-type': 'application/json' } });
    scope.get(FILES).reply(200, []);
    scope.post(FILES).reply(201, record());
    scope.delete(`${FILES}/1`, '').reply(204);
    scope.get('/projects').reply(200, []);
    await under.it.client.listFiles(FOLDER, PERSON);
    await under.create();
    await under.it.client.deleteFile(FOLDER, 1, PERSON);
    await under.it.client.listProjects(PERSON);
    expect(scope.isDone()).toBe(true);
  });

  test.each([
    [301, 'https://elsewhere.example/sign-in?session=s3cret', 'https://elsewhere.example'],
    [302, '/login', 'the same host'],
  ])('does not follow a %i, so the key stays with the account', async (status, location, told) => {
    nock(API).get(FILES).times(2).reply(status, '', { Location: location });
    const listing = serviceErrorOf(under.it.client.listFiles(FOLDER, BULK));
    await under.nextRetry();
    const error = await listing;
    expect(error).toMatchObject({ code: 'SERVICE_BAD_ANSWER', status });
    expect(error.message).toBe(`GET ${FILES} was answered ${status} that points to ${told}`);
  });

  test('puts the key into no error, even if the service repeats it', async () => {
    nock(API)
      .get(FILES)
      .reply(400, `bad key\n ${KEY} ${'x'.repeat(500)}`);
    nock(API).post(FILES).replyWithError(fault('ECONNRESET'));
    const refused = await serviceErrorOf(under.it.client.listFiles(FOLDER, PERSON));
    const broken = await serviceErrorOf(under.create());
    expect(refused.message).toContain('bad key [secret] xxx');
    expect(refused.message.length).toBeLessThan(300);
    for (const error of [refused, broken]) {
      expect(JSON.stringify(everythingIn(error))).not.toContain(KEY);
    }
    expect(broken.cause).toMatchObject({ message: 'fault ECONNRESET', code: 'ECONNRESET' });
  });
});

describe('section 6 (events are not specified): the client', () => {
  test('requests a list again each time, unless a cached one will do', async () => {
    nock(API).get(FILES).reply(200, []);
    nock(API).get(FILES).reply(200, [record()]);
    await under.it.client.listFiles(FOLDER, PERSON);
    expect((await under.it.client.listFiles(FOLDER, PERSON)).files).toHaveLength(1);
  });
});

// Returns everything of an error that a logger could reach.
function everythingIn(error: Error): unknown {
  const own = (one: object) =>
    Object.fromEntries(Object.getOwnPropertyNames(one).map((key) => [key, Reflect.get(one, key)]));
  return { ...own(error), cause: error.cause instanceof Error ? own(error.cause) : error.cause };
}

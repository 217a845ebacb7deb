import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, serviceErrorOf } from './client-under-test.ts';
import { playList } from './listing-account.ts';
import { PERSON, useNock } from './nock-under-test.ts';
import { createQuotaThrottle } from './stub-throttle.ts';

const under = useNock();

describe('appendix (projects, folders and people): the client', () => {
  test('reads projects and reports an unreadable one as an incomplete list', async () => {
    nock(API)
      .get('/projects')
      .reply(200, [
        { id: '7', title: 'Roof', archived: true, assigned: [] },
        { id: 8, title: 'Cellar' },
        {},
      ]);
    expect(await under.it.client.listProjects(PERSON)).toEqual({
      records: [
        { id: 7, title: 'Roof', archived: true },
        { id: 8, title: 'Cellar', archived: false },
      ],
      complete: false,
    });
  });

  test('reads folders, with "root" as the top', async () => {
    nock(API)
      .get('/projects/7/folders')
      .reply(200, [
        { id: 42, name: 'Plans', level: 1, parent_id: 'root' },
        { id: 43, name: 'Old', level: 2, parent_id: '42' },
      ]);
    expect(await under.it.client.listFolders(7, PERSON)).toEqual({
      records: [
        { id: 42, name: 'Plans', level: 1, parentId: null, projectId: null },
        { id: 43, name: 'Old', level: 2, parentId: 42, projectId: null },
      ],
      complete: true,
    });
  });

  test("builds a person's name from its parts", async () => {
    nock(API)
      .get('/people')
      .reply(200, [
        { id: 1, first_name: 'Ada', last_name: 'Lovelace' },
        { id: 2, first_name: 'Bo', last_name: null },
        { id: 3 },
      ]);
    expect(await under.it.client.listPeople(PERSON)).toEqual({
      records: [
        { id: 1, name: 'Ada Lovelace' },
        { id: 2, name: 'Bo' },
      ],
      complete: false,
    });
  });

  test.each([403, 404])(
    'returns null for a list that the account does not offer, at %i',
    async (status) => {
      nock(API).get('/projects').reply(status);
      expect(await under.it.client.listProjects(PERSON)).toBeNull();
    },
  );

  test('rejects with SERVICE_UNAUTHORIZED at 401, rather than return null', async () => {
    nock(API).get('/projects').reply(401);
    expect((await serviceErrorOf(under.it.client.listProjects(PERSON))).code).toBe(
      'SERVICE_UNAUTHORIZED',
    );
  });
});

describe('client.check', () => {
  test('resolves to true when the service returns its list of projects', async () => {
    nock(API).get('/projects').reply(200, []);
    await expect(under.it.client.check(PERSON)).resolves.toBe(true);
  });

  test.each(['<html>Welcome</html>', '{"name":"another service"}', ''])(
    'rejects any other body in a 200: %j',
    async (body) => {
      nock(API).get('/projects').reply(200, body);
      expect((await serviceErrorOf(under.it.client.check(PERSON))).code).toBe('SERVICE_BAD_ANSWER');
    },
  );

  test.each([
    [403, undefined],
    [404, undefined],
    [200, { success: false, message: 'not for you' }],
  ])(
    'resolves to false at %i %j, when the service responds without that list',
    async (status, body) => {
      nock(API).get('/projects').reply(status, body);
      await expect(under.it.client.check(PERSON)).resolves.toBe(false);
    },
  );
});

describe.each(['oldest-first', 'newest-first'] as const)(
  'the lists of an account that pages, %s',
  (order) => {
    test('read all projects', async () => {
      playList(250, { path: '/projects', order }, (id) => ({ id, title: `Project ${id}` }));
      const list = await under.it.client.listProjects(PERSON);
      expect(list?.records).toHaveLength(250);
      expect(list?.complete).toBe(true);
    });

    test('read all folders', async () => {
      const entry = (id: number) => ({ id, name: `Folder ${id}`, level: 1, parent_id: 'root' });
      playList(201, { path: '/projects/7/folders', order }, entry);
      const list = await under.it.client.listFolders(7, PERSON);
      expect(list?.records).toHaveLength(201);
      expect(list?.complete).toBe(true);
    });

    test.each([1, 2, 9])('read all folders for a person who has %i calls left', async (left) => {
      const throttle = createQuotaThrottle(left);
      under.throttleBy(throttle);
      const entry = (id: number) => ({ id, name: `Folder ${id}`, level: 1, parent_id: 'root' });
      playList(2_000, { path: '/projects/7/folders', order }, entry);
      const list = await under.it.client.listFolders(7, { ...PERSON, queue: 'U1' });
      expect(list?.records).toHaveLength(2_000);
      expect(list?.complete).toBe(true);
      const ofPerson = throttle.requests.filter(({ lane }) => lane === 'interactive');
      expect(ofPerson).toHaveLength(Math.min(left, 3));
    });

    test('read all people', async () => {
      playList(100, { path: '/people', order }, (id) => ({ id, first_name: `P${id}` }));
      const list = await under.it.client.listPeople(PERSON);
      expect(list?.records).toHaveLength(100);
      expect(list?.complete).toBe(true);
    });
  },
);

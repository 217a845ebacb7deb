import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { ACCOUNT, API, FILES, FOLDER, record, serviceErrorOf } from './client-under-test.ts';
import { PERSON, useNock } from './nock-under-test.ts';

const under = useNock();

const FOLDERS = '/projects/7/folders';

async function read(fields: Record<string, unknown>) {
  nock(API)
    .get(FILES)
    .reply(200, [record(fields)]);
  const { files, unreadable } = await under.it.client.listFiles(FOLDER, PERSON);
  return { file: files[0], unreadable };
}

describe('R4: the list of folders', () => {
  const plans = { id: 42, name: 'Plans', type: 'folder' };
  const old = { id: 43, name: 'Old', type: 'folder' };

  test.each([
    [
      'specified',
      [
        { ...plans, parent_id: 'root', level: 1 },
        { ...old, parent_id: 42, level: 2 },
      ],
    ],
    ['seen, an array with children', [{ ...plans, parent_id: 'root', children: [old] }]],
  ])('is read as %s', async (_form, body) => {
    nock(API).get(FOLDERS).reply(200, body);
    expect(await under.it.client.listFolders(7, PERSON)).toEqual({
      records: [
        { id: 42, name: 'Plans', level: 1, parentId: null, projectId: null },
        { id: 43, name: 'Old', level: 2, parentId: 42, projectId: null },
      ],
      complete: true,
    });
  });

  test('includes the root folder when the answer is one object, as seen', async () => {
    const children = [{ ...plans, parent_id: 40, children: [{ ...old, parent_id: 42 }] }];
    nock(API).get(FOLDERS).reply(200, { id: 40, name: 'All files', parent_id: null, children });
    const list = await under.it.client.listFolders(7, PERSON);
    expect(list?.records.map(({ id, level }) => [id, level])).toEqual([
      [40, 1],
      [42, 2],
      [43, 3],
    ]);
    expect(list?.complete).toBe(true);
  });

  test('is incomplete when one folder cannot be read', async () => {
    nock(API)
      .get(FOLDERS)
      .reply(200, [plans, { id: 'x' }]);
    expect(await under.it.client.listFolders(7, PERSON)).toMatchObject({ complete: false });
  });

  test.each([
    [403, ''],
    [404, ''],
    [200, { success: false, code: 4711, message: 'no such call' }],
  ])('is null when the account does not offer it, at %i %j', async (status, body) => {
    nock(API).get(FOLDERS).reply(status, body);
    expect(await under.it.client.listFolders(7, PERSON)).toBeNull();
  });

  test('rejects with SERVICE_UNAUTHORIZED when the key is refused', async () => {
    nock(API).get(FOLDERS).reply(200, { code: 1001, message: 'no key', response_code: 1001 });
    const error = await serviceErrorOf(under.it.client.listFolders(7, PERSON));
    expect(error.code).toBe('SERVICE_UNAUTHORIZED');
  });
});

describe('R5: a request for something that does not exist', () => {
  test('returns no folders for a missing project that is answered with those of all projects', async () => {
    const all = [7, 8].map((id) => ({
      id: id * 10,
      name: 'x',
      parent_id: 'root',
      project: { id },
    }));
    nock(API).get(FOLDERS).reply(200, all);
    const list = await under.it.client.listFolders(7, PERSON);
    expect(list?.records.map(({ id }) => id)).toEqual([70]);
  });

  test('returns no files and no error for a missing folder', async () => {
    nock(API).get(FILES).reply(200, []);
    expect((await under.it.client.listFiles(FOLDER, PERSON)).files).toEqual([]);
  });
});

describe('R6: HTML escapes', () => {
  test("are decoded in project titles, folder names and people's names", async () => {
    nock(API)
      .get('/projects')
      .reply(200, [{ id: 7, title: 'R&amp;D &lt;2026&gt; &#39;x&#x27;' }]);
    nock(API)
      .get(FOLDERS)
      .reply(200, [{ id: 42, name: 'Q&amp;A&nbsp;old', parent_id: 'root' }]);
    nock(API)
      .get('/people')
      .reply(200, [{ id: 1, first_name: 'Ada', last_name: 'O&#39;Neil' }]);
    const { client } = under.it;
    expect((await client.listProjects(PERSON))?.records[0]?.title).toBe("R&D <2026> 'x'");
    expect((await client.listFolders(7, PERSON))?.records[0]?.name).toBe('Q&A\u00a0old');
    expect((await client.listPeople(PERSON))?.records[0]?.name).toBe("Ada O'Neil");
  });

  test('are kept in file names, as only the filer knows the original name', async () => {
    expect((await read({ name: 'a&amp;b.txt' })).file?.name).toBe('a&amp;b.txt');
  });

  test('leave room for the longest file name, escaped as a whole', async () => {
    const name = '&#128206;'.repeat(255);
    expect((await read({ name })).file?.name).toBe(name);
  });
});

describe('R7: the URL of a file', () => {
  const at = (name: string) => `${ACCOUNT}/${name}`;
  const objectOf = (...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, at(name)]));

  test.each([
    ['specified, a string', at('thumbnails/1.png'), at('thumbnails/1.png')],
    ['the page and the bytes', objectOf('download', 'view'), at('view')],
    ['seen in folders', objectOf('full_image', 'view'), at('view')],
    [
      'seen elsewhere',
      objectOf('thumbnail', 'image', 'share', 'proofing', 'download'),
      at('download'),
    ],
    ['pictures alone', objectOf('thumbnail', 'image', 'full_image'), at('full_image')],
    [
      'with what is no address first',
      { view: '', download: null, share: at('share') },
      at('share'),
    ],
    ['with nothing to open', { view: 'javascript:alert(1)', download: 7 }, null],
    ['an empty array', [], null],
  ])('is read as %s', async (_form, url, expected) => {
    expect((await read({ url })).file?.url).toBe(expected);
  });
});

describe('R8 (creators, times and identifiers): the reader of file records', () => {
  test.each([
    ['specified', { id: 9 }, 9],
    ['a plain number', 9, 9],
    ['a number as text', '9', 9],
    ['nothing', null, null],
    ['words', 'Ada', null],
  ])('reads the creator as %s', async (_form, creator, expected) => {
    expect((await read({ creator })).file?.creatorId).toBe(expected);
  });

  test('reads a time in +00:00 and an identifier of thirteen digits', async () => {
    const fields = { id: 9_007_199_254_740, created_at: '2026-01-05T09:00:00+00:00' };
    expect(await read(fields)).toMatchObject({
      file: { id: 9_007_199_254_740, createdAt: Date.UTC(2026, 0, 5, 9) },
      unreadable: 0,
    });
  });
});

describe('R9: approvals', () => {
  test.each([
    ['by_me says who made it', { by_me: true, approved_count: 0 }, 0],
    ['as specified', { by_me: false, approved_count: 1 }, 1],
  ])('are read correctly: %s', async (_form, fields, expected) => {
    expect((await read(fields)).file?.approvedCount).toBe(expected);
  });
});

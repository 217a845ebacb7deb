import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { flattenFolders, readFolderEntries } from '../../src/service/account-lists.ts';
import { answerOf } from './answer-of.ts';
import { API, serviceErrorOf } from './client-under-test.ts';
import { useNock } from './nock-under-test.ts';

const flatten = (value: unknown) => flattenFolders(Array.isArray(value) ? value : [value]);

const shown = (value: unknown) =>
  flatten(value).records.map(({ id, level, parentId }) => [id, level, parentId]);

const folder = (id: number, fields: Record<string, unknown> = {}) => ({
  id,
  name: `Folder ${id}`,
  ...fields,
});

describe('the reader of folders', () => {
  const flat = [
    folder(42, { level: 1, parent_id: 'root' }),
    folder(43, { level: 2, parent_id: '42' }),
    folder(44, { level: 3, parent_id: 43 }),
  ];
  const nested = folder(42, {
    parent_id: 'root',
    children: [folder(43, { parent_id: 42, children: [folder(44, { parent_id: 43 })] })],
  });

  test.each([
    ['a flat array', flat],
    ['an array with children', [nested]],
    [
      'an array with children that name no parents',
      [folder(42, { children: [folder(43, { children: [folder(44)] })] })],
    ],
  ])('reads %s', (_form, value) => {
    expect(shown(value)).toEqual([
      [42, 1, null],
      [43, 2, 42],
      [44, 3, 43],
    ]);
    expect(flatten(value).unreadable).toBe(0);
  });

  test('keeps the order of a flat array, even with children before their parents', () => {
    expect(shown(flat.toReversed())).toEqual([
      [44, 3, 43],
      [43, 2, 42],
      [42, 1, null],
    ]);
  });

  test('reads one object, the root folder, with its children', () => {
    const root = {
      id: 40,
      name: 'All files',
      parent_id: null,
      children: [{ ...nested, parent_id: 40 }],
    };
    expect(shown(root)).toEqual([
      [40, 1, null],
      [42, 2, 40],
      [43, 3, 42],
      [44, 4, 43],
    ]);
  });

  test.each([
    ['All files', 'All files'],
    ['', 'Top folder'],
    ['root', 'Top folder'],
    [undefined, 'Top folder'],
  ])('names a root folder called %j as %j', (name, expected) => {
    const root = { id: 40, name, parent_id: null, children: [] };
    expect(flatten(root).records[0]?.name).toBe(expected);
  });

  test('decodes HTML in names and reads the project where it is given', () => {
    const [one] = flatten([folder(1, { name: 'R&amp;D', project: { id: 7 } })]).records;
    expect(one).toMatchObject({ name: 'R&D', projectId: 7 });
  });

  test.each([17, 'folders', null, true, { ok: true }, { message: 'none' }])(
    'rejects %j, which is no list of folders',
    async (value) => {
      const read = readFolderEntries(answerOf(JSON.stringify(value)));
      await expect(read).rejects.toMatchObject({ code: 'SERVICE_BAD_ANSWER' });
    },
  );
});

describe('flattenFolders of odd entries', () => {
  test('counts them and still reads their neighbours and children', () => {
    const odd = { name: 'no identifier', children: [folder(2), null, 'x'] };
    const found = flatten([folder(1, { children: [odd] }), { id: 9 }, folder(3)]);
    expect(found.records.map(({ id }) => id)).toEqual([1, 3, 2]);
    expect(found.records[2]).toMatchObject({ parentId: 1, level: 2 });
    expect(found.unreadable).toBe(4);
  });

  test('returns each folder once, though the answer repeats it', () => {
    const again = folder(1, { children: [folder(2, { children: [folder(1), folder(2)] })] });
    expect(shown([again, folder(2, { parent_id: 1 })])).toEqual([
      [1, 1, null],
      [2, 2, 1],
    ]);
  });

  test("puts folders that are each other's parents at the top", () => {
    const circle = [
      folder(1, { parent_id: 3 }),
      folder(2, { parent_id: 1 }),
      folder(3, { parent_id: 2 }),
    ];
    expect(shown([...circle, folder(4, { parent_id: 4 }), folder(5)])).toEqual([
      [1, 1, null],
      [2, 2, 1],
      [3, 3, 2],
      [4, 1, null],
      [5, 1, null],
    ]);
  });

  test('puts a folder with an unknown parent at the top, with the level that it gives', () => {
    expect(shown([folder(2, { parent_id: 99, level: 4 })])).toEqual([[2, 4, 99]]);
  });
});

describe('flattenFolders of a hostile answer', () => {
  const LEVELS = 10_000;

  test('reads fifty of 10,000 nested levels and counts the rest', () => {
    let tree: object = folder(LEVELS);
    for (let id = LEVELS - 1; id >= 1; id -= 1) tree = folder(id, { children: [tree] });
    const found = flatten(tree);
    expect(found.records).toHaveLength(50);
    expect(found.records.at(-1)).toMatchObject({ id: 50, level: 50, parentId: 49 });
    expect(found.unreadable).toBe(LEVELS - 50);
  });

  test('reads fifty of 10,000 levels in a flat array with the deepest first', () => {
    const flat = Array.from({ length: LEVELS }, (_, i) =>
      folder(LEVELS - i, { parent_id: LEVELS - i - 1 || 'root' }),
    );
    const found = flatten(flat);
    expect(found.records).toHaveLength(50);
    expect(found.unreadable).toBe(LEVELS - 50);
  });

  test('reads the first 200,000 folders and counts the rest', () => {
    const children = Array.from({ length: 250_000 }, (_, i) => folder(i + 2));
    const found = flatten(folder(1, { children }));
    expect(found.records).toHaveLength(200_000);
    expect(found.unreadable).toBe(50_001);
  });

  test('ends for an object that contains itself', () => {
    const self: Record<string, unknown> = folder(1);
    self['children'] = [self];
    expect(flatten(self).records).toHaveLength(1);
  });

  test('cuts an endless name', () => {
    const [one] = flatten([folder(1, { name: 'x'.repeat(1_000_000) })]).records;
    expect(one?.name).toHaveLength(4_096);
  });
});

describe('createFolder', () => {
  const under = useNock();
  const FOLDERS = '/projects/7/folders';
  const create = () =>
    under.it.client.createFolder({ projectId: 7, name: 'design' }, { lane: 'interactive' });

  test('posts the name and reads the folder from the answer', async () => {
    const made = { id: 90, level: 1, name: 'design', parent_id: 'root', project: { id: 7 } };
    nock(API).post(FOLDERS, { name: 'design' }).reply(201, made);
    expect(await create()).toMatchObject({ id: 90, name: 'design', parentId: null });
  });

  // nock answers once: a second request would fail with another error.
  test.each([403, 500])('is not repeated after status %i', async (status) => {
    nock(API).post(FOLDERS).reply(status);
    expect(await serviceErrorOf(create())).toMatchObject({ status });
  });

  test.each(['', '[]', '{"name":"design"}'])(
    'rejects with SERVICE_BAD_ANSWER for %j, as the folder may have been made',
    async (body) => {
      nock(API).post(FOLDERS).reply(201, body);
      expect(await serviceErrorOf(create())).toMatchObject({ code: 'SERVICE_BAD_ANSWER' });
    },
  );

  test('rejects when a 200 contains a refusal', async () => {
    nock(API).post(FOLDERS).reply(200, { success: false, code: 1301, message: 'No.' });
    const error = await serviceErrorOf(create());
    expect(['SERVICE_REFUSED', 'SERVICE_BAD_REQUEST']).toContain(error.code);
  });
});

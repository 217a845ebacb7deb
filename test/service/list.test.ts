import { describe, expect, test } from 'vitest';
import { fileReader } from '../../src/service/json.ts';
import {
  arrayOf,
  createPaging,
  type Identified,
  MAX_ELEMENTS,
  type Page,
  readList,
} from '../../src/service/list.ts';
import { watchLoop } from '../support/watch-loop.ts';
import { answerOf } from './answer-of.ts';
import { ACCOUNT, FOLDER, record, serviceErrorOf } from './client-under-test.ts';
import { type ListBehaviour, type ListUnderTest, playList } from './listing-account.ts';
import { BULK, PERSON, useNock } from './nock-under-test.ts';

const under = useNock();

const ORDERS = ['oldest-first', 'newest-first'] as const;

async function readAll(): Promise<{ ids: number[]; complete: boolean; unreadable: number }> {
  const { files, complete, unreadable } = await under.it.client.listFiles(FOLDER, BULK);
  return { ids: files.map(({ id }) => id).sort((a, b) => a - b), complete, unreadable };
}

const idsOf = ({ entries }: ListUnderTest) => entries.map(({ id }) => id);

describe('a list of files as specified, all in one answer', () => {
  test.each([0, 1, 99, 101, 250])('takes one request for %i files', async (count) => {
    const list = playList(count, { cap: Number.POSITIVE_INFINITY, honoursStart: false });
    expect(await readAll()).toEqual({ ids: idsOf(list), complete: true, unreadable: 0 });
    expect(list.asked).toEqual([null]);
  });

  test('takes one more request for exactly 100 files, once, and reports them as incomplete', async () => {
    const list = playList(100, { cap: Number.POSITIVE_INFINITY, honoursStart: false });
    expect(await readAll()).toEqual({ ids: idsOf(list), complete: false, unreadable: 0 });
    expect(list.asked).toHaveLength(2);
    expect((await readAll()).complete).toBe(false);
    expect(list.asked).toHaveLength(3);
    list.add();
    expect((await readAll()).complete).toBe(true);
    list.remove(0);
    expect(await readAll()).toEqual({ ids: idsOf(list), complete: true, unreadable: 0 });
    expect(list.asked).toHaveLength(5);
  });

  test('reports 150 files as incomplete when each answer shows only the first 100', async () => {
    const list = playList(150, { honoursStart: false });
    list.instead = () => ({ status: 200, body: list.entries.slice(0, 100) });
    expect((await readAll()).complete).toBe(false);
    list.remove(10);
    expect((await readAll()).complete).toBe(false);
  });

  test('takes one request for 100 files after an answer was longer than a page', async () => {
    const list = playList(150, { cap: Number.POSITIVE_INFINITY, honoursStart: false });
    await readAll();
    list.remove(0, 50);
    expect(await readAll()).toEqual({ ids: idsOf(list), complete: true, unreadable: 0 });
    expect(list.asked).toEqual([null, null]);
  });

  test('includes a file that is added between the two requests', async () => {
    const list = playList(100, { cap: Number.POSITIVE_INFINITY, honoursStart: false });
    list.before = (index) => index === 1 && list.add();
    expect(await readAll()).toEqual({ ids: idsOf(list), complete: true, unreadable: 0 });
    expect(list.asked).toHaveLength(2);
  });
});

describe.each(ORDERS)('a list of files from an account that pages, %s', (order) => {
  test.each([
    [99, 1],
    [100, 2],
    [101, 3],
    [330, 5],
    [4_000, 42],
  ])('reads %i files to the end in %i requests', async (count, requests) => {
    const list = playList(count, { order });
    expect(await readAll()).toEqual({ ids: idsOf(list), complete: true, unreadable: 0 });
    expect(list.asked).toHaveLength(requests);
  });

  test('misses no file when files are added meanwhile', async () => {
    const list = playList(500, { order });
    const before = idsOf(list);
    list.before = () => list.add(7);
    const { ids, complete } = await readAll();
    expect(ids).toEqual(expect.arrayContaining(before));
    expect(complete).toBe(true);
  });

  test.each([1, 2, 30, 99, 150, 240])(
    'misses no file when %i files are deleted meanwhile',
    async (count) => {
      const list = playList(600, { order });
      const at = order === 'oldest-first' ? 10 : 600 - 10 - count;
      list.before = (index) => index === 3 && list.remove(at, count);
      const { ids, complete } = await readAll();
      expect(ids).toEqual(expect.arrayContaining(idsOf(list)));
      expect(complete).toBe(true);
    },
  );

  test('misses no file when as many are added as deleted', async () => {
    const list = playList(600, { order });
    const before = idsOf(list);
    list.before = (index) => {
      if (index === 0 || index > 4) return;
      list.remove(50 * index);
      list.add();
    };
    const { ids } = await readAll();
    const stayed = before.filter((id) => idsOf(list).includes(id));
    expect(ids).toEqual(expect.arrayContaining(stayed));
  });

  test('misses no file and counts once an unreadable record at the end of a page', async () => {
    const list = playList(450, { order });
    for (const at of [99, 100, 101, 250, 349]) Object.assign(list.entries[at] ?? {}, { name: 7 });
    const { ids, complete, unreadable } = await readAll();
    expect(ids).toHaveLength(445);
    expect({ complete, unreadable }).toEqual({ complete: true, unreadable: 5 });
  });

  test('misses no file beyond a page of unreadable records', async () => {
    const list = playList(450, { order });
    for (const entry of list.entries.slice(150, 350)) Object.assign(entry, { name: 7 });
    const { ids, complete, unreadable } = await readAll();
    expect(ids).toHaveLength(250);
    expect({ complete, unreadable }).toEqual({ complete: true, unreadable: 200 });
  });

  test('is incomplete when a later page cannot be read', async () => {
    const list = playList(500, { order });
    list.instead = (index) => (index < 2 ? undefined : { status: 403, body: { error: 'no' } });
    const { ids, complete } = await readAll();
    expect(ids).toHaveLength(199);
    expect(complete).toBe(false);
  });

  test('rejects when the first page cannot be read', async () => {
    const list = playList(500, { order });
    list.instead = () => ({ status: 403, body: { error: 'no' } });
    expect(await serviceErrorOf(readAll())).toMatchObject({ code: 'SERVICE_FORBIDDEN' });
  });
});

describe('a list whose pages never reach the end', () => {
  const nowhere: [string, Partial<ListBehaviour>, (list: ListUnderTest) => void][] = [
    [
      'the same page for ever, where other lists page',
      {},
      (list) => {
        list.instead = (index) =>
          index < 3 ? undefined : { status: 200, body: list.entries.slice(198, 298) };
      },
    ],
    [
      'two pages in turn',
      {},
      (list) => {
        list.instead = (index) => ({
          status: 200,
          body: list.entries.slice((index % 2) * 99, (index % 2) * 99 + 100),
        });
      },
    ],
    [
      'nothing after the first page',
      {},
      (list) => {
        list.instead = (index) => (index === 0 ? undefined : { status: 200, body: [] });
      },
    ],
    [
      'a number where a list is expected',
      {},
      (list) => {
        list.instead = (index) => (index < 2 ? undefined : { status: 200, body: 7 });
      },
    ],
  ];

  test.each(nowhere)('is incomplete within few requests: %s', async (_what, behaviour, spoil) => {
    const list = playList(1_000, behaviour);
    spoil(list);
    const reading = readAll();
    if (_what.startsWith('a number')) await under.nextRetry();
    expect((await reading).complete).toBe(false);
    expect(list.asked.length).toBeLessThan(12);
  });

  test('comes to an end when it grows faster than it is read', async () => {
    const list = playList(1_000, { order: 'newest-first' });
    list.before = () => list.add(120);
    const { complete } = await readAll();
    expect(complete).toBe(false);
    expect(list.asked.length).toBeLessThan(500);
  });
});

test('support for `start` is learned separately for each kind of list', async () => {
  const projects = playList(150, { path: '/projects' }, (id) => ({ id, title: `P${id}` }));
  playList(100, { honoursStart: false });
  expect(await readAll()).toMatchObject({ complete: false });
  expect((await under.it.client.listProjects(PERSON))?.records).toHaveLength(150);
  expect(projects.asked).toHaveLength(3);
  expect(await readAll()).toMatchObject({ complete: false });
});

/** A list of identifiers that shows at most `cap` at once. */
function sourceOf(ids: number[], cap: number) {
  const asked: (number | null)[] = [];
  const readPage = async (start: number | null): Promise<Page<Identified>> => {
    asked.push(start);
    const entries = ids.slice(start ?? 0, (start ?? 0) + cap).map((id) => ({ id }));
    return { entries, whole: true, serviceTime: null, askedAt: 0 };
  };
  return { paging: createPaging(), readPage, asked };
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

test('readList gives up at 200,000 records a list that does not end', async () => {
  const source = sourceOf(upTo(MAX_ELEMENTS + 1_000), 100);
  const { state, records } = await readList(source);
  expect(state).not.toBe('whole');
  expect(records.size).toBeLessThanOrEqual(MAX_ELEMENTS);
  expect(source.asked.length).toBeLessThanOrEqual(MAX_ELEMENTS / 100 + 1);
});

test('readList continues after an answer cut at a length at which an earlier one was cut', async () => {
  const ids = upTo(250);
  const source = sourceOf(ids, 40);
  source.paging.notePages(40);
  const { state, records } = await readList(source);
  expect({ state, count: records.size }).toEqual({ state: 'whole', count: 250 });
});

const readFiles = arrayOf(fileReader(ACCOUNT));

test('arrayOf yields to the event loop while it reads a long list', async () => {
  const text = JSON.stringify(Array.from({ length: 50_000 }, (_, id) => record({ id })));
  const { value, turns } = await watchLoop(() => readFiles(answerOf(text)));
  expect(value.entries).toHaveLength(50_000);
  expect(turns).toBeGreaterThan(50);
});

test('arrayOf is not confused by spaces, escapes and brackets within strings', async () => {
  const names = ['a "quoted" one', 'back\\slash\\', '],[}{', 'a\nb'];
  const text = JSON.stringify(
    names.map((name, id) => record({ id, name })),
    null,
    2,
  );
  const array = await readFiles(answerOf(` ${text}\n`));
  expect(array.entries.map((entry) => entry?.name)).toEqual(names);
  expect(array.whole).toBe(true);
});

test.each([
  ['objects', '{},', 1_000_001],
  ['numbers', '1,', 5_000_001],
  ['lists', '[],', 1_000_001],
])('arrayOf rejects a list of so many %s that no service means it', async (_, each, count) => {
  await expect(readFiles(answerOf(`[${each.repeat(count)}1]`))).rejects.toMatchObject({
    code: 'SERVICE_BAD_ANSWER',
  });
});

test.each(['', '[1', '[1,]', '[1]]', '[1] 2', '{"a":[]}', '["a]', 'null'])(
  'arrayOf rejects %j, which is no list',
  async (text) => {
    await expect(readFiles(answerOf(text))).rejects.toMatchObject({
      code: 'SERVICE_BAD_ANSWER',
    });
  },
);

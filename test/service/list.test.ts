import { describe, expect, test } from 'vitest';
import { MOST_ELEMENTS } from '../../src/service/json.ts';
import { beginList, readOn } from '../../src/service/list.ts';
import { createPaging, type Identified, type Page } from '../../src/service/list-source.ts';
import { FOLDER, serviceErrorOf } from './client-under-test.ts';
import { type ListBehaviour, type ListUnderTest, playList } from './listing-account.ts';
import { BULK, PERSON, useNock } from './nock-under-test.ts';

const under = useNock();

const ORDERS = ['oldest-first', 'newest-first'] as const;

async function readAll(): Promise<{ ids: number[]; complete: boolean; unreadable: number }> {
  const { files, complete, unreadable } = await under.it.client.listFiles(FOLDER, BULK);
  return { ids: files.map(({ id }) => id).sort((a, b) => a - b), complete, unreadable };
}

const idsOf = ({ entries }: ListUnderTest) => entries.map(({ id }) => id);

describe('as specified: one answer with all files', () => {
  test.each([0, 1, 99, 101, 250])('%i files are one request', async (count) => {
    const list = playList(count, { cap: Number.POSITIVE_INFINITY, honoursStart: false });
    expect(await readAll()).toEqual({ ids: idsOf(list), complete: true, unreadable: 0 });
    expect(list.asked).toEqual([null]);
  });

  test('exactly 100 files cost one request more, once, and are not known to be all', async () => {
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

  test('150 files of which each answer shows the first 100 are never taken for 100', async () => {
    const list = playList(150, { honoursStart: false });
    list.instead = () => ({ status: 200, body: list.entries.slice(0, 100) });
    expect((await readAll()).complete).toBe(false);
    list.remove(10);
    expect((await readAll()).complete).toBe(false);
  });

  test('where an answer was longer than a page, 100 files cost none', async () => {
    const list = playList(150, { cap: Number.POSITIVE_INFINITY, honoursStart: false });
    await readAll();
    list.remove(0, 50);
    expect(await readAll()).toEqual({ ids: idsOf(list), complete: true, unreadable: 0 });
    expect(list.asked).toEqual([null, null]);
  });

  test('a file that comes between the two is read', async () => {
    const list = playList(100, { cap: Number.POSITIVE_INFINITY, honoursStart: false });
    list.before = (index) => index === 1 && list.add();
    expect(await readAll()).toEqual({ ids: idsOf(list), complete: true, unreadable: 0 });
    expect(list.asked).toHaveLength(2);
  });
});

describe.each(ORDERS)('an account that pages, %s', (order) => {
  test.each([
    [99, 1],
    [100, 2],
    [101, 3],
    [330, 5],
    [4_000, 42],
  ])('%i files are read to the end, in %i requests', async (count, requests) => {
    const list = playList(count, { order });
    expect(await readAll()).toEqual({ ids: idsOf(list), complete: true, unreadable: 0 });
    expect(list.asked).toHaveLength(requests);
  });

  test('files that come meanwhile lose no other', async () => {
    const list = playList(500, { order });
    const before = idsOf(list);
    list.before = () => list.add(7);
    const { ids, complete } = await readAll();
    expect(ids).toEqual(expect.arrayContaining(before));
    expect(complete).toBe(true);
  });

  test.each([1, 2, 30, 99, 150, 240])('%i files that go meanwhile hide no other', async (count) => {
    const list = playList(600, { order });
    const at = order === 'oldest-first' ? 10 : 600 - 10 - count;
    list.before = (index) => index === 3 && list.remove(at, count);
    const { ids, complete } = await readAll();
    expect(ids).toEqual(expect.arrayContaining(idsOf(list)));
    expect(complete).toBe(true);
  });

  test('as many that come as go hide none', async () => {
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

  test('an unreadable record at the end of a page hides none and counts once', async () => {
    const list = playList(450, { order });
    for (const at of [99, 100, 101, 250, 349]) Object.assign(list.entries[at] ?? {}, { name: 7 });
    const { ids, complete, unreadable } = await readAll();
    expect(ids).toHaveLength(445);
    expect({ complete, unreadable }).toEqual({ complete: true, unreadable: 5 });
  });

  test('a page of unreadable records hides none beyond it', async () => {
    const list = playList(450, { order });
    for (const entry of list.entries.slice(150, 350)) Object.assign(entry, { name: 7 });
    const { ids, complete, unreadable } = await readAll();
    expect(ids).toHaveLength(250);
    expect({ complete, unreadable }).toEqual({ complete: true, unreadable: 200 });
  });

  test('a page that cannot be read leaves the list incomplete', async () => {
    const list = playList(500, { order });
    list.instead = (index) => (index < 2 ? undefined : { status: 403, body: { error: 'no' } });
    const { ids, complete } = await readAll();
    expect(ids).toHaveLength(199);
    expect(complete).toBe(false);
  });

  test('a first page that cannot be read is an error', async () => {
    const list = playList(500, { order });
    list.instead = () => ({ status: 403, body: { error: 'no' } });
    expect(await serviceErrorOf(readAll())).toMatchObject({ code: 'SERVICE_FORBIDDEN' });
  });
});

describe('answers that lead nowhere', () => {
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

  test.each(nowhere)('%s: incomplete, within few requests', async (_what, behaviour, spoil) => {
    const list = playList(1_000, behaviour);
    spoil(list);
    const reading = readAll();
    if (_what.startsWith('a number')) await under.nextRetry();
    expect((await reading).complete).toBe(false);
    expect(list.asked.length).toBeLessThan(12);
  });

  test('a list that grows faster than it is read comes to an end', async () => {
    const list = playList(1_000, { order: 'newest-first' });
    list.before = () => list.add(120);
    const { complete } = await readAll();
    expect(complete).toBe(false);
    expect(list.asked.length).toBeLessThan(500);
  });
});

test('`start` honoured for some lists only: each kind is learned for itself', async () => {
  const projects = playList(150, { path: '/projects' }, (id) => ({ id, title: `P${id}` }));
  playList(100, { honoursStart: false });
  expect(await readAll()).toMatchObject({ complete: false });
  expect((await under.it.client.listProjects(PERSON))?.records).toHaveLength(150);
  expect(projects.asked).toHaveLength(3);
  expect(await readAll()).toMatchObject({ complete: false });
});

/** A list of identifiers that shows so many at once. */
function sourceOf(ids: number[], cap: number) {
  const asked: (number | null)[] = [];
  const readPage = async (start: number | null): Promise<Page<Identified>> => {
    asked.push(start);
    const entries = ids.slice(start ?? 0, (start ?? 0) + cap).map((id) => ({ id }));
    return { entries, whole: true, serviceTime: null, askedAt: 0 };
  };
  return { kind: 'files' as const, paging: createPaging(), readPage, asked };
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

test('a list that does not end is given up at 200,000 records', async () => {
  const source = sourceOf(upTo(MOST_ELEMENTS + 1_000), 100);
  const { state, records } = await readOn(await beginList(source), source);
  expect(state).not.toBe('whole');
  expect(records.size).toBeLessThanOrEqual(MOST_ELEMENTS);
  expect(source.asked.length).toBeLessThanOrEqual(MOST_ELEMENTS / 100 + 1);
});

test('answers cut at a number that an earlier one was cut at are read on', async () => {
  const ids = upTo(250);
  const source = sourceOf(ids, 40);
  source.paging.pages('files', 40);
  const { state, records } = await readOn(await beginList(source), source);
  expect({ state, count: records.size }).toEqual({ state: 'whole', count: 250 });
});

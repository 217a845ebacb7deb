import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import {
  createFolderReader,
  type FolderReader,
  type FolderReading,
} from '../../src/service/index.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { API, FILES, FOLDER } from './client-under-test.ts';
import { agedFile, type ListUnderTest, playList } from './listing-account.ts';
import { BULK, PERSON, useNock } from './nock-under-test.ts';
import { createQuotaThrottle } from './stub-throttle.ts';

const under = useNock();

const ORDERS = ['oldest-first', 'newest-first'] as const;
const MANY = 4_000;
/** Also a large folder, for tests of behavior that does not depend on the size. */
const LARGE = 1_000;

const idsOf = (files: readonly { id: number }[]) => files.map(({ id }) => id).sort((a, b) => a - b);
let ledger: Ledger;
let folders: FolderReader;
beforeEach(async () => {
  ledger = await openEmptyLedger(0);
  folders = readerNow();
});
afterEach(() => ledger.close());

/** Creates a reader over the client of the running test. */
function readerNow(): FolderReader {
  const { clock, client } = under.it;
  const names = { isFolderListed: async () => true };
  const { pagesOf } = client;
  return createFolderReader({ mirror: ledger, pagesOf, names, clock, logger: silentLogger });
}

const filesOf = ({ folder }: FolderReading) => ledger.newestRecords(folder, { limit: 1_000_000 });
const listed = async (options: object = PERSON) =>
  idsOf(await filesOf(await folders.read(FOLDER, { ...PERSON, ...options })));
const glimpsed = () => folders.glimpse(FOLDER, PERSON);
const present = ({ entries }: ListUnderTest) => idsOf(entries);

/** Returns a function that returns the number of requests since its last call. */
function counter(list: ListUnderTest): () => number {
  let seen = 0;
  return () => {
    const count = list.asked.length - seen;
    seen = list.asked.length;
    return count;
  };
}

describe.each(ORDERS)('a folder of 4,000 files, %s', (order) => {
  test('shows its newest files within 14 requests, and all files after those', async () => {
    const list = playList(MANY, { order });
    const { reading, newest, readRest } = await glimpsed();
    expect(list.asked.length).toBeLessThanOrEqual(14);
    expect(reading.complete).toBe(false);
    expect(idsOf(newest ?? []).slice(-50)).toEqual(present(list).slice(-50));
    const whole = await readRest?.();
    expect(whole && idsOf(await filesOf(whole))).toEqual(present(list));
    expect(whole?.complete).toBe(true);
  });

  test('shows one of its files as it is now with one request, once it was read', async () => {
    const list = playList(LARGE, { order });
    await listed();
    const requests = counter(list);
    requests();
    list.entries[499] = { ...agedFile(500), name: 'another.pdf' };
    const find = () => folders.find(FOLDER, 500, PERSON);
    expect(await find()).toMatchObject({ record: { id: 500, name: 'another.pdf' }, certain: true });
    expect(requests()).toBe(1);
    const files = await filesOf(await folders.read(FOLDER, PERSON));
    expect(files.find(({ id }) => id === 500)?.name).toBe('another.pdf');
  });

  test('is read anew to find a file that is not where it was', async () => {
    const list = playList(LARGE, { order });
    await listed();
    list.remove(299);
    list.remove(699);
    list.add(2);
    const find = (id: number) => folders.find(FOLDER, id, PERSON);
    expect(await find(500)).toMatchObject({ record: { id: 500 }, certain: true });
    expect(await find(300)).toMatchObject({ record: null, certain: true });
    expect(await find(1_002)).toMatchObject({ record: { id: 1_002 } });
  });

  test('reads the rest in the bulk lane', async () => {
    playList(MANY, { order });
    const { readRest } = await glimpsed();
    const before = under.it.throttle.requests.length;
    await readRest?.();
    const lanes = under.it.throttle.requests.slice(before).map(({ lane }) => lane);
    expect(new Set(lanes)).toEqual(new Set(['bulk']));
  });

  test('is returned whole to a person who has no call left for its second page', async () => {
    under.throttleBy(createQuotaThrottle(1));
    folders = readerNow();
    const list = playList(MANY, { order });
    expect(await listed({ queue: 'U1' })).toEqual(present(list));
  });

  test('is read once for all concurrent callers', async () => {
    const list = playList(MANY, { order });
    await Promise.all([listed(), listed(BULK), listed(), glimpsed().then((it) => it.readRest?.())]);
    expect(list.asked.length).toBeLessThan(42 + 25);
  });

  test('takes a turn per request when read in turns, and keeps no other caller waiting', async () => {
    const list = playList(LARGE, { order });
    const turns: (() => void)[] = [];
    const turn = () => new Promise<void>((resolve) => void turns.push(resolve));
    const inTurns = folders.read(FOLDER, { ...BULK, turn });
    expect(await listed(BULK)).toEqual(present(list));
    const requests = counter(list);
    requests();
    let isRead = false;
    const read = inTurns.finally(() => (isRead = true));
    let taken = 0;
    while (!isRead) {
      const next = turns.splice(0);
      taken += next.length;
      for (const take of next) take();
      await under.it.clock.advance(0);
    }
    expect(idsOf(await filesOf(await read))).toEqual(present(list));
    expect(requests()).toBe(taken);
  });

  test('reads only what is new after half an hour, and all of it after more than an hour', async () => {
    const list = playList(MANY, { order });
    await listed();
    const requests = counter(list);
    requests();
    await under.it.clock.advance(30 * 60_000);
    await listed();
    expect(requests()).toBeLessThanOrEqual(3);
    await under.it.clock.advance(61 * 60_000);
    await listed();
    expect(requests()).toBeGreaterThan(40);
  });

  test('reads only what is new for an hour after a read that took longer than an hour', async () => {
    const list = playList(LARGE, { order });
    const { clock } = under.it;
    const turn = () => clock.advance(10 * 60_000);
    await listed({ ...BULK, turn });
    const requests = counter(list);
    expect(requests()).toBeGreaterThan(6);
    list.add(3);
    await clock.advance(30 * 60_000);
    expect(await listed(BULK)).toEqual(present(list));
    expect(requests()).toBeLessThanOrEqual(3);
    await clock.advance(31 * 60_000);
    await listed(BULK);
    expect(requests()).toBeGreaterThan(6);
  });

  test('does not keep showing a file that was deleted during a read that took hours', async () => {
    const list = playList(LARGE, { order });
    const { clock } = under.it;
    const turn = () => clock.advance(10 * 60_000);
    list.before = (index) => index === 6 && list.remove(order === 'oldest-first' ? 7 : LARGE - 7);
    await listed({ ...BULK, turn });
    expect(await listed(BULK)).toEqual(present(list));
  });

  test('has callers with a later demand wait for the reading, then reads only what is new', async () => {
    const list = playList(MANY, { order });
    const reading = listed(BULK);
    await expect.poll(() => list.asked.length, { interval: 1 }).toBeGreaterThan(8);
    list.add(1);
    await under.it.clock.advance(1);
    const after = await listed({ ...BULK, notBefore: under.it.clock.now() });
    await reading;
    expect(after).toEqual(present(list));
    expect(list.asked.length).toBeLessThan(60);
  });
});

describe.each(ORDERS)('a folder of 1,000 files that was read, %s', (order) => {
  test.each([0, 1, 30, 98])('finds %i more files in at most 3 requests', async (added) => {
    const list = playList(LARGE, { order });
    await listed();
    const requests = counter(list);
    requests();
    list.add(added);
    const { reading, readRest } = await glimpsed();
    expect(requests()).toBeLessThanOrEqual(3);
    expect(readRest).toBeNull();
    expect(idsOf(await filesOf(reading))).toEqual(present(list));
    list.add(1);
    expect(await listed(BULK)).toEqual(present(list));
    expect(requests()).toBeLessThanOrEqual(3);
  });

  test('shows all files that were added and deleted', async () => {
    const list = playList(LARGE, { order });
    await listed();
    list.add(3);
    list.remove(100, 2);
    expect(await listed()).toEqual(present(list));
    list.remove(0);
    list.add(1);
    expect(await listed()).toEqual(present(list));
    list.remove(list.entries.length - 1);
    expect(await listed()).toEqual(present(list));
  });

  test('shows a renamed file by its new name within two hours, however often listed', async () => {
    const list = playList(LARGE, { order });
    await listed();
    const [, , one] = list.entries;
    if (one) one['name'] = 'renamed.pdf';
    const names = async () =>
      (await filesOf(await folders.read(FOLDER, PERSON))).map(({ name }) => name);
    for (let halfHours = 0; halfHours < 4; halfHours += 1) {
      await under.it.clock.advance(30 * 60_000);
      await listed();
    }
    expect(await names()).toContain('renamed.pdf');
  });

  test('is not read again after we delete a file', async () => {
    const list = playList(LARGE, { order });
    await listed();
    nock(API).delete(`${FILES}/500`).reply(204);
    await under.it.client.deleteFile(FOLDER, 500, PERSON);
    await ledger.noteDeleted(FOLDER, { number: 500, now: under.it.clock.now() });
    list.remove(499);
    const requests = counter(list);
    requests();
    expect(await listed()).toEqual(present(list));
    expect(requests()).toBeLessThanOrEqual(3);
  });
});

test('a list with the newest files first shows a new name among the newest at once', async () => {
  const list = playList(LARGE, { order: 'newest-first' });
  await listed();
  const one = list.entries.at(-3);
  if (one) one['name'] = 'renamed.pdf';
  await under.it.clock.advance(10 * 60_000);
  const files = await filesOf(await folders.read(FOLDER, PERSON));
  expect(files.map(({ name }) => name)).toContain('renamed.pdf');
});

test('a folder of 150 files is returned whole at once', async () => {
  const list = playList(150);
  const { reading, readRest } = await glimpsed();
  expect(idsOf(await filesOf(reading))).toEqual(present(list));
  expect({ complete: reading.complete, readRest }).toEqual({ complete: true, readRest: null });
});

test.each([401, 500, 999, 1_000, 1_001, 6_352, 20_000])(
  'a glimpse finds the newest of %i files at the end of their list',
  async (count) => {
    const list = playList(count);
    const { newest } = await glimpsed();
    expect(idsOf(newest ?? [])).toEqual(present(list).slice(-100));
    expect(list.asked.length).toBeLessThanOrEqual(24);
  },
);

test('a glimpse takes no files as the newest when times follow no order', async () => {
  const list = playList(1_000, {}, (id) => ({
    ...agedFile(id),
    created_at: agedFile((id * 7) % 1_000)['created_at'],
  }));
  const { newest, readRest } = await glimpsed();
  expect(newest).toEqual([]);
  const whole = await readRest?.();
  expect(whole && idsOf(await filesOf(whole))).toEqual(present(list));
});

test('a list with the newest files first does not miss one that reappears while another goes', async () => {
  const list = playList(1_000, { order: 'newest-first' }, (id) => agedFile(id * 2));
  await listed();
  list.remove(500);
  list.entries.splice(list.entries.length - 5, 0, agedFile(1_991));
  expect(await listed()).toEqual(present(list));
});

test.each(ORDERS)(
  'a list read whole shows one that came late while another went: %s',
  async (order) => {
    const list = playList(LARGE, { order }, (id) => agedFile(id * 2));
    await listed();
    list.remove(500);
    list.entries.splice(list.entries.length - 200, 0, agedFile(1_601));
    expect(await listed({ whole: true })).toEqual(present(list));
  },
);

test('a large folder is read anew each time when identifiers and times follow no order', async () => {
  const list = playList(500, {}, (id) => ({ ...agedFile((id * 7) % 1_009), id: (id * 7) % 1_009 }));
  expect(await listed()).toEqual(present(list));
  list.entries.splice(200, 1, agedFile(2_000));
  expect(await listed()).toEqual(present(list));
});

test('reading a large folder uses a queue of its own in the bulk lane', async () => {
  playList(MANY);
  const { readRest } = await glimpsed();
  await readRest?.();
  const bulk = under.it.throttle.requests.filter(({ lane }) => lane === 'bulk');
  expect(new Set(bulk.map(({ queue }) => queue))).toEqual(new Set(['files of 7/42']));
});

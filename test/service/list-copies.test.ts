import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, test } from 'vitest';
import type { FileList } from '../../src/service/file-record.ts';
import {
  createListCopies,
  type ListCopies,
  type ListRequest,
} from '../../src/service/list-copies.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { FOLDER, rejectionOf } from './client-under-test.ts';

/** A fetch that the test answers. */
interface Fetch extends PromiseWithResolvers<FileList> {
  signal: AbortSignal;
}

let clock: FakeClock;
let copies: ListCopies;
let fetches: Fetch[];

beforeEach(() => {
  clock = createFakeClock();
  copies = createListCopies({ clock, capacity: 2, keepMs: 60_000 });
  fetches = [];
});

function list(fields: Partial<ListRequest> = {}): Promise<FileList> {
  const request: ListRequest = {
    destination: FOLDER,
    apiKey: 'shared',
    lane: 'interactive',
    signal: undefined,
    maxAgeMs: 0,
    ...fields,
  };
  return copies.list(request, (signal) => {
    const fetch = { ...Promise.withResolvers<FileList>(), signal };
    fetches.push(fetch);
    return fetch.promise;
  });
}

/** Answers the newest fetch. */
function answer(unreadable = 0): void {
  fetches
    .at(-1)
    ?.resolve({ files: [], unreadable, serviceTime: null, fetchedAt: clock.now(), complete: true });
}

async function fetched(fields: Partial<ListRequest> = {}): Promise<void> {
  const listing = list(fields);
  answer();
  await listing;
}

const folder = (folderId: number) => ({ destination: { projectId: 7, folderId } });

describe('equal calls in flight', () => {
  test('are one request', async () => {
    const both = [list(), list()];
    answer(3);
    expect((await Promise.all(both)).map(({ unreadable }) => unreadable)).toEqual([3, 3]);
    expect(fetches).toHaveLength(1);
  });

  test('give each caller an array of its own', async () => {
    const both = [list(), list()];
    answer();
    const [one, two] = await Promise.all(both);
    expect(one?.files).not.toBe(two?.files);
  });

  test.each<[string, Partial<ListRequest>]>([
    ['another folder', folder(43)],
    ['another key', { apiKey: 'mine' }],
    ['another lane', { lane: 'bulk' }],
  ])('with %s are two', async (_what, fields) => {
    void list();
    void list(fields);
    expect(fetches).toHaveLength(2);
  });

  test('fail together, and are forgotten', async () => {
    const both = [rejectionOf(list()), rejectionOf(list())];
    const failure = new Error('failed');
    fetches[0]?.reject(failure);
    expect(await Promise.all(both)).toEqual([failure, failure]);
    void list();
    expect(fetches).toHaveLength(2);
  });

  test('go on when one caller gives up, and end with the last', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const one = rejectionOf(list({ signal: first.signal }));
    const two = rejectionOf(list({ signal: second.signal }));
    first.abort(new Error('first'));
    expect(await one).toBe(first.signal.reason);
    expect(fetches[0]?.signal.aborted).toBe(false);
    second.abort(new Error('second'));
    expect(await two).toBe(second.signal.reason);
    expect(fetches[0]?.signal.aborted).toBe(true);
    fetches[0]?.reject(new Error('aborted'));
    void list();
    expect(fetches).toHaveLength(2);
  });

  test('are two when the first began before the second may share it', async () => {
    const early = list();
    await clock.advance(1_000);
    const late = list({ notBefore: clock.now() });
    const shared = list({ notBefore: clock.now() });
    expect(fetches).toHaveLength(2);
    answer(2);
    expect((await late).unreadable).toBe(2);
    expect((await shared).unreadable).toBe(2);
    fetches[0]?.resolve({
      files: [],
      unreadable: 1,
      serviceTime: null,
      fetchedAt: clock.now(),
      complete: true,
    });
    expect((await early).unreadable).toBe(1);
  });

  test('leave no listener behind', async () => {
    const { signal } = new AbortController();
    await fetched({ signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('a copy', () => {
  test('answers who allows its age, and nobody else', async () => {
    await fetched();
    await clock.advance(5_000);
    await list({ maxAgeMs: 5_000 });
    expect(fetches).toHaveLength(1);
    void list({ maxAgeMs: 4_999 });
    expect(fetches).toHaveLength(2);
    void list();
    expect(fetches).toHaveLength(2);
  });

  test('serves either lane, but one key only', async () => {
    await fetched();
    await list({ lane: 'bulk', maxAgeMs: 1_000 });
    expect(fetches).toHaveLength(1);
    void list({ apiKey: 'mine', maxAgeMs: 1_000 });
    expect(fetches).toHaveLength(2);
  });

  test('is dropped when the folder changes, for every key, and no other is', async () => {
    await fetched();
    await fetched(folder(43));
    copies.changed(FOLDER);
    await list({ ...folder(43), maxAgeMs: 1_000 });
    expect(fetches).toHaveLength(2);
    void list({ maxAgeMs: 1_000 });
    expect(fetches).toHaveLength(3);
  });

  test('is kept for a minute, whoever would take an older one', async () => {
    await fetched();
    await clock.advance(60_000);
    await list({ maxAgeMs: 120_000 });
    expect(fetches).toHaveLength(1);
    await clock.advance(1);
    void list({ maxAgeMs: 120_000 });
    expect(fetches).toHaveLength(2);
  });

  test('gives way to two that were used since', async () => {
    await fetched(folder(1));
    await fetched(folder(2));
    await list({ ...folder(1), maxAgeMs: 1_000 });
    await fetched(folder(3));
    await list({ ...folder(1), maxAgeMs: 1_000 });
    expect(fetches).toHaveLength(3);
    void list({ ...folder(2), maxAgeMs: 1_000 });
    expect(fetches).toHaveLength(4);
  });
});

describe('a list that was under way when the folder changed', () => {
  test('is not joined', async () => {
    void list();
    copies.changed(FOLDER);
    void list();
    expect(fetches).toHaveLength(2);
  });

  test('answers its own callers and becomes no copy', async () => {
    const old = list();
    copies.changed(FOLDER);
    fetches[0]?.resolve({
      files: [],
      unreadable: 1,
      serviceTime: null,
      fetchedAt: clock.now(),
      complete: true,
    });
    expect((await old).unreadable).toBe(1);
    void list({ maxAgeMs: 60_000 });
    expect(fetches).toHaveLength(2);
  });

  test('leaves its successor alone', async () => {
    const old = list();
    copies.changed(FOLDER);
    const fresh = list();
    fetches[0]?.resolve({
      files: [],
      unreadable: 1,
      serviceTime: null,
      fetchedAt: clock.now(),
      complete: true,
    });
    await old;
    const joined = list();
    answer(2);
    expect((await fresh).unreadable).toBe(2);
    expect((await joined).unreadable).toBe(2);
    expect((await list({ maxAgeMs: 1_000 })).unreadable).toBe(2);
  });
});

import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import {
  createFolderCache,
  type FileList,
  type ListOptions,
  weigh,
} from '../../src/service/folder-cache.ts';
import type { FileRecord } from '../../src/service/json.ts';
import { createPaging, type Page } from '../../src/service/list.ts';
import type { Destination } from '../../src/transfers/index.ts';
import { fileRecord } from '../support/builders.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { FOLDER, rejectionOf } from './client-under-test.ts';

/** A request that the test settles. */
interface Fetch extends PromiseWithResolvers<Page<FileRecord>> {
  signal: AbortSignal | undefined;
  askedAt: number;
}

let clock: FakeClock;
let lists: ReturnType<typeof createFolderCache>;
let fetches: Fetch[];

beforeEach(() => {
  clock = createFakeClock();
  fetches = [];
  const paging = createPaging();
  lists = createFolderCache({
    clock,
    logger: silentLogger,
    readFile: () => null,
    sourceOf: (_address, { signal }) => {
      const readPage = () => {
        const fetch = {
          ...Promise.withResolvers<Page<FileRecord>>(),
          signal,
          askedAt: clock.now(),
        };
        fetches.push(fetch);
        return fetch.promise;
      };
      return { paging, readPage };
    },
  });
});

type Wanted = Partial<ListOptions> & { destination?: Destination };

function list({ destination = FOLDER, ...options }: Wanted = {}): Promise<FileList> {
  return lists.list(destination, { lane: 'interactive', ...options });
}

function pageOf(count: number, askedAt = clock.now()): Page<FileRecord> {
  const entries = Array.from({ length: count }, (_, at) =>
    fileRecord({ id: at + 1, name: `${at}.txt`, byteSize: 1 }),
  );
  return { entries, whole: true, serviceTime: null, askedAt };
}

/** Resolves a request, by default the newest, with so many records. */
function answer(count = 0, fetch = fetches.at(-1)): void {
  fetch?.resolve(pageOf(count, fetch.askedAt));
}

/** Begins a change of the folder that does not end. */
function beginChange(): void {
  void lists.changing(FOLDER, () => new Promise(() => undefined));
}

async function fetched(fields: Wanted = {}, count = 0): Promise<void> {
  const listing = list(fields);
  answer(count);
  await listing;
}

const folder = (folderId: number) => ({ destination: { projectId: 7, folderId } });
const length = async (listing: Promise<FileList>) => (await listing).files.length;

describe('equal list calls in flight', () => {
  test('share one request', async () => {
    const both = [list(), list()];
    answer(3);
    expect(await Promise.all(both.map(length))).toEqual([3, 3]);
    expect(fetches).toHaveLength(1);
  });

  test('give each caller its own array', async () => {
    const both = [list(), list()];
    answer();
    const [one, two] = await Promise.all(both);
    expect(one?.files).not.toBe(two?.files);
  });

  test.each<[string, Wanted]>([
    ['another folder', folder(43)],
    ['another lane', { lane: 'bulk' }],
  ])('with %s are two requests', async (_what, fields) => {
    void list();
    void list(fields);
    expect(fetches).toHaveLength(2);
  });

  test('fail together, and the failure is not kept', async () => {
    const both = [rejectionOf(list()), rejectionOf(list())];
    const failure = new Error('failed');
    fetches[0]?.reject(failure);
    expect(await Promise.all(both)).toEqual([failure, failure]);
    void list();
    expect(fetches).toHaveLength(2);
  });

  test('continue when one caller aborts, and abort with the last', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const one = rejectionOf(list({ signal: first.signal }));
    const two = rejectionOf(list({ signal: second.signal }));
    first.abort(new Error('first'));
    expect(await one).toBe(first.signal.reason);
    expect(fetches[0]?.signal?.aborted).toBe(false);
    second.abort(new Error('second'));
    expect(await two).toBe(second.signal.reason);
    expect(fetches[0]?.signal?.aborted).toBe(true);
    fetches[0]?.reject(new Error('aborted'));
    void list();
    expect(fetches).toHaveLength(2);
  });

  test("are two requests when the first started before the second call's notBefore", async () => {
    const early = list();
    await clock.advance(1_000);
    const late = list({ notBefore: clock.now() });
    const shared = list({ notBefore: clock.now() });
    expect(fetches).toHaveLength(2);
    answer(2);
    expect(await length(late)).toBe(2);
    expect(await length(shared)).toBe(2);
    answer(1, fetches[0]);
    expect(await length(early)).toBe(1);
  });

  test('leave no listener behind', async () => {
    const { signal } = new AbortController();
    await fetched({ signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('a cached list', () => {
  test('serves only calls whose maxAgeMs allows its age', async () => {
    await fetched();
    await clock.advance(5_000);
    await list({ maxAgeMs: 5_000 });
    expect(fetches).toHaveLength(1);
    void list({ maxAgeMs: 4_999 });
    expect(fetches).toHaveLength(2);
    void list();
    expect(fetches).toHaveLength(2);
  });

  test('serves both lanes', async () => {
    await fetched();
    await list({ lane: 'bulk', maxAgeMs: 1_000 });
    expect(fetches).toHaveLength(1);
  });

  test('is dropped when its own folder changes', async () => {
    await fetched();
    await fetched(folder(43));
    beginChange();
    await list({ ...folder(43), maxAgeMs: 1_000 });
    expect(fetches).toHaveLength(2);
    void list({ maxAgeMs: 1_000 });
    expect(fetches).toHaveLength(3);
  });

  test('is kept for a minute, even if a call would take an older one', async () => {
    await fetched();
    await clock.advance(60_000);
    await list({ maxAgeMs: 120_000 });
    expect(fetches).toHaveLength(1);
    await clock.advance(1);
    void list({ maxAgeMs: 120_000 });
    expect(fetches).toHaveLength(2);
  });

  test('weighs as much as its records, and more with very long names', () => {
    const weightOf = (...names: string[]) => {
      const files = names.map((name, id) => fileRecord({ id, name, byteSize: 1 }));
      return weigh({ records: new Map(files.map((file) => [file.id, file])) });
    };
    expect(weightOf()).toBe(1);
    expect(weightOf('a', 'b', 'c')).toBe(4);
    expect(weightOf('a', 'b'.repeat(1_024))).toBe(1 + 2 + 4);
  });
});

describe('foldersThatFitCache', () => {
  const entriesOf = (ids: readonly number[], name: string) =>
    ids.map((id) => fileRecord({ id, name, byteSize: 1 }));

  /** Reads a folder in several pages whose records weigh about so much. */
  async function read(folderId: number, weight: number): Promise<Destination> {
    const { destination } = folder(folderId);
    const listing = list({ destination });
    const name = 'x'.repeat((weight * 256) / 100);
    for (const ids of [Array.from({ length: 100 }, (_, at) => at + 1), [100, 101], [101]]) {
      fetches.at(-1)?.resolve({ ...pageOf(0), entries: entriesOf(ids, name) });
      await clock.advance(0);
    }
    await listing;
    return destination;
  }

  test('returns the folders, first ones first, whose cached lists fit together', async () => {
    const unread = folder(9).destination;
    const [half, more, small, huge] = [
      await read(1, 80_000),
      await read(2, 90_000),
      await read(3, 60_000),
      await read(4, 250_000),
    ];
    expect(lists.foldersThatFitCache([huge, half, unread, more, small])).toEqual([
      half,
      unread,
      small,
    ]);
    expect(lists.foldersThatFitCache([more, half, small])).toEqual([more]);
    await read(1, 80_000);
    const count = fetches.length;
    for (const destination of [half, small]) await list({ destination, maxAgeMs: 60_000 });
    expect(fetches).toHaveLength(count);
  });

  test('returns all folders that were read in one page, whatever they weigh', async () => {
    const folders = [11, 12, 13].map((id) => folder(id).destination);
    for (const destination of folders) {
      const listing = list({ destination });
      fetches.at(-1)?.resolve({ ...pageOf(0), entries: entriesOf([1], 'x'.repeat(20_000_000)) });
      await listing;
    }
    expect(lists.foldersThatFitCache(folders)).toEqual(folders);
  });
});

describe('a list in flight when its folder changes', () => {
  test('is not shared with later calls', async () => {
    void list();
    beginChange();
    void list();
    expect(fetches).toHaveLength(2);
  });

  test('resolves its own callers and is not cached', async () => {
    const old = list();
    beginChange();
    answer(1);
    expect(await length(old)).toBe(1);
    void list({ maxAgeMs: 60_000 });
    expect(fetches).toHaveLength(2);
  });

  test('does not disturb the request that follows it', async () => {
    const old = list();
    beginChange();
    const fresh = list();
    answer(1, fetches[0]);
    await old;
    const joined = list();
    answer(2);
    expect(await length(fresh)).toBe(2);
    expect(await length(joined)).toBe(2);
    expect(await length(list({ maxAgeMs: 1_000 }))).toBe(2);
  });
});

import nock from 'nock';
import { API, FILES, record } from './client-under-test.ts';

export interface ListedEntry {
  id: number;
  [field: string]: unknown;
}

export interface ListBehaviour {
  path: string;
  /** The order of the list; new entries come at its end, or at its beginning. */
  order: 'oldest-first' | 'newest-first';
  /** The most entries of an answer; infinite for the specified interface. */
  cap: number;
  /** Whether `start` and `limit` do anything. */
  honoursStart: boolean;
}

/** A list of an account, as nock plays it. */
export interface ListUnderTest {
  /** In the order of age, the oldest first. */
  entries: ListedEntry[];
  /** What was asked for, in order: `start` of each request, null without parameters. */
  asked: (number | null)[];
  /** Called before the request with this index is answered. */
  before: (index: number) => void;
  /** Takes the place of the answer to the request with this index. */
  instead: (index: number) => { status: number; body: unknown } | undefined;
  add(count?: number): void;
  /** Deletes entries by their places in the order of age. */
  remove(from: number, count?: number): void;
}

const START = Date.UTC(2026, 0, 1);

/** A file record whose identifier and time grow with its age. */
export function agedFile(id: number): ListedEntry {
  const time = new Date(START + id * 60_000).toISOString();
  return { ...record(), id, name: `scan ${id}.pdf`, created_at: time, updated_at: time };
}

/** Plays a list of so many entries, by default each an `agedFile`. */
export function playList(
  count: number,
  behaviour: Partial<ListBehaviour> = {},
  make: (id: number) => ListedEntry = agedFile,
): ListUnderTest {
  const given = { path: FILES, order: 'oldest-first', cap: 100, honoursStart: true, ...behaviour };
  let newest = count;
  const list: ListUnderTest = {
    entries: Array.from({ length: count }, (_, at) => make(at + 1)),
    asked: [],
    before: () => undefined,
    instead: () => undefined,
    add: (many = 1) => {
      for (let added = 0; added < many; added++) list.entries.push(make(++newest));
    },
    remove: (from, many = 1) => void list.entries.splice(from, many),
  };

  function page(start: number, limit: number): ListedEntry[] {
    const shown = given.order === 'oldest-first' ? list.entries : list.entries.toReversed();
    return shown.slice(start, start + Math.min(limit, given.cap));
  }

  function reply(url: string): [number, nock.Body] {
    const query = new URL(url).searchParams;
    const start = query.get('start');
    const index = list.asked.push(start === null ? null : Number(start)) - 1;
    list.before(index);
    const other = list.instead(index);
    if (other) return [other.status, JSON.stringify(other.body)];
    const all = start === null || !given.honoursStart;
    const limit = query.get('limit');
    const body = page(all ? 0 : Number(start), all ? Number.POSITIVE_INFINITY : Number(limit));
    return [200, JSON.stringify(body)];
  }

  nock(API)
    .persist()
    .get(given.path)
    .query(true)
    .reply((request: Request) => reply(request.url));
  return list;
}

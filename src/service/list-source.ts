import { type Answer, badAnswer } from './answer.ts';
import { type CallContext, type CallOptions, callWithRetries } from './call.ts';
import { isPersonLimit, ServiceError } from './errors.ts';
import { apiOperation } from './http.ts';
import { type JsonArray, type ReadRecord, readArray } from './records.ts';

/** The most entries that a paging account returns in one response (appendix 2, R1). */
export const PAGE_SIZE = 100;

/** Paging is learned for each kind of list, because `start` may be honoured only for some. */
type ListKind = 'files' | 'folders' | 'projects' | 'people';

export interface Identified {
  id: number;
}

/** One response to a list request: its entries in the service's order. */
export type Page<T> = JsonArray<T> & Pick<Answer, 'askedAt' | 'serviceTime'>;

/** Returns a reader of JSON array responses; it rejects with SERVICE_BAD_ANSWER for others. */
export function arrayOf<T>(read: ReadRecord<T>) {
  return async (answer: Answer): Promise<Page<T>> => {
    const { text, askedAt, serviceTime } = answer;
    const array = await readArray(text, read);
    if (!array) throw badAnswer(answer, 'something that is no list');
    return { ...array, askedAt, serviceTime };
  };
}

type Paging = ReturnType<typeof createPaging>;

/** Tracks how the account pages its lists, as learned from its responses (appendix 2, R1). */
export function createPaging() {
  const cuts = new Set([PAGE_SIZE]);
  const paged = new Set<ListKind>();
  const longer = new Set<ListKind>();
  const repeated = new Set<ListKind>();

  return {
    /** Returns the state of a list after a first response of `received` entries: see Listing. */
    judge: (kind: ListKind, received: number): 'whole' | 'open' | 'broken' => {
      if (!cuts.has(received)) {
        // A response longer than a page shows that lists of this kind are not cut.
        if (received > PAGE_SIZE) longer.add(kind);
        return 'whole';
      }
      if (paged.has(kind)) return 'open';
      if (longer.has(kind)) return 'whole';
      return repeated.has(kind) ? 'broken' : 'open';
    },
    /** Notes that lists of this kind are paged; `cutAt`: the length of a response that was cut. */
    pages: (kind: ListKind, cutAt: number) => {
      paged.add(kind);
      if (cutAt > 1) cuts.add(cutAt);
    },
    /** Notes that a request for the next page returned the same page again. */
    repeats: (kind: ListKind) => void repeated.add(kind),
  };
}

/** Fetches the pages of one list. */
export interface ListSource<T> {
  kind: ListKind;
  paging: Paging;
  /** Fetches the page from index `start`; null sends the interface's request without parameters. */
  readPage(start: number | null): Promise<Page<T>>;
}

export interface ListAddress<T> {
  kind: ListKind;
  /** Below `{base_url}`. */
  path: string;
  read(answer: Answer): Promise<Page<T>>;
}

export type SourceOf = ReturnType<typeof createSourceOf>;

/** Returns the factory of list sources; each page is one request, with its lane's retries. */
export function createSourceOf(context: CallContext) {
  const paging = createPaging();
  return <T>({ kind, path, read }: ListAddress<T>, options: CallOptions): ListSource<T> => ({
    kind,
    paging,
    readPage: (start) => {
      const query = start === null ? '' : `?start=${start}&limit=${PAGE_SIZE}`;
      const operation = apiOperation('GET', path + query);
      return callWithRetries(context, { operation, options }, read);
    },
  });
}

/**
 * Resolves with a page, or with null if it cannot be read, so that earlier pages are kept. Rejects
 * with SERVICE_STOPPED, SERVICE_PERSON_LIMIT and any error other than ServiceError.
 */
export async function orNull<T>(page: Promise<T>): Promise<T | null> {
  return page.catch((error: unknown) => {
    const isOfPage = error instanceof ServiceError && error.code !== 'SERVICE_STOPPED';
    if (isOfPage && !isPersonLimit(error)) return null;
    throw error;
  });
}

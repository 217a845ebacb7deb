import { type Answer, badAnswer } from './answer.ts';
import { type CallContext, type CallOptions, callWithRetries } from './call.ts';
import { isShareUsed, ServiceError } from './errors.ts';
import { apiOperation } from './http.ts';
import { type JsonArray, readArray } from './json.ts';
import type { ReadRecord } from './records.ts';

/** The most entries that a paging account puts in an answer (service interface, appendix 2, R1). */
export const PAGE_SIZE = 100;

/** Each kind of list is learned for itself: `start` may be honoured for some alone. */
type ListKind = 'files' | 'folders' | 'projects' | 'people';

export interface Identified {
  id: number;
}

/** One answer of a list: its entries in the order of the service. */
export type Page<T> = JsonArray<T> & Pick<Answer, 'askedAt' | 'serviceTime'>;

/** Reads an answer that is a JSON array; rejects with SERVICE_BAD_ANSWER when it is none. */
export function arrayOf<T>(read: ReadRecord<T>) {
  return async (answer: Answer): Promise<Page<T>> => {
    const { text, askedAt, serviceTime } = answer;
    const array = await readArray(text, read);
    if (!array) throw badAnswer(answer, 'something that is no list');
    return { ...array, askedAt, serviceTime };
  };
}

type Paging = ReturnType<typeof createPaging>;

/** What the account's answers have taught about how it cuts lists (appendix 2, R1). */
export function createPaging() {
  const cuts = new Set([PAGE_SIZE]);
  const paged = new Set<ListKind>();
  const longer = new Set<ListKind>();
  const repeated = new Set<ListKind>();

  return {
    /** What an answer to a request without parameters is worth, by the number of its entries. */
    judge: (kind: ListKind, received: number): 'whole' | 'open' | 'broken' => {
      if (!cuts.has(received)) {
        // One longer than a page shows that none is cut.
        if (received > PAGE_SIZE) longer.add(kind);
        return 'whole';
      }
      if (paged.has(kind)) return 'open';
      if (longer.has(kind)) return 'whole';
      return repeated.has(kind) ? 'broken' : 'open';
    },
    /** Lists of this kind go on over answers; `cutAt`: one of so many entries was cut. */
    pages: (kind: ListKind, cutAt: number) => {
      paged.add(kind);
      if (cutAt > 1) cuts.add(cutAt);
    },
    /** A request for what follows was answered with the same again. */
    repeats: (kind: ListKind) => void repeated.add(kind),
  };
}

/** Where a list is asked for, and how. */
export interface ListSource<T> {
  kind: ListKind;
  paging: Paging;
  /** A page from the entry with index `start` on; with null, as the specified interface asks for all. */
  readPage(start: number | null): Promise<Page<T>>;
}

export interface ListAddress<T> {
  kind: ListKind;
  /** Below `{base_url}`. */
  path: string;
  read(answer: Answer): Promise<Page<T>>;
}

export type SourceOf = ReturnType<typeof createSourceOf>;

/** The lists of an account; each page is a request of its own with the retries of its lane. */
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
 * A page, or null where it cannot be read, as what was read before is worth having. Rejects at the stop,
 * and for a person who has no call left just now.
 */
export async function orNull<T>(page: Promise<T>): Promise<T | null> {
  return page.catch((error: unknown) => {
    const isOfPage = error instanceof ServiceError && error.code !== 'SERVICE_STOPPED';
    if (isOfPage && !isShareUsed(error)) return null;
    throw error;
  });
}

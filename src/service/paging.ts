/** The most entries that a paging account puts in an answer (service interface, appendix 2, R1). */
export const PAGE_SIZE = 100;

export type ListKind = 'files' | 'folders' | 'projects' | 'people';

/**
 * What an answer of so many entries is worth:
 *
 * - `whole`: it is all of the list.
 * - `open`: it may be cut; a request for what follows tells.
 * - `broken`: it may be cut, and such requests lead nowhere.
 */
export type Completeness = 'whole' | 'open' | 'broken';

/**
 * What the account's answers have taught about how it cuts lists (service interface, appendix 2,
 * R1). Each kind of list is learned for itself: `start` may be honoured for some alone.
 */
export interface Paging {
  /** Judges an answer to a request without parameters. One longer than a page shows that none is cut. */
  judge(kind: ListKind, received: number): Completeness;
  /** Lists of this kind go on over answers; `cutAt`: one of so many entries was cut. */
  pages(kind: ListKind, cutAt: number | null): void;
  /** A request for what follows was answered with the same again. */
  repeats(kind: ListKind): void;
}

export function createPaging(): Paging {
  const cuts = new Set([PAGE_SIZE]);
  const paged = new Set<ListKind>();
  const longer = new Set<ListKind>();
  const repeated = new Set<ListKind>();

  return {
    judge: (kind, received) => {
      if (received > PAGE_SIZE && !cuts.has(received)) longer.add(kind);
      if (!cuts.has(received)) return 'whole';
      if (paged.has(kind)) return 'open';
      if (longer.has(kind)) return 'whole';
      return repeated.has(kind) ? 'broken' : 'open';
    },
    pages: (kind, cutAt) => {
      paged.add(kind);
      if (cutAt !== null && cutAt > 1) cuts.add(cutAt);
    },
    repeats: (kind) => {
      repeated.add(kind);
    },
  };
}

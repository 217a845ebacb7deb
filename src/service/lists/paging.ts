import { PAGE_SIZE } from './page.ts';

export type ListKind = 'files' | 'folders' | 'projects' | 'people';

/**
 * What the account's answers have taught about how it cuts lists (service interface, appendix 2,
 * R1). Each kind of list is learned for itself: `start` may be honoured for some alone.
 */
export interface Paging {
  /** Whether an answer of so many entries, to a request without parameters, may be cut. */
  mayBeCut(kind: ListKind, received: number): boolean;
  /** Lists of this kind go on over answers; `cutAt`: one of so many entries was cut. */
  pages(kind: ListKind, cutAt: number | null): void;
  /**
   * A request for what follows was answered with the same again. Where no list of the account pages,
   * that was the whole list; where another does, who knows.
   */
  repeated(kind: ListKind): 'whole' | 'unknown';
}

interface Learned {
  pages: boolean;
  /** An answer of its came longer than a page. */
  longer: boolean;
  repeats: boolean;
}

export function createPaging(): Paging {
  const cuts = new Set([PAGE_SIZE]);
  const kinds = new Map<ListKind, Learned>();

  function learned(kind: ListKind): Learned {
    const known = kinds.get(kind) ?? { pages: false, longer: false, repeats: false };
    kinds.set(kind, known);
    return known;
  }

  const pagesAnywhere = () => [...kinds.values()].some(({ pages }) => pages);

  return {
    mayBeCut: (kind, received) => {
      const known = learned(kind);
      if (!cuts.has(received)) {
        known.longer ||= received > PAGE_SIZE;
        return false;
      }
      if (known.pages) return true;
      return !known.longer && (!known.repeats || pagesAnywhere());
    },
    pages: (kind, cutAt) => {
      learned(kind).pages = true;
      if (cutAt !== null && cutAt > 1) cuts.add(cutAt);
    },
    repeated: (kind) => {
      learned(kind).repeats = true;
      return pagesAnywhere() ? 'unknown' : 'whole';
    },
  };
}

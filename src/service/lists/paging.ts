import { PAGE_SIZE } from './page.ts';

export type ListKind = 'files' | 'folders' | 'projects' | 'people';

/**
 * What an answer of so many entries is worth:
 *
 * - `whole`: it is all of the list.
 * - `ask`: it may be cut; a request for what follows tells.
 * - `unknown`: it may be cut, and such requests lead nowhere.
 */
export type Completeness = 'whole' | 'ask' | 'unknown';

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

interface Learned {
  pages: boolean;
  /** An answer was longer than a page. */
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

  return {
    judge: (kind, received) => {
      const known = learned(kind);
      if (!cuts.has(received)) {
        known.longer ||= received > PAGE_SIZE;
        return 'whole';
      }
      if (known.pages) return 'ask';
      if (known.longer) return 'whole';
      return known.repeats ? 'unknown' : 'ask';
    },
    pages: (kind, cutAt) => {
      learned(kind).pages = true;
      if (cutAt !== null && cutAt > 1) cuts.add(cutAt);
    },
    repeats: (kind) => {
      learned(kind).repeats = true;
    },
  };
}

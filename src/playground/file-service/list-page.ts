import type { ListKind } from './behaviour.ts';
import type { Call } from './call.ts';

const MOST = 100;

type Asked = Pick<Call, 'behaviour' | 'request'>;

/** Returns entries, which come oldest first, in the order in which the account lists them. */
export function inListOrder<T>({ behaviour }: Asked, kind: ListKind, entries: readonly T[]): T[] {
  return behaviour.listOrder[kind] === 'newest-first' ? entries.toReversed() : [...entries];
}

/** Returns what one response holds of an ordered list (service interface, appendix 2, R1). */
export function pageOf<T>({ behaviour, request }: Asked, kind: ListKind, entries: T[]): T[] {
  switch (behaviour.listPaging[kind]) {
    case 'whole':
      return entries;
    case 'cut':
      return entries.slice(0, MOST);
    case 'paged': {
      const { searchParams } = new URL(request.url ?? '/', 'http://account');
      const start = wholeNumber(searchParams.get('start')) ?? 0;
      // A limit that is 0 or not a number counts as no limit given.
      const limit = wholeNumber(searchParams.get('limit')) || MOST;
      return entries.slice(start, start + Math.min(limit, MOST));
    }
  }
}

/** Orders a list as the account does and returns the requested page. */
export function listed<T>(call: Asked, kind: ListKind, entries: readonly T[]): T[] {
  return pageOf(call, kind, inListOrder(call, kind, entries));
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^[0-9]{1,15}$/.test(text) ? Number(text) : null;
}

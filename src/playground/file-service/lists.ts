import type { ListKind } from './behaviour.ts';
import type { RequestContext } from './request-context.ts';
import { HttpError } from './responses.ts';

const PAGE_SIZE = 100;

type ListContext = Pick<RequestContext, 'behaviour' | 'request'>;

/** Returns entries, which come oldest first, in the order in which the account lists them. */
export function inListOrder<T>(
  { behaviour }: ListContext,
  kind: ListKind,
  entries: readonly T[],
): T[] {
  return behaviour.listOrder[kind] === 'newest-first' ? entries.toReversed() : [...entries];
}

/** Returns what one response holds of an ordered list (service interface, appendix 2, R1). */
export function pageOf<T>({ behaviour, request }: ListContext, kind: ListKind, entries: T[]): T[] {
  switch (behaviour.listPaging[kind]) {
    case 'whole':
      return entries;
    case 'cut':
      return entries.slice(0, PAGE_SIZE);
    case 'paged': {
      const { searchParams } = new URL(request.url ?? '/', 'http://account');
      const start = wholeNumber(searchParams.get('start')) ?? 0;
      // A limit that is 0 or not a number counts as no limit given.
      const limit = wholeNumber(searchParams.get('limit')) || PAGE_SIZE;
      return entries.slice(start, start + Math.min(limit, PAGE_SIZE));
    }
  }
}

/** Orders a list as the account does and returns the requested page. */
export function listed<T>(context: ListContext, kind: ListKind, entries: readonly T[]): T[] {
  return pageOf(context, kind, inListOrder(context, kind, entries));
}

/**
 * Returns `known()`. If that throws a 404, throws it too or returns an empty list or `all()`, as the
 * account does for an unknown folder or project (service interface, appendix 2, R5).
 */
export function orUnknownParent<T>(
  { behaviour }: Pick<RequestContext, 'behaviour'>,
  known: () => T,
  all: () => T,
): T | never[] {
  try {
    return known();
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 404) throw error;
    if (behaviour.unknownParent === 'refused') throw error;
    return behaviour.unknownParent === 'empty-list' ? [] : all();
  }
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^[0-9]{1,15}$/.test(text) ? Number(text) : null;
}

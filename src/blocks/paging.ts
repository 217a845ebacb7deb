import type { types } from '@slack/bolt';
import type { ActionId } from './actions.ts';
import { shownNumber, shownSpan } from './format.ts';
import { button, buttonRow } from './layout.ts';

/** A page of a list. */
export interface Page<T> {
  items: readonly T[];
  /** From 1. */
  page: number;
  /** At least 1, also for an empty list. */
  pages: number;
}

/** The page asked for, or the last one when the list has become shorter than that. */
export function pageOf<T>(items: readonly T[], size: number, page: number): Page<T> {
  const pages = Math.max(1, Math.ceil(items.length / size));
  const shown = Math.min(Math.max(1, Math.trunc(page) || 1), pages);
  return { items: items.slice((shown - 1) * size, shown * size), page: shown, pages };
}

/** Which page of how many; null for the only one. */
export function shownPage({ page, pages }: Omit<Page<never>, 'items'>): string | null {
  return pages > 1 ? `page ${shownNumber(page)} of ${shownNumber(pages)}` : null;
}

export interface PagerOptions {
  previous: { action: ActionId; label: string };
  next: { action: ActionId; label: string };
  /** What a button to a page carries. */
  valueFor(page: number): string;
}

/** The buttons to the pages before and after this one, and others beside them. */
export function pager(
  { page, pages }: Omit<Page<never>, 'items'>,
  { previous, next, valueFor }: PagerOptions,
  ...others: (types.Button | null)[]
): types.ActionsBlock[] {
  const before = page > 1 ? button({ ...previous, value: valueFor(page - 1) }) : null;
  const after = page < pages ? button({ ...next, value: valueFor(page + 1) }) : null;
  return buttonRow([before, after, ...others]);
}

/** How old the copy is that a list was made from, for its line of small print; null when fresh. */
export function shownCopyAge(ageMs: number | null): string | null {
  return ageMs === null ? null : `as of ${shownSpan(ageMs)} ago`;
}

/** The button that reads anew a list that was made from a copy; null for one that is fresh. */
export function refreshButton(
  ageMs: number | null,
  refresh: { action: ActionId; value: string },
): types.Button | null {
  return ageMs === null ? null : button({ ...refresh, label: 'Refresh' });
}

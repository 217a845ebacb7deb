import type { types } from '@slack/bolt';
import type { ActionId } from './actions.ts';
import { button } from './button.ts';
import { buttonRow } from './layout.ts';

export interface PagerOptions {
  /** From 1. */
  page: number;
  pages: number;
  previous: { action: ActionId; label: string };
  next: { action: ActionId; label: string };
  /** What a button to a page carries. */
  valueFor(page: number): string;
}

/** The buttons to the pages before and after this one, and others beside them. */
export function pager(
  { page, pages, previous, next, valueFor }: PagerOptions,
  ...others: (types.Button | null)[]
): types.ActionsBlock[] {
  const before = page > 1 ? button({ ...previous, value: valueFor(page - 1) }) : null;
  const after = page < pages ? button({ ...next, value: valueFor(page + 1) }) : null;
  return buttonRow([before, after, ...others]);
}

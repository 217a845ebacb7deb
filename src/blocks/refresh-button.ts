import type { types } from '@slack/bolt';
import type { ActionId } from './actions.ts';
import { button } from './button.ts';
import { shownSpan } from './shown-time.ts';

/** How old a copy is that a list was made from, for its line of small print. */
export function shownCopyAge(ageMs: number): string {
  return `as of ${shownSpan(ageMs)} ago`;
}

/** Reads a list anew that was made from a copy; null for one that is fresh. */
export function refreshButton(
  ageMs: number | null,
  refresh: { action: ActionId; value: string },
): types.Button | null {
  return ageMs === null ? null : button({ ...refresh, label: 'Refresh' });
}

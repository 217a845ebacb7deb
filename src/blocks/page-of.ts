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

/**
 * `items` in pieces of `size` at the most: databases bound how many values one statement may carry
 * (SQLite 32,766, PostgreSQL 65,535).
 */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  const pieces: T[][] = [];
  for (let start = 0; start < items.length; start += size)
    pieces.push(items.slice(start, start + size));
  return pieces;
}

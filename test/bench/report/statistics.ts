/** Returns the middle value, or the mean of the two in the middle; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/**
 * Returns the smallest value that at least `share` (0 to 1) of the values do not exceed; NaN for an
 * empty list.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** Returns the largest value; NaN for an empty list. */
export function most(values: readonly number[]): number {
  return percentile(values, 1);
}

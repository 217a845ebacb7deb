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

/** Returns a figure as printed: three significant digits, or a dash if it is not a number. */
export function shown(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return 'never';
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value)) return String(value);
  if (Math.abs(value) >= 100) return value.toFixed(0);
  if (Math.abs(value) >= 10) return value.toFixed(1);
  return Math.abs(value) >= 1 ? value.toFixed(2) : value.toFixed(3);
}

/** Returns a value as a multiple of `base`. */
export function shownRatio(value: number, base: number): string {
  const ratio = value / base;
  return Number.isFinite(ratio) ? `${ratio.toFixed(2)}×` : '–';
}

export function shownPercent(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(1)}%` : '–';
}

export const MIB = 1024 * 1024;

export function shownMiB(bytes: number): string {
  return shown(bytes / MIB);
}

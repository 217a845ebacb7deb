const MIB = 1024 * 1024;

/** A figure as it is printed: three digits that count, and what is no number as a dash. */
export function shown(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return 'never';
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value)) return String(value);
  if (Math.abs(value) >= 100) return value.toFixed(0);
  if (Math.abs(value) >= 10) return value.toFixed(1);
  return Math.abs(value) >= 1 ? value.toFixed(2) : value.toFixed(3);
}

/** How many times `base` a value is. */
export function shownRatio(value: number, base: number): string {
  const ratio = value / base;
  return Number.isFinite(ratio) ? `${ratio.toFixed(2)}×` : '–';
}

export function shownPercent(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(1)}%` : '–';
}

export function shownMiB(bytes: number): string {
  return shown(bytes / MIB);
}

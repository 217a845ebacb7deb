const MIB = 1024 * 1024;

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

export function shownMiB(bytes: number): string {
  return shown(bytes / MIB);
}

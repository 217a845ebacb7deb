const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Bytes in decimal units, with one digit after the point below ten: `812 B`, `1.2 MB`, `37 MB`. */
export function shownSize(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (unit < UNITS.length - 1 && Math.round(value) >= 1000) {
    value /= 1000;
    unit += 1;
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

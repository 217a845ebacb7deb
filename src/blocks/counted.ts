const NUMBERS = new Intl.NumberFormat('en-GB');

/** A number with its noun: `1 file`, `2 files`, `4,000 files`. */
export function counted(count: number, noun: string): string {
  return `${shownNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function shownNumber(count: number): string {
  return NUMBERS.format(count);
}

const NUMBERS = new Intl.NumberFormat('en-GB');

export function shownNumber(count: number): string {
  return NUMBERS.format(count);
}

/** A number with its noun: `1 file`, `2 files`, `4,000 files`. */
export function counted(count: number, noun: string): string {
  return `${shownNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };

/** A place in an order: `1st`, `2nd`, `1,000th`. */
export function ordinal(place: number): string {
  return `${shownNumber(place)}${ENDINGS[ORDINALS.select(place)] ?? 'th'}`;
}

/** The parts that there are, with dots between them. */
export function dotted(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join(' · ');
}

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

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in milliseconds, in its largest unit: `4 s`, `2 min`, `3 h`, `2 days`. */
export function shownSpan(ms: number): string {
  if (ms < MINUTE) return `${Math.max(1, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return counted(Math.floor(ms / DAY), 'day');
}

// Made when a date is first shown: it takes longer than all other views together.
let dateFormat: Intl.DateTimeFormat | undefined;

function shownDate(at: number): string {
  dateFormat ??= new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return dateFormat.format(at);
}

/** How long ago `at` was, both in epoch milliseconds; the date (UTC) when over a week. */
export function shownAge(at: number, now: number): string {
  const age = now - at;
  if (age < MINUTE) return 'just now';
  if (age < 7 * DAY) return `${shownSpan(age)} ago`;
  return isTime(at) ? shownDate(at) : 'an unknown date';
}

/** The time of day in UTC: what stands where Slack cannot show the reader's own. */
export function shownClock(at: number): string {
  return `${new Date(isTime(at) ? at : 0).toISOString().replace(/^.*T(\d\d:\d\d).*$/, '$1')} UTC`;
}

function isTime(at: number): boolean {
  return !Number.isNaN(new Date(at).getTime());
}

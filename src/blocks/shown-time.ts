const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const DATE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** A length of time in milliseconds, in its largest unit: `4 s`, `2 min`, `3 h`, `2 days`. */
export function shownSpan(ms: number): string {
  if (ms < MINUTE) return `${Math.max(1, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  const days = Math.floor(ms / DAY);
  return days === 1 ? '1 day' : `${days} days`;
}

/** How long ago `at` was, both in epoch milliseconds; the date (UTC) when over a week. */
export function shownAge(at: number, now: number): string {
  const age = now - at;
  if (age < MINUTE) return 'just now';
  return age < 7 * DAY ? `${shownSpan(age)} ago` : shownDate(at);
}

/** The time of day in UTC: what stands where Slack cannot show the reader's own. */
export function shownClock(at: number): string {
  return `${isoOf(at).slice(11, 16)} UTC`;
}

function shownDate(at: number): string {
  return Number.isNaN(new Date(at).getTime()) ? 'an unknown date' : DATE.format(at);
}

function isoOf(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime())
    ? '1970-01-01T00:00'
    : date.toISOString().replace(/^[+-]00/, '');
}

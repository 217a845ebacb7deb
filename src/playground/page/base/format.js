const UNITS = ['B', 'kB', 'MB', 'GB'];

/** Formats a number of bytes for people. */
export function formatSize(bytes) {
  if (typeof bytes !== 'number') return '';
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** step;
  return `${value >= 100 || step === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[step]}`;
}

/** Formats the time of day of a message's `ts`, which is in seconds. */
export function formatTime(seconds) {
  return format(Number(seconds) * 1000, { hour: '2-digit', minute: '2-digit' });
}

/** Formats the day and time of `ms` milliseconds since the epoch. */
export function formatDateTime(ms) {
  const day = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' };
  const isThisYear = new Date(ms).getFullYear() === new Date().getFullYear();
  return format(ms, isThisYear ? day : { ...day, year: 'numeric' });
}

const DATE_STYLES = {
  date_num: { year: 'numeric', month: '2-digit', day: '2-digit' },
  date: { year: 'numeric', month: 'long', day: 'numeric' },
  date_short: { year: 'numeric', month: 'short', day: 'numeric' },
  date_long: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  time: { hour: '2-digit', minute: '2-digit' },
  time_secs: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
};

/** Formats a date as Slack does (https://docs.slack.dev/messaging/formatting-message-text). */
export function formatSlackDate(seconds, pattern) {
  const ms = Number(seconds) * 1000;
  return pattern.replace(/\{(\w+)\}/g, (whole, token) => {
    const style = DATE_STYLES[token.replace('_pretty', '')];
    if (!style) return whole;
    return (token.endsWith('_pretty') && nearDay(ms)) || format(ms, style);
  });
}

function nearDay(ms) {
  const start = (at) => new Date(at).setHours(0, 0, 0, 0);
  const days = Math.round((start(ms) - start(Date.now())) / 86_400_000);
  return { '-1': 'yesterday', 0: 'today', 1: 'tomorrow' }[days];
}

function format(ms, style) {
  return new Intl.DateTimeFormat('en-GB', style).format(ms);
}

import { believedWait } from '../../base/index.ts';

const DEFAULT_MS = 10_000;

export interface RetryAfterHeader {
  /** The header as it came; undefined when there was none. */
  value: string | undefined;
  /** What an HTTP date is relative to, in milliseconds since the epoch. */
  answeredAt: number;
}

/**
 * What a `Retry-After` header asks to wait, in milliseconds: seconds (service interface,
 * section 8) or an HTTP date (RFC 9110, 10.2.3). Without a readable header, or with one that lies
 * in the past, 10 s: the account's window. Never more than ten minutes.
 */
export function parseRetryAfter(header: RetryAfterHeader): number {
  return believedWait(readWait(header)) ?? DEFAULT_MS;
}

function readWait({ value, answeredAt }: RetryAfterHeader): number {
  const text = value?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // Only the date forms: Date.parse makes a year of almost any number.
  return /^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) - answeredAt : Number.NaN;
}

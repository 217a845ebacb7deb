import { escapeMrkdwn } from './escape-mrkdwn.ts';

/** Slack takes 3,000 characters to an element. */
const LONGEST = 2_000;

/**
 * An address as a link in mrkdwn takes it, so that nothing of it ends the link or begins another;
 * null for one that is no web address, or too long.
 */
export function linkAddress(address: string): string | null {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return null;
  if (url.username || url.password) return null;
  const escaped = escapeMrkdwn(url.href.replace(/[|<>]/g, encodeURIComponent));
  return escaped.length > LONGEST ? null : escaped;
}

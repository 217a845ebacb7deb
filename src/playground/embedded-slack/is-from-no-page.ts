import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../loopback-host.ts';

/**
 * Whether a request is an app's rather than a web page's: pages have no business at Slack's own
 * addresses, and any that is open in a browser can send requests to this machine. They are told by
 * their `Origin`, by `Sec-Fetch-Site`, and by a `Host` that is not loopback.
 */
export function isFromNoPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { host, origin } = headers;
  const site = headers['sec-fetch-site'];
  if (!isLoopbackHost(host)) return false;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  return site === undefined || site === 'none' || site === 'same-origin';
}

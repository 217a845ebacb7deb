import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../loopback-host.ts';

/**
 * Returns false for a request from a web page of another origin: any page open in a browser can
 * send requests to this machine. Recognizes them by `Origin`, by `Sec-Fetch-Site`, and by a `Host`
 * that is not loopback.
 */
export function isFromNoPage({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { host, origin } = headers;
  const site = headers['sec-fetch-site'];
  if (!isLoopbackHost(host)) return false;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  return site === undefined || site === 'none' || site === 'same-origin';
}

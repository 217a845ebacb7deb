import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../loopback-host.ts';

/**
 * Whether a request comes from the playground's own page, or from no page at all. Websites that are
 * open in another tab can send requests to this machine, and by a name of their own that leads to
 * it: they are told by their `Origin`, by `Sec-Fetch-Site`, and by a `Host` that is not loopback.
 */
export function isFromOwnPage({
  headers,
  method,
}: Pick<IncomingMessage, 'headers' | 'method'>): boolean {
  const { host, origin } = headers;
  if (!isLoopbackHost(host)) return false;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  if (method === 'GET' || method === 'HEAD')
    return isOwnFetch(headers['sec-fetch-site'], headers['sec-fetch-mode']);
  return origin !== undefined;
}

// A link on another site may lead to the page; nothing there may embed or read it.
function isOwnFetch(site: unknown, mode: unknown): boolean {
  return site === undefined || site === 'same-origin' || site === 'none' || mode === 'navigate';
}

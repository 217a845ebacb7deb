import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../loopback-host.ts';

/**
 * Whether a request comes from the playground's own page, or is a GET from outside a browser. Other
 * websites can send requests to this machine, also through a domain name that points to it. Their
 * `Origin`, their `Sec-Fetch-Site` or a `Host` that is not loopback gives them away.
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

// Another site may link to the page, but may not embed or read it.
function isOwnFetch(site: unknown, mode: unknown): boolean {
  return site === undefined || site === 'same-origin' || site === 'none' || mode === 'navigate';
}

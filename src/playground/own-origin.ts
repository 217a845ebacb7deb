import type { IncomingHttpHeaders } from 'node:http';

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/**
 * Whether a request's `Host` is a loopback address. Any website can point its own domain name at
 * 127.0.0.1 (DNS rebinding) and so reach servers that listen there.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && LOOPBACK.test(host);
}

/**
 * Returns false for a request from a web page of another origin: any page open in a browser can
 * send requests to this machine. Recognizes them by `Origin`, by `Sec-Fetch-Site`, and by a `Host`
 * that is not loopback.
 */
export function isOwnOrigin(headers: IncomingHttpHeaders): boolean {
  const { host, origin, 'sec-fetch-site': site } = headers;
  if (!isLoopbackHost(host)) return false;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  return site === undefined || site === 'none' || site === 'same-origin';
}

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/**
 * Whether a request's `Host` is a loopback address. Any website can point its own domain name at
 * 127.0.0.1 (DNS rebinding) and so reach servers that listen there.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && LOOPBACK.test(host);
}

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/**
 * Whether a request's `Host` names this machine by an address that is its own alone. Any website can
 * give a name of its own this machine's address, and so reach what listens here.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && LOOPBACK.test(host);
}

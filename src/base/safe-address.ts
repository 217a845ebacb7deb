/**
 * Whether traffic to an address cannot be read on the way: HTTPS, or plain HTTP within the machine
 * (service interface, section 5).
 */
export function isSafeAddress({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

const LOOPBACK = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/;

/** Whether `value` is a valid server address, including its user name and password if any. */
export function isServerAddress(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && [url.username, url.password, url.pathname].every(isEncodedWell);
}

function isEncodedWell(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

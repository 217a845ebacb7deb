/** Whether `value` is an address of a server that can be read whole, name and password included. */
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

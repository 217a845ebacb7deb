const CONNECT_CALLS = new Set(['connect', 'getaddrinfo']);
// What Node calls a certificate that it refuses. Every other failure of TLS may come after the
// request was taken.
const CERTIFICATE_CODE =
  /^(CERT_|CRL_|ERROR_IN_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$)/;

/** Whether a request that ended with this error was surely not sent: there was no connection for it. */
export function neverLeft(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (CERTIFICATE_CODE.test(textOf(error, 'code'))) return true;
  // A host of several addresses fails with the failures of all that were tried.
  if (error instanceof AggregateError) return error.errors.every(neverLeft);
  if (error.cause instanceof Error) return neverLeft(error.cause);
  return CONNECT_CALLS.has(textOf(error, 'syscall'));
}

function textOf(error: object, key: 'code' | 'syscall'): string {
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' ? value : '';
}

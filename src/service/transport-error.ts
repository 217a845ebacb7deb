import { AnswerTooLong } from './answer-text.ts';
import { describeOperation, type Operation } from './operation.ts';
import { ServiceError, type ServiceErrorCode } from './service-error.ts';

const CONNECT_CALLS = new Set(['connect', 'getaddrinfo']);
// What Node calls a certificate that it refuses. Every other failure of TLS may come after the
// request was taken.
const CERTIFICATE_CODE =
  /^(CERT_|CRL_|ERROR_IN_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|INVALID_(CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$)/;
const UNREADABLE_CODE = /^(Z_|HPE_|ERR__ERROR_)/;

/**
 * The error for a request that ended without an answer. `cause` is a plain error with the code
 * alone: axios' own carries the whole request, with the key.
 */
export function transportError(operation: Operation, error: unknown): ServiceError {
  const { code, message, neverLeft } = faultOf(error);
  const fault = code && !message.includes(code) ? `${message} (${code})` : message;
  const isUnreadable = error instanceof AnswerTooLong || UNREADABLE_CODE.test(code);
  const [kind, what]: [ServiceErrorCode, string] = isUnreadable
    ? ['SERVICE_BAD_ANSWER', 'was answered unreadably']
    : ['SERVICE_UNREACHABLE', 'did not get through'];
  return new ServiceError(kind, `${describeOperation(operation)} ${what}: ${fault}`, {
    retry: 'later',
    sent: neverLeft ? 'no' : 'unknown',
    cause: Object.assign(new Error(message), { code }),
  });
}

function faultOf(error: unknown): { code: string; message: string; neverLeft: boolean } {
  if (!(error instanceof Error)) return { code: '', message: 'unknown fault', neverLeft: false };
  const inner = error.cause instanceof Error ? error.cause : error;
  const code = textOf(error, 'code') || textOf(inner, 'code');
  return {
    code,
    message: error.message || inner.message || 'no connection',
    neverLeft: CERTIFICATE_CODE.test(code) || failedToConnect(inner),
  };
}

// A host of several addresses fails with the failures of all that were tried.
function failedToConnect(fault: Error): boolean {
  const tried: unknown[] = fault instanceof AggregateError ? fault.errors : [fault];
  return tried.every((one) => one instanceof Error && CONNECT_CALLS.has(textOf(one, 'syscall')));
}

function textOf(error: object, key: 'code' | 'syscall'): string {
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' ? value : '';
}

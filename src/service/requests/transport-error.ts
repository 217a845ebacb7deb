import { AxiosError } from 'axios';
import { describeOperation, type Operation } from './operation.ts';
import { ServiceError, type ServiceErrorDetails } from './service-error.ts';

const CONNECT_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EPROTO',
]);
const CONNECT_CALLS = new Set(['connect', 'getaddrinfo']);
// Names of OpenSSL's verdicts on a certificate, and Node's own for TLS.
const TLS_CODE = /CERT|^ERR_(TLS|SSL)_|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(CA|PURPOSE)$/;
const UNREADABLE_CODE = /^(Z_|HPE_|ERR__ERROR_)/;

/**
 * The error for a request that ended without an answer. `cause` is a plain error with the code
 * alone: axios' own carries the whole request, with the key.
 */
export function transportError(operation: Operation, error: unknown): ServiceError {
  const { code, message, syscall } = faultOf(error);
  const fault = code && !message.includes(code) ? `${message} (${code})` : message;
  const details: ServiceErrorDetails = {
    retry: 'later',
    sent: neverLeft(code, syscall) ? 'no' : 'unknown',
    cause: Object.assign(new Error(message), { code }),
  };
  if (isUnreadable(error, code)) {
    const text = `${describeOperation(operation)} was answered unreadably: ${fault}`;
    return new ServiceError('SERVICE_BAD_ANSWER', text, details);
  }
  const text = `${describeOperation(operation)} did not get through: ${fault}`;
  return new ServiceError('SERVICE_UNREACHABLE', text, details);
}

function neverLeft(code: string, syscall: string): boolean {
  return CONNECT_CALLS.has(syscall) || CONNECT_CODES.has(code) || TLS_CODE.test(code);
}

// axios gives an answer over its size limit and one cut off the same code; only the latter has a
// response.
function isUnreadable(error: unknown, code: string): boolean {
  const oversized = error instanceof AxiosError && code === 'ERR_BAD_RESPONSE' && !error.response;
  return oversized || UNREADABLE_CODE.test(code);
}

function faultOf(error: unknown): { code: string; message: string; syscall: string } {
  if (!(error instanceof Error)) return { code: '', message: 'unknown fault', syscall: '' };
  const inner = error.cause instanceof Error ? error.cause : error;
  return {
    code: textOf(error, 'code') || textOf(inner, 'code'),
    message: error.message || inner.message || 'no connection',
    syscall: textOf(inner, 'syscall'),
  };
}

function textOf(error: object, key: 'code' | 'syscall'): string {
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' ? value : '';
}

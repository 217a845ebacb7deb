import { expect, test } from 'vitest';
import { transportError } from '../../src/service/http.ts';
import { fault } from './nock-under-test.ts';

function sentBy(error: unknown): string {
  return transportError('POST /files', error).sent;
}

test.each([
  ['ECONNREFUSED', 'connect'],
  ['EHOSTUNREACH', 'connect'],
  ['ETIMEDOUT', 'connect'],
  ['ENOTFOUND', 'getaddrinfo'],
  ['EAI_AGAIN', 'getaddrinfo'],
])('transportError for %s of %s says that nothing was sent', (code, syscall) => {
  expect(sentBy(fault(code, syscall))).toBe('no');
});

test.each([
  'CERT_HAS_EXPIRED',
  'CRL_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])('transportError for %s, a certificate error, says that nothing was sent', (code) => {
  expect(sentBy(fault(code))).toBe('no');
});

test('transportError says that nothing was sent when no address of several can be reached', () => {
  const tried = [fault('ECONNREFUSED', 'connect'), fault('ETIMEDOUT', 'connect')];
  const cause = Object.assign(new AggregateError(tried), { code: 'ECONNREFUSED' });
  const wrapped = Object.assign(new Error('all refused', { cause }), { code: 'ECONNREFUSED' });
  expect(sentBy(cause)).toBe('no');
  expect(sentBy(wrapped)).toBe('no');
});

test.each([
  ['EPROTO', 'write'],
  ['EPROTO', 'read'],
  ['EHOSTUNREACH', 'read'],
  ['EHOSTUNREACH', 'write'],
  ['ENETUNREACH', 'read'],
  ['ETIMEDOUT', 'read'],
  ['ECONNRESET', 'read'],
  ['EPIPE', 'write'],
  ['ECONNRESET', undefined],
  ['ERR_SSL_WRONG_VERSION_NUMBER', undefined],
  ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', undefined],
  // TLS 1.3 lets a server judge the client's certificate after the request.
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', undefined],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', undefined],
  ['ERR_TLS_RENEGOTIATION_DISABLED', undefined],
])(
  'transportError for %s of %s says that it is unknown whether the request was sent',
  (code, syscall) => {
    expect(sentBy(fault(code, syscall))).toBe('unknown');
  },
);

import { describe, expect, it } from 'vitest';
import { neverLeft } from '../../src/base/index.ts';

const fault = (details: { code?: string; syscall?: string }) =>
  Object.assign(new Error('fault'), details);
const noConnection = fault({ code: 'ECONNREFUSED', syscall: 'connect' });
const reset = fault({ code: 'ECONNRESET', syscall: 'read' });

describe('neverLeft', () => {
  it('returns true when no connection was made or the certificate was refused', () => {
    expect(neverLeft(noConnection)).toBe(true);
    expect(neverLeft(fault({ syscall: 'getaddrinfo' }))).toBe(true);
    expect(neverLeft(fault({ code: 'CERT_HAS_EXPIRED' }))).toBe(true);
    expect(neverLeft(new TypeError('fetch failed', { cause: noConnection }))).toBe(true);
    expect(neverLeft(new AggregateError([noConnection, noConnection]))).toBe(true);
  });

  it('returns false for any other failure, as the service may have received the request', () => {
    expect(neverLeft(reset)).toBe(false);
    expect(neverLeft(new TypeError('fetch failed', { cause: reset }))).toBe(false);
    expect(neverLeft(new AggregateError([noConnection, reset]))).toBe(false);
    expect(neverLeft('no error')).toBe(false);
  });
});

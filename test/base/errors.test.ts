import { describe, expect, it } from 'vitest';
import { orNull, wasNotSent } from '../../src/base/index.ts';

const expected = new Error('expected');
const isExpected = (error: unknown) => error === expected;

it('orNull resolves like the promise, and to null after an expected error', async () => {
  await expect(orNull(Promise.resolve(1), isExpected)).resolves.toBe(1);
  await expect(orNull(Promise.reject(expected), isExpected)).resolves.toBeNull();
});

it('orNull rejects with any other error', async () => {
  const other = new Error('other');
  await expect(orNull(Promise.reject(other), isExpected)).rejects.toBe(other);
});

const fault = (details: { code?: string; syscall?: string }) =>
  Object.assign(new Error('fault'), details);
const noConnection = fault({ code: 'ECONNREFUSED', syscall: 'connect' });
const reset = fault({ code: 'ECONNRESET', syscall: 'read' });

describe('wasNotSent', () => {
  it('returns true when no connection was made or the certificate was refused', () => {
    expect(wasNotSent(noConnection)).toBe(true);
    expect(wasNotSent(fault({ syscall: 'getaddrinfo' }))).toBe(true);
    expect(wasNotSent(fault({ code: 'CERT_HAS_EXPIRED' }))).toBe(true);
    expect(wasNotSent(new TypeError('fetch failed', { cause: noConnection }))).toBe(true);
    expect(wasNotSent(new AggregateError([noConnection, noConnection]))).toBe(true);
  });

  it('returns false for any other failure, as the service may have received the request', () => {
    expect(wasNotSent(reset)).toBe(false);
    expect(wasNotSent(new TypeError('fetch failed', { cause: reset }))).toBe(false);
    expect(wasNotSent(new AggregateError([noConnection, reset]))).toBe(false);
    expect(wasNotSent('no error')).toBe(false);
  });
});

import { expect, it } from 'vitest';
import { isSafeAddress } from '../../src/base/index.ts';

it.each([
  ['https://account.example/acme', true],
  ['http://127.0.0.1:3000', true],
  ['http://127.9.9.9', true],
  ['http://localhost:3000/acme', true],
  ['http://[::1]:3000', true],
  ['http://account.example', false],
  ['http://127.0.0.1.evil.example', false],
  ['http://localhost.evil.example', false],
  ['ftp://localhost', false],
])('isSafeAddress of %s returns %j', (address, safe) => {
  expect(isSafeAddress(new URL(address))).toBe(safe);
});

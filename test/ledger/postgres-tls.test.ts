import { expect, it, onTestFinished } from 'vitest';
import { postgresPool } from '../../src/ledger/index.ts';

/** Returns what a pool's connections do about TLS, and the address that they use. */
function tlsOf(url: string, mode: string | null) {
  const pool = postgresPool(url, () => undefined, mode);
  onTestFinished(() => pool.end());
  const { ssl, connectionString } = pool.options;
  return { ssl, connectionString };
}

const PLAIN = 'postgres://user:pa%2Fss@db.example/pigeonhole';

it.each([
  ['require', true],
  ['verify-full', true],
  ['disable', false],
  ['no-verify', { rejectUnauthorized: false }],
])('PGSSLMODE=%s is kept to, whatever the address says', (mode, ssl) => {
  expect(tlsOf(PLAIN, mode)).toEqual({ ssl, connectionString: PLAIN });
  expect(tlsOf(`${PLAIN}?application_name=x&sslmode=disable`, mode).connectionString).toBe(
    `${PLAIN}?application_name=x&`,
  );
  expect(tlsOf(`${PLAIN}?ssl=true&application_name=x`, mode).connectionString).toBe(
    `${PLAIN}?application_name=x`,
  );
});

it('without PGSSLMODE, the address decides', () => {
  const url = `${PLAIN}?sslmode=no-verify`;
  expect(tlsOf(url, null)).toEqual({ ssl: undefined, connectionString: url });
});

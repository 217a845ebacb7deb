import { PGlite } from '@electric-sql/pglite';
import type { PostgresPool } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import { postgresDialect } from '../../src/ledger/index.ts';
import { describeLedger } from './ledger.contract.ts';

let engine: PGlite;
beforeAll(async () => {
  engine = await PGlite.create();
}, 60_000);
afterAll(() => engine.close());

describeLedger('PostgreSQL (PGlite)', async () => {
  await engine.exec('drop schema public cascade; create schema public');
  return postgresDialect(poolOf(engine));
});

// One engine has one session: connections take turns on it, as a pool of one would.
function poolOf(db: PGlite): PostgresPool {
  let last = Promise.resolve();
  return {
    connect: async () => {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = before.then(() => promise);
      await before;
      return {
        query: async (text: string, values: readonly unknown[]) => {
          const { rows, affectedRows } = await db.query(text, [...values], PARSERS);
          const command = text.trimStart().slice(0, 6).toUpperCase();
          return { rows, rowCount: affectedRows ?? rows.length, command };
        },
        release: resolve,
      };
    },
    end: async () => undefined,
  } as PostgresPool;
}

const PARSERS = { parsers: { 20: Number } };

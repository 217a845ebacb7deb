import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll } from 'vitest';
import { postgresDialect } from '../../src/ledger/index.ts';
import { pglitePool } from '../support/pglite-pool.ts';
import { describeLedger } from './ledger.contract.ts';

let engine: PGlite;
beforeAll(async () => {
  engine = await PGlite.create();
}, 60_000);
afterAll(() => engine.close());

describeLedger('PostgreSQL (PGlite)', async () => {
  await emptyTables();
  return postgresDialect(pglitePool(engine));
});

// The tables themselves stay: making them anew for each test takes most of the time.
async function emptyTables(): Promise<void> {
  const { rows } = await engine.query<{ tablename: string }>(
    `select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%'`,
  );
  if (rows.length === 0) return;
  const names = rows.map(({ tablename }) => `"${tablename}"`).join(', ');
  await engine.exec(`truncate ${names} restart identity cascade`);
}

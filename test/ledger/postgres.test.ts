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
  await engine.exec('drop schema public cascade; create schema public');
  return postgresDialect(pglitePool(engine));
});

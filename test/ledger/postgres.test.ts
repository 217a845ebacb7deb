import { randomInt } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ledger, openLedger, postgresDialect } from '../../src/ledger/index.ts';
import { heldCatchUp } from '../support/held-catch-up.ts';
import { pglitePool } from '../support/pglite-pool.ts';
import { recording, share } from '../support/shares.ts';
import { describeLedger } from './ledger.contract.ts';

let engine: PGlite;
let ledger: Ledger;
beforeAll(async () => {
  engine = await PGlite.create();
  ledger = await openLedger(postgresDialect(pglitePool(engine)), 0);
  await engine.exec(await emptyingFunction());
}, 60_000);
afterAll(() => engine.close());

/** The one ledger, without what was in it: making its tables anew takes most of a test's time. */
async function emptyLedger(): Promise<Ledger> {
  await engine.query('select empty_tables()');
  return { ...ledger, close: async () => undefined };
}

/** Empties all tables, whatever refers to what, and counts identifiers from 1 again; planned once. */
async function emptyingFunction(): Promise<string> {
  const tables = await namesBy(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'kysely%'`,
  );
  const sequences = await namesBy('select sequencename as name from pg_sequences');
  return [
    'create function empty_tables() returns void language plpgsql',
    'set session_replication_role = replica as $$ begin',
    ...tables.map((name) => `delete from "${name}";`),
    // To restart a sequence makes a file of it anew, and that took most of the time.
    ...sequences.map((name) => `perform setval('${name}', 1, false);`),
    'end $$',
  ].join('\n');
}

async function namesBy(query: string): Promise<string[]> {
  const { rows } = await engine.query<{ name: string }>(query);
  return rows.map(({ name }) => name);
}

describeLedger('PostgreSQL (PGlite)', emptyLedger);

describe('a share whose timestamp no index of PostgreSQL takes', () => {
  function poison() {
    const digits = Array.from({ length: 20_000 }, () => randomInt(10)).join('');
    return share({ ts: `1700000002.${digits}` });
  }

  it('fails alone, and keeps no other of its channel back', async () => {
    const emptied = await emptyLedger();
    const { recordShare, recordMissed, claimReport, countReport } = emptied;
    const destination = { projectId: 1, folderId: 2 };
    const refused = { code: 'LEDGER_UNRECORDABLE' };
    await expect(recordShare(recording(poison(), { now: 1 }))).rejects.toMatchObject(refused);
    const bad = poison();
    const shares = [share({ ts: '1700000001.000000' }), bad, share({ ts: '1700000003.000000' })];
    const channel = { team: 'T1', channel: 'C1' };
    const claim = await heldCatchUp(emptied, channel);
    const recorded = await recordMissed(claim, { ...channel, shares, destination, now: 1 });
    expect(recorded).toEqual({ files: 2, unrecordable: [bad] });
    const report = await claimReport({ now: 9, until: 10, token: 't' });
    expect(await countReport(report?.id ?? 0)).toEqual({ recorded: 2 });
  });
});

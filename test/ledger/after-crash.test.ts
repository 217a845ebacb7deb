import { Kysely, sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { heldCatchUp } from '../support/held-catch-up.ts';
import { recording } from '../support/shares.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CHANNEL = { team: 'T1', channel: 'C1' };
const FAR = 10 ** 9;

let dataDir: string;
beforeEach(() => {
  dataDir = temporaryFolder();
});

it('openLedger frees all claims that a crash left, as no other process can hold any', async () => {
  const before = await openLedger(sqliteDialect(dataDir), 0);
  await before.recordShare(recording({}, { now: 0 }));
  await before.beginBackfill(CHANNEL, { startedBy: 'U1', now: 0 });
  const claim = { now: 1_000, token: 'dead', afterQueue: '', until: FAR, largest: null };
  expect(await before.claimFiling(claim)).not.toBeNull();
  await heldCatchUp(before, CHANNEL);
  expect(await before.claimRow('backfill', claim)).toBeDefined();
  await before.close();

  const ledger = await openLedger(sqliteDialect(dataDir), 2_000);
  const mine = { ...claim, now: 2_000, token: 'mine' };
  expect(await ledger.claimFiling(mine)).toMatchObject({ transfers: [{ attempts: 2 }] });
  expect(await ledger.claimRow('backfill', mine)).toBeDefined();
  expect(await ledger.claimRow('catch-up', mine)).toBeDefined();
  await ledger.close();
});

it('SQLite has a write-ahead log, and its commits are on disk unless the ledger says otherwise', async () => {
  const db = new Kysely<unknown>({ dialect: sqliteDialect(dataDir).kysely });
  const full = 2;
  expect((await sql`pragma synchronous`.execute(db)).rows).toEqual([{ synchronous: full }]);
  expect((await sql`pragma journal_mode`.execute(db)).rows).toEqual([{ journal_mode: 'wal' }]);
  await db.destroy();
});

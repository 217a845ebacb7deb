import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ledger, openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The database of a ledger that was opened and closed, once for all tests of a process. */
let emptied: Promise<Buffer> | undefined;

/**
 * An empty ledger on SQLite, by default in a folder that goes with the test; who opens it closes it.
 * Its tables are copied: making them takes longer than most tests.
 */
export async function openEmptyLedger(now: number, dataDir = temporaryFolder()): Promise<Ledger> {
  emptied ??= makeTables();
  writeFileSync(databaseIn(dataDir), await emptied);
  return openLedger(sqliteDialect(dataDir), now);
}

async function makeTables(): Promise<Buffer> {
  const dataDir = temporaryFolder();
  const ledger = await openLedger(sqliteDialect(dataDir), 0);
  await ledger.close();
  return readFileSync(databaseIn(dataDir));
}

const databaseIn = (dataDir: string) => join(dataDir, 'pigeonhole.sqlite');

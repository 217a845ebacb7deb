import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ledger, openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The database of a ledger that was opened and closed; made once for all tests of a process. */
let emptied: Promise<Buffer> | undefined;

/**
 * Opens an empty ledger on SQLite; the caller closes it. By default its folder is removed with the
 * test. Its tables are copied, because creating them takes longer than most tests.
 */
export async function openEmptyLedger(now: number, dataDir = temporaryFolder()): Promise<Ledger> {
  await putEmptyLedger(dataDir);
  return openLedger(sqliteDialect(dataDir), now);
}

/** Puts the database of an empty ledger into a folder, which is created if missing. */
export async function putEmptyLedger(dataDir: string): Promise<void> {
  emptied ??= makeTables();
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(databaseIn(dataDir), await emptied);
}

async function makeTables(): Promise<Buffer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pigeonhole-'));
  const ledger = await openLedger(sqliteDialect(dataDir), 0);
  await ledger.close();
  const database = readFileSync(databaseIn(dataDir));
  rmSync(dataDir, { recursive: true });
  return database;
}

const databaseIn = (dataDir: string) => join(dataDir, 'pigeonhole.sqlite');

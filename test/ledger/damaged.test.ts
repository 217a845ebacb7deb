import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Ledger, openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { recording } from '../support/builders.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let dataDir: string;
let ledger: Ledger;

const record = (n: number) => ledger.recordShare(recording({ ts: `${n}` }, { now: 1 }));

beforeEach(async () => {
  dataDir = temporaryFolder();
  ledger = await openLedger(sqliteDialect(dataDir), 0);
  for (let n = 1; n <= 30; n += 1) await record(n);
  await ledger.close();
  ledger = await openLedger(sqliteDialect(dataDir), 0);
  await ledger.beginRun(0);
});
afterEach(() => ledger.close());

/** Overwrites the database's file while the process has it open. */
function writeGarbage(): void {
  const path = join(dataDir, 'pigeonhole.sqlite');
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(statSync(path).size, 'garbage '));
  closeSync(file);
}

it('a damaged ledger passes its readiness check until a call meets the damage, then fails it for good', async () => {
  writeGarbage();
  await expect(ledger.check()).resolves.toBeUndefined();
  const damaged = { code: 'LEDGER_CORRUPT', message: expect.stringContaining('from a backup') };
  await expect(record(31)).rejects.toMatchObject(damaged);
  await expect(ledger.check()).rejects.toMatchObject(damaged);
  // Whatever it does not read still works.
  await expect(ledger.endRun(0, 1)).resolves.toBeUndefined();
  await expect(ledger.check()).rejects.toMatchObject(damaged);
});

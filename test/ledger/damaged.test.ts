import { randomBytes } from 'node:crypto';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Ledger, LedgerError, openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { createDamage } from '../../src/ledger/open-ledger.ts';
import { recording } from '../support/shares.ts';
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

/** Over the database's file, under the process that has it open. */
function writeGarbage(): void {
  const path = join(dataDir, 'pigeonhole.sqlite');
  const file = openSync(path, 'r+');
  writeSync(file, randomBytes(statSync(path).size));
  closeSync(file);
}

it('fails the check of readiness once a call met it, though what the check reads is whole', async () => {
  writeGarbage();
  await expect(ledger.check()).resolves.toBeUndefined();
  const damaged = { code: 'LEDGER_CORRUPT', message: expect.stringContaining('from a backup') };
  await expect(record(31)).rejects.toMatchObject(damaged);
  await expect(ledger.check()).rejects.toMatchObject(damaged);
});

it('lets the check pass when each call that met it works again', async () => {
  const away = new Set(['claim', 'record']);
  const { watch, throwIfMet } = createDamage();
  const call = (name: string) =>
    watch(name, async () => {
      if (away.has(name)) throw new LedgerError('LEDGER_CORRUPT', name);
      return name;
    });
  for (const name of away) await expect(call(name)).rejects.toThrow(name);
  away.clear();
  expect(await call('tell')).toBe('tell');
  expect(throwIfMet).toThrow('claim');
  await call('claim');
  expect(throwIfMet).toThrow('record');
  await call('record');
  expect(throwIfMet).not.toThrow();
});

it('takes other failures for what passes', async () => {
  const { watch, throwIfMet } = createDamage();
  const full = new LedgerError('LEDGER_UNAVAILABLE', 'the disk is full');
  await expect(watch('record', () => Promise.reject(full))).rejects.toBe(full);
  expect(throwIfMet).not.toThrow();
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { type Ledger, openLedger, sqliteDialect, type Transfer } from '../../src/ledger/index.ts';

/** When the frozen ledger was written: a transfer in each state, named after it, in one folder. */
const NOW = 1_700_000_000_000;
const FOLDER = { projectId: 1, folderId: 2 };

/** Opens a ledger as a version wrote it. */
async function openFrozen(version: string): Promise<Ledger> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pigeonhole-migrations-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const database = new DatabaseSync(join(dataDir, 'pigeonhole.sqlite'));
  database.exec(readFileSync(new URL(`./ledgers/${version}.sql`, import.meta.url), 'utf8'));
  database.close();
  const ledger = await openLedger(sqliteDialect(dataDir), NOW);
  onTestFinished(() => ledger.close());
  return ledger;
}

async function transfersOf(ledger: Ledger): Promise<Map<string, Transfer>> {
  const shares = Array.from({ length: 11 }, (_, index) => ledger.transfersOfShare(index + 1));
  const transfers = (await Promise.all(shares)).flat();
  return new Map(transfers.map((one) => [one.name.replace('.pdf', ''), one]));
}

it('a ledger of the first version opens with each transfer where it stood', async () => {
  const transfers = await transfersOf(await openFrozen('001'));
  const states = [...transfers].map(([name, { state, refusedIn }]) => [name, state, refusedIn]);
  expect(states).toEqual([
    ['parked', 'parked', null],
    ['recorded', 'recorded', null],
    ['uploaded', 'uploaded', null],
    ['announced', 'uploaded', null],
    ['creating', 'creating', null],
    ['filed', 'filed', null],
    ['deleted', 'deleted', null],
    ['refused-uploaded', 'refused', 'uploaded'],
    ['refused-creating', 'refused', 'creating'],
    ['refused-size', 'refused', 'creating'],
    // It was answered with success: a Retry would have created it again.
    ['refused-taken', 'filed', null],
  ]);
  expect(transfers.get('filed')).toMatchObject({ recordId: 206, attachmentId: 106 });
  expect(transfers.get('refused-taken')).toMatchObject({ recordId: null, problem: null });
});

it('what may have been created by the first version counts as one create', async () => {
  const transfers = await transfersOf(await openFrozen('001'));
  const counted = [...transfers].filter(([, { creates }]) => creates === 1).map(([name]) => name);
  expect(counted).toEqual(expect.arrayContaining(['announced', 'creating', 'refused-creating']));
  for (const name of ['parked', 'recorded', 'uploaded', 'refused-uploaded'])
    expect(transfers.get(name)).toMatchObject({ creates: 0, lastRecord: null });
});

it('what was open keeps its place, and is taken on', async () => {
  const ledger = await openFrozen('001');
  const open = (await ledger.openCreates(FOLDER)).map(({ name }) => name);
  expect(open.sort()).toEqual(['creating.pdf', 'refused-creating.pdf']);
  const due = await ledger.claimTransfer({
    now: NOW + 60_000,
    leaseUntil: NOW + 90_000,
    token: 't',
    afterQueue: 'T1/C04',
  });
  expect(due).toMatchObject({ name: 'creating.pdf', state: 'creating' });
  await ledger.markAbsent({ id: due?.id ?? 0, token: 't' });
  const again = await ledger.markCreating({ id: due?.id ?? 0, token: 't' }, NOW + 60_000);
  expect(again).toMatchObject({ state: 'creating', creates: 2, lastRecord: 207 });
});

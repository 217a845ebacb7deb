import { expect, it } from 'vitest';
import { openLedger, sqliteDialect } from '../../../src/ledger/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { fillLedger } from './fill-ledger.ts';

it('fillLedger leaves a ledger whose due work can be claimed', async () => {
  const dataDir = temporaryFolder();
  await fillLedger(dataDir, { settled: 10, due: 2, now: 1_000 });
  const ledger = await openLedger(sqliteDialect(dataDir), 1_000);
  const lease = { now: 1_000, until: 2_000, token: 'one' };
  expect(await ledger.countActive()).toBe(2);
  expect(await ledger.claimFiling({ ...lease, afterQueue: '', largest: null })).not.toBeNull();
  await ledger.close();
});

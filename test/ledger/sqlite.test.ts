import { expect, it, onTestFinished } from 'vitest';
import { openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { recording } from '../support/shares.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { describeLedger } from './ledger.contract.ts';

describeLedger('SQLite', () => openEmptyLedger(0));

it('openLedger after a crash makes a transfer due at once, and a begun reply when its lease ends', async () => {
  const dataDir = temporaryFolder();
  const crashed = await openLedger(sqliteDialect(dataDir), 0);
  const { shareId } = await crashed.recordShare(recording());
  const lease = { now: 1_000, until: 31_000, token: 't' };
  await crashed.claimFiling({ ...lease, afterQueue: '', largest: null });
  await crashed.claimShare({ now: 3_000, until: 63_000, token: 't' });
  await crashed.beginReply({ table: 'shares', id: shareId, token: 't' });
  await crashed.close();

  const next = await openLedger(sqliteDialect(dataDir), 4_000);
  onTestFinished(() => next.close());
  expect(await next.nextFiling({ largest: null })).toMatchObject({ dueAt: 4_000 });
  expect(await next.nextDue('shares')).toBe(63_000);
});

import { expect, it } from 'vitest';
import { claimRow } from '../../src/ledger/claim-row.ts';
import { recordDeletions } from '../../src/ledger/deletions.ts';
import { nextDue } from '../../src/ledger/jobs.ts';
import { openDatabase } from './open-database.ts';

it('drops a job whose row is gone, and claims the next', async () => {
  const db = await openDatabase();
  for (const fileId of ['F1', 'F2']) await recordDeletions(db, [{ team: 'T1', fileId }], 1_000);
  await db.deleteFrom('deletions').where('what', '=', 'F1').execute();
  const lease = { now: 9_000, until: 60_000, token: 't' };
  expect(await claimRow(db, 'deletion', lease)).toMatchObject({ what: 'F2', attempts: 1 });
  expect(await nextDue(db, 'deletion')).toBe(lease.until);
});

import { expect, it } from 'vitest';
import { claimJob, enqueue } from '../../src/ledger/jobs.ts';
import { recordFound } from '../../src/ledger/record-share.ts';
import { DESTINATION as destination, share } from '../support/builders.ts';
import { openDatabase } from './open-database.ts';

it('recordFound records no further share once its claim is lost between two', async () => {
  let commits = 0;
  const db = await openDatabase((sql) => {
    if (sql === 'commit') commits += 1;
    // The first commit is the report's, the second that of the first share.
    if (commits !== 2 || sql !== 'commit') return;
    void db.updateTable('jobs').set({ leaseToken: 'of another' }).execute();
  });
  commits = 0;
  const channel = { team: 'T1', channel: 'C1' };
  const lease = { now: 1, until: 9_000, token: 'ours' };
  await enqueue(db, { kind: 'catch-up', key: 'T1/C1', dueAt: 0 });
  await claimJob(db, 'catch-up', lease);
  const broken = share({ ts: JSON.parse('null') });
  const shares = [share({ ts: '1.1' }), broken, share({ ts: '1.2' })];
  const found = { channel, reportId: null, shares, destination, now: 1_000 };
  const recorded = recordFound(db, lease, found);
  await expect(recorded).rejects.toMatchObject({ code: 'LEASE_LOST' });
  expect(await db.selectFrom('shares').select('ts').execute()).toEqual([{ ts: '1.1' }]);
});

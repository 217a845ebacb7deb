import { expect, it } from 'vitest';
import { beginBackfill } from '../../src/ledger/backfills.ts';
import { recordShare } from '../../src/ledger/record-share.ts';
import { enqueueMissing } from '../../src/ledger/transfer.ts';
import { setWatched } from '../../src/ledger/watches.ts';
import { recording } from '../support/builders.ts';
import { openDatabase } from './open-database.ts';

it('makes due what is open and has lost its job: a file, a hold, a backfill, a watch', async () => {
  const db = await openDatabase();
  const ref = { team: 'T1', channel: 'C1' };
  await recordShare(db, recording({}, { now: 1 }));
  await setWatched(db, ref, { on: true, now: 1 });
  await beginBackfill(db, ref, { startedBy: 'U1', now: 1 });
  const hold = { scope: 'key', reason: 'SERVICE_UNAUTHORIZED', since: 1 } as const;
  await db.insertInto('holds').values(hold).execute();
  await enqueueMissing(db, 2);
  const jobs = () =>
    db.selectFrom('jobs').select(['kind', 'key']).orderBy('kind').orderBy('key').execute();
  const before = await jobs();
  expect([...new Set(before.map(({ kind }) => kind))]).toEqual([
    'backfill',
    'hold',
    'message',
    'upload',
    'watch',
  ]);
  expect(await enqueueMissing(db, 3)).toBe(0);
  await db.deleteFrom('jobs').where('kind', '<>', 'message').execute();
  expect(await enqueueMissing(db, 4)).toBe(4);
  expect(await jobs()).toEqual(before);
});

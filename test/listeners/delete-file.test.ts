import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { settleOpenCreates } from '../../src/listeners/delete-file.ts';
import type { FileRecord } from '../../src/service/index.ts';
import { createNext } from '../support/claim-next.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { fileRecord } from '../support/file-record.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { recording } from '../support/shares.ts';

const clock = createFakeClock();
const destination = { projectId: 1, folderId: 2 };
const record = fileRecord({ id: 70, createdAt: clock.now(), creatorId: 7 });

let ledger: Ledger;
let shareId: number;
beforeEach(async () => {
  const now = clock.now();
  ledger = await openEmptyLedger(now);
  shareId = (await ledger.recordShare(recording({}, { now }))).shareId;
  await createNext(ledger, { now, token: 't' });
});
afterEach(() => ledger.close());

const settle = (changes: Partial<FileRecord>, creators = new Set([7])) =>
  settleOpenCreates(destination, { record: { ...record, ...changes }, creators }, context());
const context = () => ({ ledger, clock, logger: silentLogger });

describe('a create without an answer', () => {
  it('is settled by the record that it left', async () => {
    await settle({});
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([
      { state: 'filed', recordId: 70 },
    ]);
  });

  it('is not settled by another’s record where only our records elsewhere tell whose that is', async () => {
    const now = clock.now();
    const other = recording(
      { ts: '1700000001.000100' },
      { now, destination: { ...destination, folderId: 3 } },
    );
    await ledger.recordShare(other);
    const claim = await createNext(ledger, { now, token: 'u' });
    await ledger.markFiled(claim, { recordId: 71, recordCreator: 7, now });
    await settle({ creatorId: 8 }, new Set());
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'creating' }]);
    // The key has become another user's since it was sent.
    await settle({}, new Set([9]));
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'filed' }]);
  });

  it.each<[string, Partial<FileRecord>]>([
    ['another name', { name: 'file-70.pdf' }],
    ['an earlier time, by one clock', { createdAt: clock.now() - 10 * 60_000 }],
  ])('is sent no more once a record of %s is deleted: people look', async (_what, changes) => {
    await settle(changes);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([
      { state: 'refused', refusedIn: 'creating', problem: 'RECORD_UNCLEAR', dueAt: null },
    ]);
  });

  it.each<[string, Partial<FileRecord>]>([
    ['another size', { byteSize: 11 }],
    ['another creator', { creatorId: 8 }],
  ])('stays open whatever becomes of a record of %s', async (_what, changes) => {
    await settle(changes);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'creating' }]);
  });
});

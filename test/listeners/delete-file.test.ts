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
  it('is marked as filed with the record that it left', async () => {
    await settle({});
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([
      { state: 'filed', recordId: 70 },
    ]);
  });

  it('is settled only by a record of a creator that the list or the ledger knows', async () => {
    const now = clock.now();
    const other = recording(
      { ts: '1700000001.000100' },
      { now, destination: { ...destination, folderId: 3 } },
    );
    await ledger.recordShare(other);
    const claim = await createNext(ledger, { now, token: 'u' });
    await ledger.markFiled({ claim, recordId: 71, recordCreator: 7, now });
    await settle({ creatorId: 8 }, new Set());
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'creating' }]);
    // The key may belong to another user by now: the list names creator 9, the ledger still 7.
    await settle({}, new Set([9]));
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'filed' }]);
  });

  it.each<[string, Partial<FileRecord>]>([
    ['another name', { name: 'file-70.pdf' }],
    ['a creation time before the create', { createdAt: clock.now() - 10 * 60_000 }],
  ])('is refused as RECORD_UNCLEAR before a record with %s is deleted', async (_what, changes) => {
    await settle(changes);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([
      { state: 'refused', refusedIn: 'creating', problem: 'RECORD_UNCLEAR', dueAt: null },
    ]);
  });

  it.each<[string, Partial<FileRecord>]>([
    ['another size', { byteSize: 11 }],
    ['another creator', { creatorId: 8 }],
  ])('stays open when a record with %s is deleted', async (_what, changes) => {
    await settle(changes);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'creating' }]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import { settleOpenCreate } from '../../src/listeners/delete-file.ts';
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
  settleOpenCreate(destination, { record: { ...record, ...changes }, creators }, { ledger, clock });

describe('a create without an answer', () => {
  it('is settled by the record that it left', async () => {
    await settle({});
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([
      { state: 'filed', recordId: 70 },
    ]);
  });

  it.each<[string, Partial<FileRecord>]>([
    ['another name', { name: 'other.pdf' }],
    ['another size', { byteSize: 11 }],
    ['an earlier time', { createdAt: clock.now() - 10 * 60_000 }],
    ['another creator', { creatorId: 8 }],
  ])('is not settled by a record of %s', async (_what, changes) => {
    await settle(changes);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'creating' }]);
  });
});

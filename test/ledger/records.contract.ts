import { describe, expect, it } from 'vitest';
import { CLOCKS_APART_MS } from '../../src/core/index.ts';
import { fileRecord, sharedFile } from '../support/builders.ts';
import { destination, elsewhere, type LedgerUnderTest, upload } from './ledger-under-test.ts';

/** Contract for every dialect: file records and their transfers. */
export function describeRecords(under: LedgerUnderTest): void {
  const { ledger, record, hold, announce, claimLook, endFolder, held, refuseCreating } = under;
  const asFiled = { name: 'report.pdf', byteSize: upload.byteSize, state: 'filed' };
  describe('a file record', () => {
    it('is never given to two transfers', async () => {
      await record();
      await record({ ts: '2', files: [sharedFile({ name: 'b.pdf' })] });
      for (const token of ['a', 'b']) {
        const c = await hold({ token });
        await ledger.markUploaded(c, upload);
        await announce(c, 2_000);
        const filed = ledger.markFiled({ claim: c, recordId: 70, now: 3_000 });
        if (token === 'a') await filed;
        else await expect(filed).rejects.toMatchObject({ code: 'LEDGER_CONFLICT' });
        await endFolder(c, 3_000);
      }
      expect((await ledger.everFiledAs(destination, [70])).get(70)).toMatchObject(asFiled);
    });

    it('gives its number to another file once it is deleted, or that file shows that it is', async () => {
      const name = (nth: number) => `${nth}.pdf`;
      for (const nth of [0, 1, 2]) {
        await record({ ts: `${nth}`, files: [sharedFile({ id: `F${nth}`, name: name(nth) })] });
        const c = await hold({ token: `t${nth}` });
        await ledger.markUploaded(c, upload);
        await announce(c, 2_000);
        const holder = (await ledger.everFiledAs(destination, [70])).get(70);
        if (nth === 1 && holder)
          await ledger.markDeleted(holder.transferId, { deletedBy: null, now: 1 });
        if (nth === 2) {
          const own = { name: name(2), byteSize: upload.byteSize };
          const free = (shown: string) =>
            ledger.freeRecord(destination, {
              ...{ record: { id: 70, name: shown, byteSize: upload.byteSize }, own, now: 2_500 },
            });
          expect([await free(name(1)), await free('renamed.pdf')]).toEqual([false, false]);
          expect(await free(name(2))).toBe(true);
        }
        await ledger.markFiled({ claim: c, recordId: 70, now: 3_000 });
        await endFolder(c, 3_000);
        expect(await ledger.everFiledAs(destination, [70])).toMatchObject(
          new Map([[70, { name: name(nth), state: 'filed' }]]),
        );
      }
      expect((await ledger.everFiledAs(destination, [70])).get(70)).toMatchObject({
        name: name(2),
      });
    });

    it('is returned by recordsOfChannels only for the channels that shared it', async () => {
      const { claim: c } = await held();
      await ledger.markUploaded(c, upload);
      await announce(c, 2_000);
      const of = (...channels: string[]) =>
        ledger.recordsOfChannels({ team: 'T1', channels }, destination);
      expect(await of('C1')).toEqual(new Map());
      const recordName = 'file-7.pdf';
      await ledger.markFiled({ claim: c, recordId: 70, recordName, now: 3_000 });
      const named = { name: 'report.pdf', recordName, byteSize: upload.byteSize };
      const filed = new Map([[70, named]]);
      expect(await of('C1')).toEqual(filed);
      expect(await of('C2')).toEqual(new Map());
      expect(await of('C2', 'C1')).toEqual(filed);
      const elsewhere = { ...destination, folderId: destination.folderId + 1 };
      const shared = { team: 'T1', channels: ['C1'] };
      expect(await ledger.recordsOfChannels(shared, elsewhere)).toEqual(new Map());
      await ledger.markDeleted(c.id, { deletedBy: 'U9', now: 4_000 });
      expect(await of('C1')).toEqual(new Map());
    });

    it('is put back once, however often that is asked, and only after it was deleted', async () => {
      const { claim: c } = await held();
      await ledger.markUploaded(c, upload);
      await announce(c, 2_000);
      await ledger.markFiled({ claim: c, recordId: 70, now: 3_000 });
      await endFolder(c, 3_000);
      expect(await ledger.putBack([c.id], 3_500)).toBe(0);
      await ledger.markDeleted(c.id, { deletedBy: 'U9', now: 4_000 });
      const own = { name: 'report.pdf', byteSize: upload.byteSize };
      const known = (await ledger.everFiledAs(destination, [70])).get(70);
      const share = known?.shareId ?? 0;
      expect(await ledger.transfersOfShare(share)).toMatchObject([
        { state: 'deleted', deletedBy: 'U9', deletedAt: 4_000 },
      ]);
      const times = await Promise.all([1, 2, 3].map(() => ledger.putBack([c.id], 5_000)));
      expect(times.toSorted()).toEqual([0, 0, 1]);
      expect(await ledger.transfersOfShare(share)).toMatchObject([
        { state: 'recorded', recordId: null, deletedBy: null, deletedAt: null, attachmentId: null },
      ]);
      expect(await ledger.everFiledAs(destination, [70, 71])).toEqual(new Map());
      const again = await hold({ token: 'again', now: 5_000 });
      await ledger.markUploaded(again, upload);
      await announce(again, 6_000);
      // A list may still show the deleted one, which is not what this create leaves.
      expect(await ledger.openCreates(destination)).toMatchObject([{ lastRecord: 70 }]);
      await ledger.markFiled({ claim: again, recordId: 71, now: 7_000 });
      expect((await ledger.everFiledAs(destination, [71])).get(71)).toMatchObject(own);
    });

    it('is found by filedRecords while it is what was filed, and by everFiledAs for ever', async () => {
      const { claim: c } = await held();
      await ledger.markUploaded(c, upload);
      await announce(c, 2_000);
      await ledger.markFiled({ claim: c, recordId: 70, recordCreator: 7, now: 3_000 });
      const own = { id: 70, name: 'report.pdf', byteSize: upload.byteSize };
      const found = async (record: typeof own) => [
        ...(await ledger.filedRecords(destination, [record])).keys(),
      ];
      expect(await found(own)).toEqual([70]);
      expect(await found({ ...own, name: 'Report (1).pdf' })).toEqual([70]);
      expect(await found({ ...own, id: 71 })).toEqual([]);
      expect(await found({ ...own, name: 'other.pdf' })).toEqual([]);
      expect(await found({ ...own, byteSize: upload.byteSize + 1 })).toEqual([]);
      await ledger.markDeleted(c.id, { deletedBy: 'U9', now: 4_000 });
      expect(await found(own)).toEqual([]);
      expect((await ledger.everFiledAs(destination, [70, 71])).get(70)).toMatchObject({
        ...{ transferId: c.id, state: 'deleted', name: 'report.pdf', byteSize: upload.byteSize },
        ...{ channel: 'C1', recordCreator: 7 },
      });
    });

    it('is found by filedRecords among more identifiers than one statement takes', async () => {
      const { claim: c } = await held();
      await ledger.markUploaded(c, upload);
      await announce(c, 2_000);
      await ledger.markFiled({ claim: c, recordId: 40_000, now: 3_000 });
      const { byteSize } = upload;
      const ids = Array.from({ length: 40_000 }, (_, nth) => nth + 1);
      const records = ids.map((id) => ({ id, name: 'report.pdf', byteSize }));
      const found = await ledger.filedRecords(destination, records);
      expect([...found.keys()]).toEqual([40_000]);
      expect(await ledger.filedRecords(destination, [])).toEqual(new Map());
    });

    it('is returned by begunDeletes from beginDelete until it is marked as deleted', async () => {
      const { shareId, claim: c } = await held();
      await ledger.markUploaded(c, upload);
      await announce(c, 2_000);
      await ledger.markFiled({ claim: c, recordId: 70, now: 3_000 });
      const begun = async (folder = destination, least = 0) =>
        (await ledger.begunDeletes(folder, least)).map(({ id, ...one }) => Object.values(one));
      expect(await begun()).toEqual([]);
      const byNine = { deletedBy: 'U9', now: 3_500 };
      for (const id of [c.id, c.id + 1]) await ledger.beginDelete(id, byNine);
      expect(await begun()).toEqual([[70, 'U9', 3_500]]);
      expect(await begun(elsewhere)).toEqual([]);
      expect(await begun(destination, 71)).toEqual([]);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'filed' }]);
      await ledger.markDeleted(c.id, { deletedBy: null, now: 4_000 });
      await ledger.beginDelete(c.id, byNine);
      expect(await begun()).toEqual([]);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ deletedBy: null }]);
    });

    it('adds its creator, if that is known, to knownCreators', async () => {
      const file = async (ts: string, filed: { recordId: number; recordCreator?: number }) => {
        await record({ ts, files: [sharedFile({ name: `${ts}.pdf` })] });
        const c = await hold();
        await ledger.markUploaded(c, upload);
        await announce(c, 2_000);
        await ledger.markFiled({ claim: c, ...filed, now: 3_000 });
        await endFolder(c, 3_000);
      };
      expect(await ledger.knownCreators()).toEqual(new Set());
      await file('1', { recordId: 70 });
      expect(await ledger.knownCreators()).toEqual(new Set());
      await file('2', { recordId: 71, recordCreator: 7 });
      await file('3', { recordId: 72, recordCreator: 8 });
      await file('4', { recordId: 73 });
      expect(await ledger.knownCreators()).toEqual(new Set([7, 8]));
    });

    it('settles an open create, whoever holds its claim', async () => {
      const { shareId, claim: c } = await held();
      await ledger.markUploaded(c, upload);
      expect(await ledger.openCreates(destination)).toEqual([]);
      await announce(c, 2_000);
      expect(await ledger.openCreates(elsewhere)).toEqual([]);
      expect(await ledger.openCreates(destination)).toMatchObject([{ id: c.id }]);
      const recordUrl = 'https://files.example/70';
      await ledger.markFound(c.id, { recordId: 70, recordUrl, now: 3_000 });
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'filed', recordId: 70, recordUrl, isClaimed: false },
      ]);
      const late = ledger.markFiled({ claim: c, recordId: 71, now: 4_000 });
      await expect(late).rejects.toMatchObject({ code: 'LEASE_LOST' });
    });

    it('can be unclear: markUnclear refuses its open create, whoever holds that', async () => {
      const { shareId, claim: c } = await held();
      await ledger.markUploaded(c, upload);
      const problem = { code: 'RECORD_UNCLEAR' as const, note: null };
      expect(await ledger.markUnclear(c.id, { problem, now: 1_500 })).toBeNull();
      await announce(c, 2_000);
      const message = await ledger.markUnclear(c.id, { problem, now: 3_000 });
      expect(message).toMatchObject({ team: 'T1', channel: 'C1' });
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'refused', refusedIn: 'creating', problem: 'RECORD_UNCLEAR', isClaimed: false },
      ]);
      const late = ledger.markFiled({ claim: c, recordId: 71, now: 4_000 });
      await expect(late).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(await ledger.markUnclear(c.id, { problem, now: 5_000 })).toBeNull();
    });

    it('is returned by everFiledAs once openCreates no longer returns its transfer', async () => {
      const { claim: c } = await held();
      await ledger.markUploaded(c, upload);
      await announce(c, 2_000);
      expect(await ledger.openCreates(destination)).toMatchObject([{ id: c.id }]);
      expect(await ledger.everFiledAs(destination, [70])).toEqual(new Map());
      await ledger.markFiled({ claim: c, recordId: 70, now: 3_000 });
      expect(await ledger.openCreates(destination)).toEqual([]);
      expect((await ledger.everFiledAs(destination, [70])).get(70)).toMatchObject(asFiled);
      expect(await ledger.everFiledAs(elsewhere, [70])).toEqual(new Map());
      await ledger.markDeleted(c.id, { deletedBy: 'U9', now: 4_000 });
      const deleted = { ...asFiled, state: 'deleted' };
      expect((await ledger.everFiledAs(destination, [70])).get(70)).toMatchObject(deleted);
    });

    it('may be an open create’s own by number or by time, and by size, if no transfer holds it', async () => {
      const { claim: c } = await held();
      await ledger.markUploaded(c, upload);
      await announce(c, 2_000);
      await ledger.markFiled({ claim: c, recordId: 9, now: 3_000 });
      const { byteSize } = upload;
      const file = (id: number, fields: Partial<ReturnType<typeof fileRecord>> = {}) =>
        fileRecord({ id, name: `scan ${id}.pdf`, byteSize, createdAt: 1_000, ...fields });
      const late = CLOCKS_APART_MS + 100_000;
      const records = [
        ...[file(1), file(2, { createdAt: late }), file(3, { createdAt: null }), file(4), file(5)],
        ...[file(6, { byteSize: 20 }), file(7, { byteSize: null }), file(8)],
        file(9, { name: asFiled.name }),
      ];
      const { id, counter: asked } = await ledger.beginReading(destination, 1_000);
      await ledger.applyListed(id, { records, asked });
      const sent = { uploadedAt: null, answeredAt: null, serviceTime: null };
      const among = async (lastRecord: number | null, creatingSince: number) => {
        const open = [{ ...sent, name: 'plan.pdf', byteSize, lastRecord, creatingSince }];
        return (await ledger.unheldRecords(destination, { id, open })).map((one) => one.id);
      };
      expect(await among(4, late)).toEqual([8, 7, 5, 3, 2]);
      expect(await among(8, late + 400_000)).toEqual([3]);
      expect(await among(null, late)).toEqual([8, 7, 5, 4, 3, 2, 1]);
      expect(await ledger.unheldRecords(destination, { id, open: [] })).toEqual([]);
    });

    it('is unknown for a filed transfer that openCreates returns', async () => {
      const { claim: c } = await held();
      await ledger.markUploaded(c, upload);
      await announce(c, 2_000);
      await ledger.markCreated(c, 2_500);
      await endFolder(c, 2_500);
      expect(await claimLook(c, 2_500)).toMatchObject([{ id: c.id }]);
      await ledger.markFiled({ claim: c, recordId: null, now: 3_000 });
      expect(await ledger.openCreates(destination)).toMatchObject([
        { id: c.id, state: 'filed', recordId: null },
      ]);
      expect(await ledger.openCreates(elsewhere)).toEqual([]);
    });

    it('settles one refused create that may be in the folder, once', async () => {
      const { shareId } = await record();
      await refuseCreating('a', 'SERVICE_FORBIDDEN');
      const [refused] = await ledger.openCreates(destination);
      for (const recordId of [70, 71])
        await ledger.markFound(refused?.id ?? 0, { recordId, now: 4_000 });
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'filed', recordId: 70, refusedIn: null, problem: null },
      ]);
    });
  });
}

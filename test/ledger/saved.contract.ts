import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/base/index.ts';
import { DESTINATION, share, sharedFile } from '../support/builders.ts';
import { notifyNext } from '../support/claim-next.ts';
import { claim, elsewhere, type LedgerUnderTest, upload } from './ledger-under-test.ts';

const saved = { origin: 'saved' as const, savedBy: 'U9' };

/** Contract for every dialect: files that people save to a folder by hand. */
export function describeSaved(under: LedgerUnderTest): void {
  const { ledger, record, claimNext, hold, announce, endFolder } = under;
  const { nextDueAt, states, refuseCreating } = under;
  const refuseUploaded = async (token: string, code: ErrorCode) => {
    const held = await hold({ token });
    await ledger.markUploaded(held, upload);
    await announce(held, 2_000);
    await ledger.markAbsent(held);
    await ledger.markRefused(held, { problem: { code, note: null }, now: 3_000 });
    await endFolder(held, 3_000);
  };
  const message = { team: 'T1', channel: 'C1', ts: '1700000000.000100' };
  const [own] = [{ team: 'T1', channel: 'C1' }];

  describe('a saved file', () => {
    it('is recorded once per folder, as a share beside that of its message', async () => {
      const first = await record({}, { destination: null });
      const second = await record({}, { ...saved, destination: elsewhere });
      expect(second).toMatchObject({ transfers: 1 });
      const none = { transfers: 0, firstParkedId: null };
      expect(await record({}, { ...saved, destination: elsewhere })).toEqual({
        ...second,
        ...none,
      });
      expect(await record({}, { ...saved })).toMatchObject({ transfers: 1 });
      expect(await record({}, { destination: null })).toEqual({ ...first, ...none });
      expect(await ledger.sharesOf(message)).toMatchObject([
        { id: first.shareId, savedTo: '', savedBy: null },
        { id: second.shareId, savedTo: '1/3', savedBy: 'U9' },
        { savedTo: '1/2', savedBy: 'U9' },
      ]);
    });

    it('does not make its message known, so a catch-up still finds that message', async () => {
      await record({}, { ...saved });
      const unknown = () => ledger.unknownFiles(own, [share()]);
      expect(await unknown()).toEqual([share()]);
      await record();
      expect(await unknown()).toEqual([]);
      const held = await claimNext(claim);
      expect(held).toMatchObject({ queue: 'T1/C1' });
      await ledger.dropTransfer({ id: held?.id ?? 0, token: claim.token }, 2_000);
      expect(await unknown()).toEqual([]);
    });

    it('does not make a file known that an edit added to its message', async () => {
      const files = [sharedFile(), sharedFile({ id: 'F2' })];
      await record();
      await record({ files }, { ...saved, destination: elsewhere });
      const added = share({ files: files.slice(1) });
      expect(await ledger.unknownFiles(own, [share({ files })])).toEqual([added]);
    });

    it('stays known to its message after its copy is deleted, but can be saved again', async () => {
      const file = async () => {
        const held = await hold({ token: 'a' });
        await ledger.markUploaded(held, upload);
        await announce(held, 2_000);
        await ledger.markFiled({ claim: held, recordId: held.id, now: 2_000 });
        await endFolder(held, 2_000);
        return held.id;
      };
      const remove = (id: number) => ledger.markDeleted(id, { deletedBy: 'U9', now: 3_000 });
      await record({}, { ...saved });
      const copy = await file();
      await record();
      await ledger.dropTransfer(await hold(), 2_000);
      await remove(copy);
      expect(await record()).toMatchObject({ transfers: 0 });
      expect(await ledger.unknownFiles(own, [share()])).toEqual([]);
      expect(await nextDueAt()).toBeNull();
      await record({ ts: '2' });
      const other = await file();
      await record({ ts: '2' }, { ...saved });
      await ledger.dropTransfer(await hold(), 2_000);
      await remove(other);
      expect(await record({ ts: '2' }, { ...saved })).toMatchObject({ transfers: 1 });
    });

    it('is neither moved nor parked with the folder of its channel', async () => {
      const { shareId } = await record({}, { ...saved });
      await refuseCreating('a', 'DESTINATION_GONE');
      await ledger.retryShare(shareId, { to: elsewhere, now: 2_000 });
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ destination: DESTINATION }]);
      const other = await record({ ts: '2' }, { ...saved });
      const from = { from: DESTINATION, to: elsewhere, now: 3_000 };
      expect(await ledger.moveWaiting(own, from)).toBe(0);
      expect(await ledger.parkWaiting(own, { from: DESTINATION, now: 3_000 })).toBe(0);
      expect(await states(other.shareId)).toEqual(['recorded']);
    });

    it('is remembered by lastSavedTo for its person, by savedFolders for its channel', async () => {
      const asker = { team: 'T1', userId: 'U9' };
      expect(await ledger.lastSavedTo(asker)).toBeNull();
      await record({}, { ...saved, destination: elsewhere });
      await record({ ts: '2', channel: 'C2' }, { ...saved });
      await record({ ts: '3' }, { ...saved, savedBy: 'U8', destination: elsewhere });
      await record({ ts: '4' });
      expect(await ledger.lastSavedTo(asker)).toEqual(DESTINATION);
      expect(await ledger.lastSavedTo({ team: 'T2', userId: 'U9' })).toBeNull();
      expect(await ledger.savedFolders('T1', ['C1', 'C2', 'C3'])).toEqual([
        { channel: 'C1', ...elsewhere },
        { channel: 'C2', ...DESTINATION },
      ]);
    });

    it('is returned by sameFiles for the same file of its message and folder', async () => {
      const files = [sharedFile(), sharedFile({ id: 'F2' })];
      await record({ files }, { ...saved });
      await record({ files: [sharedFile()], ts: '2' });
      await record({ files }, { ...saved, destination: elsewhere });
      const { shareId } = await record();
      const held = await claimNext({ ...claim, afterQueue: 'T1/C1' });
      expect(held).toMatchObject({ queue: 'T1/C1/saved' });
      await ledger.markUploaded({ id: held?.id ?? 0, token: claim.token }, upload);
      const [transfer] = await ledger.transfersOfShare(shareId);
      const same = transfer && (await ledger.sameFiles(transfer));
      expect(same).toMatchObject([{ state: 'uploaded', refusedIn: null, isClaimed: false }]);
    });

    it('is uploaded again when a refused attachment is retried, unlike a shared file', async () => {
      const { shareId } = await record({}, { ...saved });
      await refuseUploaded('a', 'SERVICE_FORBIDDEN');
      const other = await record({ ts: '2' });
      await refuseUploaded('b', 'SERVICE_FORBIDDEN');
      for (const id of [shareId, other.shareId])
        expect(await ledger.retryShare(id, { now: 4_000 })).toBe(1);
      expect(await states(shareId)).toEqual(['recorded']);
      expect(await states(other.shareId)).toEqual(['uploaded']);
    });

    it('is retried together with the identical file that it waits for', async () => {
      const { shareId } = await record();
      await refuseCreating('a', 'RECORD_UNSEEN');
      const waits = await record({}, { ...saved });
      const held = await hold({ token: 'b' });
      const problem = { code: 'LEDGER_CONFLICT' as const, note: null };
      await ledger.markRefused(held, { problem, now: 3_000 });
      expect(await ledger.retryShare(waits.shareId, { now: 4_000 })).toBe(2);
      expect(await states(shareId)).toEqual(['creating']);
      expect(await states(waits.shareId)).toEqual(['recorded']);
    });

    it('is removed by dropTransfer under its claim, unless a create may have been sent', async () => {
      const { shareId } = await record();
      const own = await hold();
      await expect(ledger.dropTransfer({ ...own, token: 'x' }, 2_000)).rejects.toMatchObject({
        code: 'LEASE_LOST',
      });
      await ledger.dropTransfer(own, 2_000);
      expect(await states(shareId)).toEqual([]);
      await expect(ledger.dropTransfer(own, 2_000)).rejects.toMatchObject({ code: 'LEASE_LOST' });
      const sent = await record({ ts: '2' });
      const begun = await hold();
      await ledger.markUploaded(begun, upload);
      await announce(begun, 2_000);
      await expect(ledger.dropTransfer(begun, 2_000)).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(await states(sent.shareId)).toEqual(['creating']);
    });

    it('keeps the place where its reply was posted', async () => {
      const { shareId } = await record({}, { ...saved });
      await notifyNext(ledger, { replyChannel: 'D9', replyTs: '7' }, 2_000);
      expect(await ledger.findShareById(shareId)).toMatchObject({
        replyChannel: 'D9',
        replyTs: '7',
      });
    });
  });
}

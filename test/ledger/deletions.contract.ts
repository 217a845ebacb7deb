import { describe, expect, it } from 'vitest';
import { sharedFile } from '../support/builders.ts';
import { holdRow, notifyNext } from '../support/claim-next.ts';
import { claim, destination, type LedgerUnderTest, upload } from './ledger-under-test.ts';

/** Contract for every dialect: files and messages that were deleted in Slack. */
export function describeDeletions(under: LedgerUnderTest): void {
  const { ledger, record, claimNext, announce, refuseCreating } = under;
  describe('a file that was deleted in Slack', () => {
    const message = { team: 'T1', channel: 'C1', ts: '1700000000.000100' };
    const lease = { now: 9_000, until: 60_000, token: 'd' };
    const states = async (shareId: number) =>
      (await ledger.transfersOfShare(shareId)).map(({ state, problem }) => [state, problem]);
    const LEFT_IN_SLACK = ['refused', 'SLACK_FILE_DELETED'];

    it('is refused at once when its message is deleted, only in that workspace', async () => {
      const files = [sharedFile(), sharedFile({ id: 'F2' })];
      const { shareId } = await record({ files });
      await ledger.recordDeletions([{ team: 'T2', fileId: 'F1' }], 2_000);
      await ledger.recordDeletions([{ ...message, channel: 'C2' }], 2_000);
      expect(await states(shareId)).toEqual([
        ['recorded', null],
        ['recorded', null],
      ]);
      await ledger.recordDeletions([message], 2_000);
      expect(await states(shareId)).toEqual([LEFT_IN_SLACK, LEFT_IN_SLACK]);
      expect(await claimNext(claim)).toBeNull();
    });

    it('is refused when it is known to be deleted itself, whatever becomes of its message', async () => {
      const files = [sharedFile(), sharedFile({ id: 'F2' })];
      const { shareId } = await record({ files });
      await ledger.recordDeletions([{ team: 'T1', fileId: 'F2' }], 2_000);
      const waiting = ['recorded', null];
      expect(await states(shareId)).toEqual([waiting, waiting]);
      await ledger.refuseDeleted([{ team: 'T1', what: 'F2' }], 2_000);
      expect(await states(shareId)).toEqual([waiting, LEFT_IN_SLACK]);
    });

    it('is refused when it is attached to an email that is known to be deleted', async () => {
      const digits = '0123456789abcdef';
      const ids = ['F2', `F2#${digits}`, `F22#${digits}`, 'F2#0123', `F1#${digits}`];
      const { shareId } = await record({ files: ids.map((id) => sharedFile({ id })) });
      const email = { team: 'T1', what: 'F2' };
      await ledger.recordDeletions([{ team: 'T1', fileId: 'F2' }], 2_000);
      const deleted = await ledger.deletedFiles(email);
      expect(deleted.map(({ transfer }) => transfer.slackFileId)).toEqual(ids.slice(0, 2));
      await ledger.refuseDeleted([email], 2_000);
      const waiting = ['recorded', null];
      expect(await states(shareId)).toEqual([
        ...[LEFT_IN_SLACK, LEFT_IN_SLACK],
        ...[waiting, waiting, waiting],
      ]);
    });

    it('has its email’s deletion due at once when it is recorded later', async () => {
      await record({ files: [sharedFile({ id: 'F2' })] });
      await ledger.recordDeletions([{ team: 'T1', fileId: 'F2' }], 500);
      const held = await holdRow(ledger, 'deletion', lease);
      await ledger.endJob(held, { dueAt: null });
      expect(await ledger.nextDue('deletion')).toBeNull();
      await record({ files: [sharedFile({ id: 'F2#0123456789abcdef' })] });
      expect(await ledger.nextDue('deletion')).toBeLessThan(9_000);
    });

    it('has its deletion due at once when its share is recorded later', async () => {
      await ledger.recordDeletions([{ team: 'T1', fileId: 'F1' }], 500);
      const held = await holdRow(ledger, 'deletion', lease);
      await ledger.endJob(held, { dueAt: 99_000 });
      const { shareId } = await record();
      expect(await states(shareId)).toEqual([['recorded', null]]);
      expect(await ledger.nextDue('deletion')).toBeLessThan(9_000);
    });

    it('is refused when its share is recorded after the message was deleted, with a folder or not', async () => {
      await ledger.recordDeletions([message], 500);
      await ledger.recordDeletions([{ ...message, ts: '2' }], 500);
      const first = await record();
      const parked = await record({ ts: '2' }, { destination: null });
      const other = await record({ ts: '3' });
      expect(await states(first.shareId)).toEqual([LEFT_IN_SLACK]);
      expect(await states(parked.shareId)).toEqual([LEFT_IN_SLACK]);
      expect(await states(other.shareId)).toEqual([['recorded', null]]);
    });

    it('is not filed when its channel gets a folder, nor by a retry without one', async () => {
      const { shareId } = await record({}, { destination: null });
      await ledger.recordDeletions([message], 2_000);
      expect(await ledger.fileParked(message, { destination, now: 3_000 })).toBe(0);
      expect(await ledger.retryShare(shareId, { now: 3_000 })).toBe(0);
      expect(await claimNext(claim)).toBeNull();
    });

    it('stays refused when it is retried or skipped, with the same folder or another', async () => {
      const elsewhere = { ...destination, folderId: 9 };
      for (const ts of ['1', '2']) {
        const { shareId } = await record({ ts }, ts === '1' ? {} : { destination: null });
        await ledger.recordDeletions([{ ...message, ts }], 2_000);
        expect(await ledger.retryShare(shareId, { to: elsewhere, now: 3_000 })).toBe(0);
        expect(await states(shareId)).toEqual([LEFT_IN_SLACK]);
      }
      expect(await ledger.listTroubles({ team: 'T1', userId: 'U1' })).toEqual([]);
      expect(await ledger.troubledShares(message)).toEqual([]);
      expect(await ledger.leaveTroubled(message, { parkedToo: true, now: 4_000 })).toBe(0);
      expect(await ledger.fileParked(message, { destination, now: 5_000 })).toBe(0);
      expect(await claimNext({ ...claim, now: 5_000, until: 50_000 })).toBeNull();
    });

    it('is refused, and its deletion due again, when retried out of a folder that is gone', async () => {
      const { shareId } = await record();
      await refuseCreating('a', 'DESTINATION_GONE');
      await ledger.recordDeletions([message], 2_000);
      const held = await holdRow(ledger, 'deletion', lease);
      await ledger.retryShare(shareId, { to: { ...destination, folderId: 9 }, now: 9_500 });
      expect(await states(shareId)).toEqual([LEFT_IN_SLACK]);
      await ledger.endJob(held, { dueAt: null });
      expect(await ledger.nextDue('deletion')).toBe(9_500);
    });

    it('makes its line due if it was skipped there, and no line if nothing was said of it', async () => {
      const files = [sharedFile(), sharedFile({ id: 'F2' })];
      const { shareId } = await record({ files });
      const parked = await record({ ts: '2' }, { destination: null });
      await ledger.parkWaiting(message, { from: destination, now: 2_000 });
      await notifyNext(ledger, { ts: '9', fingerprint: 'skipped' }, 2_000);
      expect(await ledger.nextDue('message')).toBeNull();
      await ledger.refuseDeleted([{ team: 'T1', what: 'F1' }], 4_000);
      expect(await states(parked.shareId)).toEqual([LEFT_IN_SLACK]);
      const due = { now: 4_000, until: 60_000, token: 's' };
      expect(await ledger.claimMessage(due)).toMatchObject({ about: shareId });
      expect(await ledger.claimMessage(due)).toBeUndefined();
    });

    it('makes its line due also if that says for the first time that it was skipped just then', async () => {
      const { shareId } = await record();
      await ledger.parkWaiting(message, { from: destination, now: 2_000 });
      await ledger.claimMessage({ now: 2_000, until: 60_000, token: 's' });
      await ledger.refuseDeleted([{ team: 'T1', what: 'F1' }], 3_000);
      const said = { token: 's', againAt: null, failed: false, now: 4_000 };
      const done = { ts: '9', fingerprint: 'skipped' };
      await ledger.endMessage({ kind: 'share', about: shareId }, { ...said, done });
      expect(await ledger.nextDue('message')).toBe(3_000);
    });

    it('is left to the job that holds it, and its deletion stays due until it is handled', async () => {
      const { shareId } = await record();
      await claimNext(claim);
      await ledger.recordDeletions([message], 2_000);
      expect(await states(shareId)).toEqual([['recorded', null]]);
      expect(await ledger.nextDue('deletion')).toBe(3_000);
      const held = await holdRow(ledger, 'deletion', lease);
      expect(await ledger.claimRow('deletion', { ...lease, token: 'e' })).toBeUndefined();
      expect(await ledger.deletedFiles(held)).toMatchObject([
        { transfer: { shareId, name: 'report.pdf' }, message, withMessage: true },
      ]);
      await ledger.endJob(held, { dueAt: null });
      await ledger.recordDeletions([message], 9_000);
      expect(await ledger.nextDue('deletion')).toBeNull();
    });

    it('has its deletion forgotten only while no share of it is known, and under its claim', async () => {
      const deleted = { team: 'T1', fileId: 'F1' };
      await ledger.recordDeletions([message, deleted, { team: 'T1', fileId: 'F9' }], 500);
      const rows = await Promise.all(
        ['a', 'b', 'c'].map((token) => holdRow(ledger, 'deletion', { ...lease, token })),
      );
      await record();
      for (const row of rows) {
        await ledger.withdrawDeletion({ ...row, token: 'lost' }, row);
        await ledger.withdrawDeletion(row, row);
        await ledger.endJob(row, { dueAt: 9_500 });
      }
      const left = [];
      for (const token of ['d', 'e', 'f']) {
        const row = await ledger.claimRow('deletion', { ...lease, now: 9_500, token });
        left.push(row?.what);
      }
      expect(left.sort()).toEqual(['C1/1700000000.000100', 'F1', undefined]);
    });

    it('has its deletion withdrawn only under its claim', async () => {
      await record();
      await ledger.recordDeletions([message], 500);
      const held = await holdRow(ledger, 'deletion', lease);
      await ledger.withdrawDeletion({ ...held, token: 'lost' });
      expect(await ledger.nextDue('deletion')).toBe(lease.until);
      await ledger.withdrawDeletion(held);
      expect(await ledger.nextDue('deletion')).toBeNull();
      expect(await ledger.deletedFiles(held)).toEqual([]);
    });

    it("is marked as asked about once, if it is filed, and under the deletion's claim only", async () => {
      await record();
      await claimNext(claim);
      await ledger.markUploaded({ id: 1, token: 't1' }, upload);
      await announce({ token: 't2' }, 20_000);
      const asked = { transfers: [1], now: 9_000 };
      await ledger.recordDeletions([message], 2_000);
      const held = await holdRow(ledger, 'deletion', lease);
      expect(await ledger.markAsked(held, asked)).toEqual(new Set());
      await ledger.markFiled({ claim: { id: 1, token: 't2' }, recordId: 5, now: 8_000 });
      const lost = ledger.markAsked({ ...held, token: 'e' }, asked);
      await expect(lost).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(await ledger.markAsked(held, asked)).toEqual(new Set([1]));
      expect(await ledger.markAsked(held, asked)).toEqual(new Set());
      await ledger.unmarkAsked([1]);
      expect(await ledger.markAsked(held, asked)).toEqual(new Set([1]));
    });
  });
}

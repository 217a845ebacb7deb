import { describe, expect, it } from 'vitest';
import { share } from '../support/shares.ts';
import { claim, destination, type LedgerUnderTest } from './ledger-under-test.ts';

/** Channels, their links and their parked files, in every dialect. */
export function describeChannels({ ledger, record, claimNext }: LedgerUnderTest): void {
  describe('channels', () => {
    const ref = { team: 'T1', channel: 'C1' };
    const link = { ...destination, folderName: 'Invoices', linkedBy: 'U1', linkedAt: 5 };

    it('are linked, linked anew and unlinked', async () => {
      expect(await ledger.findLink(ref)).toBeNull();
      await ledger.setLink(ref, link);
      await ledger.setLink(ref, { ...link, folderId: 3 });
      expect(await ledger.findLink(ref)).toEqual({ ...link, folderId: 3 });
      await ledger.removeLink(ref);
      expect(await ledger.findLink(ref)).toBeNull();
    });

    it('keep the furthest confirmed message', async () => {
      expect(await ledger.confirmUpTo(ref, '1700000002.000000')).toBe(true);
      expect(await ledger.confirmUpTo(ref, '1700000002.000000')).toBe(false);
      expect(await ledger.confirmUpTo(ref, '1700000001.000000')).toBe(false);
      expect(await ledger.listChannels()).toEqual([
        { ...ref, linked: false, confirmedTs: '1700000002.000000' },
      ]);
      expect(await ledger.findConfirmed(ref)).toBe('1700000002.000000');
      expect(await ledger.findConfirmed({ ...ref, channel: 'C2' })).toBeNull();
    });

    it('keep the message that their history counts from', async () => {
      await ledger.setLink(ref, link);
      await ledger.removeLink(ref);
      await ledger.confirmFirst(ref, '1700000001.000000');
      await ledger.confirmFirst(ref, '1700000002.000000');
      expect(await ledger.listChannels()).toMatchObject([{ confirmedTs: '1700000001.000000' }]);
    });

    it('know who shares there for the first time without a folder', async () => {
      const parked = async (ts: string, userId: string) => {
        const input = { share: share({ ts, userId }), origin: 'event' as const };
        const row = { ...input, destination: null, reportId: null, now: 1 };
        return (await ledger.recordShare(row)).shareId;
      };
      const isFirst = async (ts: string, userId: string) =>
        ledger.isFirstParked(ref, { shareId: await parked(ts, userId), userId });
      expect(await isFirst('1', 'U1')).toBe(true);
      expect(await isFirst('2', 'U1')).toBe(false);
      expect(await isFirst('3', 'U2')).toBe(true);
      await ledger.fileParked(ref, { destination: { projectId: 1, folderId: 2 }, now: 2 });
      expect(await isFirst('4', 'U1')).toBe(true);
    });

    it('park files until somebody files them', async () => {
      await record({}, { destination: null });
      expect(await claimNext(claim)).toBeNull();
      expect(await ledger.countParked(ref)).toBe(1);
      expect(await ledger.fileParked(ref, { destination, now: 1_000 })).toBe(1);
      expect(await ledger.countParked(ref)).toBe(0);
      expect(await claimNext(claim)).toMatchObject({ destination });
    });

    it('file the parked files of one share alone', async () => {
      const { shareId } = await record({}, { destination: null });
      await record({ ts: '2' }, { destination: null });
      await ledger.fileParkedShare(shareId, { destination, now: 1_000 });
      expect(await ledger.countParked(ref)).toBe(1);
      expect(await claimNext(claim)).toMatchObject({ shareId, destination });
      expect(await ledger.nextNotification('shares')).toBe(1_000);
    });
  });
}

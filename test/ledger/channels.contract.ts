import { describe, expect, it } from 'vitest';
import { folderLink } from '../support/shares.ts';
import type { LedgerUnderTest } from './ledger-under-test.ts';

/** Channels and their links, in every dialect. */
export function describeChannels({ ledger }: LedgerUnderTest): void {
  describe('channels', () => {
    const ref = { team: 'T1', channel: 'C1' };
    const link = folderLink({ projectTitle: 'Accounts', folderName: 'Invoices' });

    it('are linked, linked anew and unlinked', async () => {
      expect(await ledger.findLink(ref)).toBeNull();
      await ledger.setLink(ref, link);
      await ledger.setLink(ref, { ...link, folderId: 3 });
      expect(await ledger.findLink(ref)).toEqual({
        ...{ ...link, folderId: 3 },
        ...{ pausedFor: null, pauseNotified: false },
      });
      expect(await ledger.removeLink(ref)).toMatchObject({ folderId: 3 });
      expect(await ledger.removeLink(ref)).toBeNull();
      expect(await ledger.findLink(ref)).toBeNull();
    });

    it('keep the furthest confirmed message', async () => {
      await ledger.confirmUpTo(ref, '1700000002.000000');
      await ledger.confirmUpTo(ref, '1700000001.000000');
      expect(await ledger.findHistoryMarks(ref)).toMatchObject({
        confirmedTs: '1700000002.000000',
      });
      expect(await ledger.findLink(ref)).toBeNull();
      const none = { confirmedTs: null, joinedTs: null };
      expect(await ledger.findHistoryMarks({ ...ref, channel: 'C2' })).toEqual(none);
    });

    it('keep the last join, and what is confirmed before it', async () => {
      const [first, second] = ['1700000001.000000', '1700000002.000000'];
      expect(await ledger.recordJoin(ref, first)).toBe(true);
      expect(await ledger.recordJoin(ref, second)).toBe(true);
      expect(await ledger.recordJoin(ref, second)).toBe(false);
      expect(await ledger.recordJoin(ref, first)).toBe(false);
      const marks = { confirmedTs: first, joinedTs: second };
      expect(await ledger.findHistoryMarks(ref)).toEqual(marks);
    });

    it('keep the message that their history counts from', async () => {
      await ledger.setLink(ref, link);
      await ledger.removeLink(ref);
      await ledger.confirmFirst(ref, '1700000001.000000');
      await ledger.confirmFirst(ref, '1700000002.000000');
      expect(await ledger.findHistoryMarks(ref)).toMatchObject({
        confirmedTs: '1700000001.000000',
      });
    });
  });
}

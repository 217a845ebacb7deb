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
      await ledger.removeLink(ref);
      expect(await ledger.findLink(ref)).toBeNull();
    });

    it('keep the furthest confirmed message', async () => {
      expect(await ledger.confirmUpTo(ref, '1700000002.000000')).toBe(true);
      expect(await ledger.confirmUpTo(ref, '1700000002.000000')).toBe(false);
      expect(await ledger.confirmUpTo(ref, '1700000001.000000')).toBe(false);
      expect(await ledger.findConfirmed(ref)).toBe('1700000002.000000');
      expect(await ledger.findLink(ref)).toBeNull();
      expect(await ledger.findConfirmed({ ...ref, channel: 'C2' })).toBeNull();
    });

    it('keep the message that their history counts from', async () => {
      await ledger.setLink(ref, link);
      await ledger.removeLink(ref);
      await ledger.confirmFirst(ref, '1700000001.000000');
      await ledger.confirmFirst(ref, '1700000002.000000');
      expect(await ledger.findConfirmed(ref)).toBe('1700000001.000000');
    });
  });
}

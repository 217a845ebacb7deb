import { describe, expect, it } from 'vitest';
import { sharedFile } from '../support/builders.ts';
import {
  claim,
  destination,
  elsewhere,
  type LedgerUnderTest,
  upload,
} from './ledger-under-test.ts';

/** Contract for every dialect: shares that are tried again. */
export function describeShares(under: LedgerUnderTest): void {
  const { ledger, record, hold, claimNext, announce, endFolder } = under;
  const { nextDueAt, held, refuseCreating, states } = under;
  describe('retryShare', () => {
    it('returns a refused transfer to the state in which it was refused', async () => {
      const { shareId, claim: c } = await held();
      await ledger.markUploaded(c, upload);
      await announce(c, 2_000);
      const problem = { code: 'SERVICE_FORBIDDEN' as const, note: 'no' };
      await ledger.markRefused(c, { problem, now: 3_000 });
      await endFolder(c, 3_000);
      expect(await nextDueAt()).toBeNull();
      expect(await ledger.retryShare(shareId, { now: 4_000 })).toBe(1);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'creating', problem: null, nextTryAt: null },
      ]);
      expect(await nextDueAt()).toBe(4_000);
    });

    it('does not create a file again that is in the folder with another size', async () => {
      const files = [sharedFile(), sharedFile({ id: 'F2', name: 'b.pdf' })];
      const { shareId } = await record({ files });
      await refuseCreating('a', 'RECORD_SIZE_MISMATCH');
      await refuseCreating('b', 'SERVICE_FORBIDDEN');
      expect(await ledger.retryShare(shareId, { now: 4_000 })).toBe(1);
      expect(await states(shareId)).toEqual(['refused', 'creating']);
    });

    it.each(['DESTINATION_GONE', 'RECORD_UNSEEN'] as const)(
      'starts over in another folder when the first cannot show an open create (%s)',
      async (code) => {
        const { shareId } = await record();
        await refuseCreating('a', code);
        const asked = { to: elsewhere, unseenToo: true, now: 4_000 };
        expect(await ledger.retryShare(shareId, asked)).toBe(1);
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          {
            state: 'recorded',
            attachmentId: null,
            creatingSince: null,
            destination: elsewhere,
          },
        ]);
      },
    );

    it.each([
      ['while that can still be listed', 'ATTEMPTS_EXHAUSTED'],
      ['when only the link has changed, as a copy may stay there', 'RECORD_UNSEEN'],
    ] as const)('keeps an open create in its folder %s', async (_when, code) => {
      const { shareId } = await record();
      await refuseCreating('a', code);
      expect(await ledger.retryShare(shareId, { to: elsewhere, now: 4_000 })).toBe(1);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'creating', destination },
      ]);
    });

    it('leaves a claimed transfer to its holder', async () => {
      const { shareId, claim: c } = await held();
      const before = await ledger.transfersOfShare(shareId);
      expect(await ledger.retryShare(shareId, { to: elsewhere, now: 4_000 })).toBe(0);
      expect(await ledger.transfersOfShare(shareId)).toEqual(before);
      expect(await claimNext({ ...claim, now: 5_000, token: 't2' })).toBeNull();
      await ledger.release(c, { dueAt: 9_000 });
      expect(await ledger.retryShare(shareId, { now: 4_000 })).toBe(1);
      expect(await claimNext({ ...claim, now: 5_000, token: 't2' })).not.toBeNull();
    });

    it('keeps an upload; only moving it to another folder uploads again', async () => {
      const { shareId, claim: c } = await held();
      await ledger.markUploaded(c, upload);
      expect(await ledger.retryShare(shareId, { to: destination, now: 1_000 })).toBe(0);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'uploaded' }]);
      const to = { projectId: 1, folderId: 3 };
      expect(await ledger.retryShare(shareId, { to, now: 1_000 })).toBe(0);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'uploaded' }]);
      const channel = { team: 'T1', channel: 'C1' };
      expect(await ledger.moveWaiting(channel, { from: to, to: destination, now: 2 })).toBe(0);
      expect(await ledger.moveWaiting(channel, { from: destination, to, now: 2 })).toBe(1);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'recorded', attachmentId: null, destination: to },
      ]);
    });

    it('resets the failures of a transfer that was given up', async () => {
      const { shareId, claim: c } = await held();
      const problem = { code: 'SERVICE_FAILED' as const, note: '503' };
      await ledger.postpone(c, { problem, dueAt: 2_000, failingSince: 1_000, now: 1_000 });
      await claimNext({ ...claim, now: 2_000, token: 't2' });
      await ledger.markRefused({ ...c, token: 't2' }, { problem, now: 3_000 });
      expect(await ledger.retryShare(shareId, { now: 4_000 })).toBe(1);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'recorded', failures: 1, failingSince: null, nextTryAt: null },
      ]);
      expect(await nextDueAt()).toBe(4_000);
    });

    it('makes a waiting transfer due at once', async () => {
      const { shareId, claim: c } = await held();
      const problem = { code: 'SERVICE_FAILED' as const, note: '503' };
      await ledger.postpone(c, { problem, dueAt: 90_000, failingSince: 3_000, now: 3_000 });
      expect(await ledger.retryShare(shareId, { now: 4_000 })).toBe(1);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'recorded', nextTryAt: null, failures: 1, failingSince: 3_000 },
      ]);
      expect(await nextDueAt()).toBe(4_000);
    });

    it('makes due, with a file, the refused one of its name and size that it waits for', async () => {
      const first = await record();
      const second = await record({ ts: '2' });
      await refuseCreating('a', 'SERVICE_FORBIDDEN');
      await ledger.markUploaded(await hold({ token: 'b' }), upload);
      const own = { id: (await ledger.transfersOfShare(second.shareId))[0]?.id ?? 0, token: 'c' };
      expect(await announce(own, 4_000)).toEqual([]);
      const problem = { code: 'TWIN_UNCONFIRMED' as const, note: null };
      await ledger.postpone(own, { problem, dueAt: 9_000, failingSince: 4_000, now: 4_000 });
      await endFolder(own, 4_000);
      expect(await ledger.retryShare(second.shareId, { now: 5_000 })).toBe(2);
      expect(await states(first.shareId)).toEqual(['creating']);
      expect(await states(second.shareId)).toEqual(['uploaded']);
      expect(await nextDueAt()).toBe(5_000);
    });

    it('keeps the folder once a create may have reached it', async () => {
      const { shareId, claim: c } = await held();
      await ledger.markUploaded(c, upload);
      await announce(c, 2_000);
      await ledger.release(c, { dueAt: 3_000 });
      await ledger.retryShare(shareId, { to: { projectId: 1, folderId: 3 }, now: 4_000 });
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'creating', destination },
      ]);
    });
  });
}

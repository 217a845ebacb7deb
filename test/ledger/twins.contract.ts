import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/ledger/index.ts';
import { destination, type LedgerUnderTest, upload } from './ledger-under-test.ts';

/** Contract for every dialect: transfers of one name and size to one folder. */
export function describeTwins(under: LedgerUnderTest): void {
  const { ledger, record, hold, claimEach, announce, refuseCreating, states } = under;
  describe('an identical file for the same folder', () => {
    /** Two shares of the same file, both uploaded. */
    const uploadedTwins = async () => {
      await record({ ts: '1' });
      await record({ ts: '2' });
      for (const one of await claimEach(['a', 'b'])) await ledger.markUploaded(one, upload);
    };

    it("is never created while the other's create is open", async () => {
      await uploadedTwins();
      const [first] = await announce({ token: 'a' }, 2_000);
      expect(first).toMatchObject({ state: 'creating' });
      const [second] = await announce({ token: 'b' }, 2_000);
      expect(second).toMatchObject({ state: 'uploaded' });
      const claimed = { id: second?.id ?? 0, token: 'b' };
      await ledger.release(claimed, { dueAt: 90_000 });
      expect(await announce({ token: 'b' }, 2_500)).toEqual([]);
      await ledger.markFiled({
        claim: { id: first?.id ?? 0, token: 'a' },
        recordId: 70,
        now: 3_000,
      });
      expect(await announce({ token: 'b' }, 3_000)).toMatchObject([
        { id: claimed.id, state: 'creating' },
      ]);
    });

    it.each([
      ['left nothing', (c: Claim) => ledger.markAbsent(c)],
      ['was found by another', (c: Claim) => ledger.markFound(c.id, { recordId: 70, now: 3_000 })],
    ])('is due at once when the create before it %s', async (_how, leave) => {
      await uploadedTwins();
      const [first] = await announce({ token: 'a' }, 2_000);
      const [second] = await announce({ token: 'b' }, 2_000);
      const claimed = { id: second?.id ?? 0, token: 'b' };
      await ledger.release(claimed, { dueAt: 90_000 });
      await leave({ id: first?.id ?? 0, token: 'a' });
      const twin = (await ledger.transfersOfShare(2))[0];
      expect(twin).toMatchObject({ id: claimed.id, dueAt: 3_000 });
    });

    it('keeps waiting when the create before it was never sent, as its own would not be', async () => {
      await uploadedTwins();
      const [first] = await announce({ token: 'a' }, 2_000);
      const [second] = await announce({ token: 'b' }, 2_000);
      const claimed = { id: second?.id ?? 0, token: 'b' };
      await ledger.release(claimed, { dueAt: 90_000 });
      await ledger.markNotCreated({ id: first?.id ?? 0, token: 'a' });
      expect((await ledger.transfersOfShare(2))[0]).toMatchObject({ dueAt: 90_000 });
    });

    it('waits while the record of the created one is looked for', async () => {
      await uploadedTwins();
      const [first] = await announce({ token: 'a' }, 2_000);
      await ledger.markCreated({ id: first?.id ?? 0, token: 'a' }, 2_500);
      expect(await announce({ token: 'b' }, 3_000)).toMatchObject([{ state: 'uploaded' }]);
      expect(await ledger.openCreates(destination)).toMatchObject([{ state: 'created' }]);
    });

    it('waits while the refused one may be in the folder', async () => {
      const first = await record();
      const second = await record({ ts: '2' });
      await refuseCreating('a', 'SERVICE_FORBIDDEN');
      const c = await hold({ token: 'b' });
      await ledger.markUploaded(c, upload);
      expect(await announce(c, 4_000)).toMatchObject([{ id: c.id, state: 'uploaded' }]);
      const problem = { code: 'LEDGER_CONFLICT' as const, note: null };
      await ledger.postpone(c, { problem, dueAt: 9_000, failingSince: 4_000, now: 4_000 });
      expect(await ledger.retryShare(second.shareId, { now: 5_000 })).toBe(2);
      expect(await states(first.shareId)).toEqual(['creating']);
      expect(await states(second.shareId)).toEqual(['uploaded']);
    });

    it('does not wait for one whose record has another size', async () => {
      await record();
      const { shareId } = await record({ ts: '2' });
      await refuseCreating('a', 'RECORD_SIZE_MISMATCH');
      await refuseCreating('b', 'SERVICE_FORBIDDEN');
      expect(await states(shareId)).toEqual(['refused']);
    });
  });
}

import { describe, expect, it } from 'vitest';
import type { LedgerUnderTest } from './ledger-under-test.ts';

/** Runs of processes, in every dialect. */
export function describeRuns({ ledger }: LedgerUnderTest): void {
  describe('the ledger', () => {
    it('knows until when the process before may have sent requests', async () => {
      expect(await ledger.beginRun(1_000)).toBeNull();
      expect(await ledger.beginRun(2_000)).toBe(2_000);
      await ledger.endRun(2_000, 3_000);
      expect(await ledger.beginRun(9_000)).toBe(3_000);
    });

    it('knows that the process goes on that began before another one ended', async () => {
      await ledger.beginRun(1_000);
      await ledger.beginRun(2_000);
      await ledger.endRun(1_000, 3_000);
      expect(await ledger.beginRun(9_000)).toBe(9_000);
    });

    it('knows which scopes were missing, and whether that is news', async () => {
      await ledger.beginRun(1_000);
      const news = [];
      for (const missing of ['a b', 'a b', 'a', null, null, 'a'])
        news.push(await ledger.noteMissingScopes(missing));
      expect(news).toEqual([true, false, true, true, false, true]);
    });

    it('says whether it can be written', async () => {
      await expect(ledger.check()).resolves.toBeUndefined();
    });

    it('notice a key that is not accepted for one, until that is dropped', async () => {
      expect(await ledger.claimKeyNotice(1_000)).toBe(false);
      await ledger.beginRun(1_000);
      const claims = [1, 2, 3].map(() => ledger.claimKeyNotice(1_000));
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
      await ledger.dropKeyNotice();
      expect(await ledger.claimKeyNotice(2_000)).toBe(true);
    });
  });
}

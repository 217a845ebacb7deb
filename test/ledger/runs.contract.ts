import { describe, expect, it } from 'vitest';
import type { LedgerUnderTest } from './ledger-under-test.ts';

/** Contract for every dialect: what the ledger keeps about processes. */
export function describeRuns({ ledger }: LedgerUnderTest): void {
  describe('the run of a process', () => {
    it('begins with the time until which the process before may have sent requests', async () => {
      expect(await ledger.beginRun(1_000)).toBeNull();
      expect(await ledger.beginRun(2_000)).toBe(2_000);
      await ledger.endRun(2_000, 3_000);
      expect(await ledger.beginRun(9_000)).toBe(3_000);
    });

    it('does not end when an earlier process ends', async () => {
      await ledger.beginRun(1_000);
      await ledger.beginRun(2_000);
      await ledger.endRun(1_000, 3_000);
      expect(await ledger.beginRun(9_000)).toBe(9_000);
    });

    it('keeps the missing scopes, and noteMissingScopes returns whether they changed', async () => {
      await ledger.beginRun(1_000);
      const news = [];
      for (const missing of ['a b', 'a b', 'a', null, null, 'a'])
        news.push(await ledger.noteMissingScopes(missing));
      expect(news).toEqual([true, false, true, true, false, true]);
    });

    it('passes the readiness check when the ledger can be written', async () => {
      await expect(ledger.check()).resolves.toBeUndefined();
    });
  });
}

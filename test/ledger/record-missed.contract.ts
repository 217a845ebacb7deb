import { describe, expect, it } from 'vitest';
import { heldCatchUp } from '../support/held-catch-up.ts';
import { share, sharedFile } from '../support/shares.ts';
import { destination, type LedgerUnderTest } from './ledger-under-test.ts';

/** What no event brought, in every dialect. */
export function describeRecordMissed({ ledger, record }: LedgerUnderTest): void {
  describe('what no event brought', () => {
    const one = share({ ts: '1700000001.000000' });
    const two = share({
      ts: '1700000002.000000',
      files: [sharedFile(), sharedFile({ id: 'F2' })],
    });
    const missed = { team: 'T1', channel: 'C1', destination, now: 1_000 };
    const held = () => heldCatchUp(ledger, missed);
    const due = { now: 10_000, until: 20_000, token: 'r' };

    it('is recorded with one report, which is due', async () => {
      await record({ ts: one.ts });
      expect(await ledger.recordMissed(await held(), { ...missed, shares: [one, two] })).toEqual({
        files: 2,
        unrecordable: [],
      });
      const report = await ledger.claimReport(due);
      expect(report).toMatchObject({ kind: 'catch-up', channel: 'C1', startedBy: null });
      expect(await ledger.countReport(report?.id ?? 0)).toEqual({ recorded: 2 });
    });

    it('is recorded whole or not at all', async () => {
      const broken = share({ files: [sharedFile({ id: JSON.parse('null') })] });
      const shares = [one, two, broken];
      const claim = await held();
      await expect(ledger.recordMissed(claim, { ...missed, shares })).rejects.toMatchObject({
        name: 'LedgerError',
      });
      expect(await ledger.claimReport(due)).toBeUndefined();
      expect(await ledger.knownShares(missed, [one.ts, two.ts])).toEqual(new Set());
    });
  });
}

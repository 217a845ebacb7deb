import { describe, expect, it } from 'vitest';
import { claim, type LedgerUnderTest } from './ledger-under-test.ts';

/** Contract for every dialect: leases. */
export function describeLease({ ledger, record, claimNext, hold }: LedgerUnderTest): void {
  describe('a leased row', () => {
    it('is renewed only for tokens that still hold it, which renewLeases returns', async () => {
      await record();
      await claimNext(claim);
      expect(
        await ledger.renewLeases('transfers', { tokens: ['t1', 'gone'], until: 90_000 }),
      ).toEqual(new Set(['t1']));
      expect(await claimNext({ ...claim, now: 80_000, token: 't2' })).toBeNull();
    });

    it('does not count the attempt when it is released', async () => {
      await record();
      const held = await hold();
      await ledger.release('transfers', {
        claim: held,
        dueAt: 1_000,
      });
      expect(await claimNext({ ...claim, token: 't2' })).toMatchObject({
        attempts: 1,
      });
    });

    it('comes due later with each crash after the third, also for a Slack message', async () => {
      await record();
      let now = 10_000;
      const waits: number[] = [];
      for (let crashes = 0; crashes < 5; crashes += 1) {
        expect(await ledger.claimRow('shares', { now, until: now + 1, token: 't1' })).toBeDefined();
        await ledger.sweepLeases('shares', { now: now + 1 });
        const dueAt = (await ledger.nextDue('shares')) ?? 0;
        waits.push(dueAt - now - 1);
        now = dueAt;
      }
      expect(waits).toEqual([0, 0, 0, 1_600, 2_500]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { claim, type LedgerUnderTest } from './ledger-under-test.ts';

/** Contract for every dialect: leases. */
export function describeLease({
  ledger,
  record,
  claimNext,
  hold,
  nextDueAt,
}: LedgerUnderTest): void {
  describe('a leased row', () => {
    it('is renewed only for tokens that still hold it, which renewLeases returns', async () => {
      await record();
      await claimNext(claim);
      expect(await ledger.renewLeases({ tokens: ['t1', 'gone'], until: 90_000 })).toEqual(
        new Set(['t1']),
      );
      expect(await claimNext({ ...claim, now: 80_000, token: 't2' })).toBeNull();
    });

    it('does not count the attempt when it is released', async () => {
      await record();
      const held = await hold();
      await ledger.release(held, { dueAt: 1_000 });
      expect(await claimNext({ ...claim, token: 't2' })).toMatchObject({
        attempts: 1,
      });
    });

    it('comes due later with each crash after the third, also for a Slack message', async () => {
      await record();
      let now = 10_000;
      const waits: number[] = [];
      for (let crashes = 0; crashes < 5; crashes += 1) {
        expect(await ledger.claimRow('share', { now, until: now + 1, token: 't1' })).toBeDefined();
        await ledger.sweepLeases(['share'], { now: now + 1 });
        const dueAt = (await ledger.nextDue('share')) ?? 0;
        waits.push(dueAt - now - 1);
        now = dueAt;
      }
      expect(waits).toEqual([0, 0, 0, 1_600, 2_500]);
    });

    it('is brought forward when it is due far ahead because the clock was set back', async () => {
      await record({}, { now: 10 ** 9 });
      await record({ ts: '2' }, { now: 2_000 });
      await ledger.clampDueTimes(['upload', 'folder'], { now: 1_500, latest: 10 ** 6 });
      const due = await claimNext({ ...claim, now: 1_500 });
      expect(due).toMatchObject({ shareId: 1 });
      expect(await nextDueAt()).toBe(2_000);
    });
  });
}

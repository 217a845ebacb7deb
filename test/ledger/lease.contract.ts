import { describe, expect, it } from 'vitest';
import { claim, type LedgerUnderTest } from './ledger-under-test.ts';

/** Leases, in every dialect. */
export function describeLease({ ledger, record, claimNext, nextDueAt }: LedgerUnderTest): void {
  describe('leases', () => {
    it('are renewed for who still holds them, and named', async () => {
      await record();
      await claimNext(claim);
      expect(
        await ledger.renewLeases('transfers', { tokens: ['t1', 'gone'], until: 90_000 }),
      ).toEqual(new Set(['t1']));
      expect(await claimNext({ ...claim, now: 80_000, token: 't2' })).toBeNull();
    });

    it('are handed back without counting the attempt', async () => {
      await record();
      const held = await claimNext(claim);
      await ledger.release('transfers', {
        claim: { id: held?.id ?? 0, token: 't1' },
        dueAt: 1_000,
      });
      expect(await claimNext({ ...claim, token: 't2' })).toMatchObject({
        attempts: 1,
      });
    });

    it('that crashes end again and again come later each time, of a message in Slack too', async () => {
      await record();
      let now = 10_000;
      const waits: number[] = [];
      for (let crashes = 0; crashes < 5; crashes += 1) {
        expect(await ledger.claimShare({ now, until: now + 1, token: 't1' })).toBeDefined();
        await ledger.sweepLeases('shares', { now: now + 1 });
        const dueAt = (await ledger.nextDue('shares')) ?? 0;
        waits.push(dueAt - now - 1);
        now = dueAt;
      }
      expect(waits).toEqual([0, 0, 0, 1_600, 2_500]);
    });

    it('leave due what a clock that went back would put off for long', async () => {
      await record({}, { now: 10 ** 9 });
      await record({ ts: '2' }, { now: 2_000 });
      await ledger.bringForward('transfers', { now: 1_500, latest: 10 ** 6 });
      const due = await claimNext({ ...claim, now: 1_500 });
      expect(due).toMatchObject({ shareId: 1 });
      expect(await nextDueAt()).toBe(2_000);
    });
  });
}

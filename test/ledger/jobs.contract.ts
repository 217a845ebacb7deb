import { describe, expect, it } from 'vitest';
import { claim, type LedgerUnderTest } from './ledger-under-test.ts';

/** Contract for every dialect: jobs. */
export function describeJobs(under: LedgerUnderTest): void {
  const { ledger, record, claimNext, hold, nextDueAt } = under;
  describe('a job', () => {
    const lease = { now: 4_000, until: 34_000, token: 'a' };
    /** A share whose message is up to date: it has no job. */
    const settled = async () => {
      const { shareId } = await record();
      await ledger.claimMessage({ ...lease, token: 'first' });
      await ledger.endJob({ token: 'first' }, { dueAt: null });
      expect(await ledger.nextDue('message')).toBeNull();
      return shareId;
    };
    /** One whose job is claimed as `lease` says. */
    const running = async () => {
      const shareId = await settled();
      await ledger.noteShareChanged(shareId, 4_000);
      expect(await ledger.claimMessage(lease)).toMatchObject({ about: shareId, attempts: 1 });
      return shareId;
    };

    it('that is enqueued again keeps the earlier time', async () => {
      const shareId = await settled();
      for (const [dueAt, kept] of [
        [6_000, 6_000],
        [9_000, 6_000],
        [5_000, 5_000],
      ] as const) {
        await ledger.noteShareChanged(shareId, dueAt);
        expect(await ledger.nextDue('message')).toBe(kept);
      }
      expect(await ledger.claimMessage({ ...lease, now: 4_999 })).toBeUndefined();
      expect(await ledger.claimMessage({ ...lease, now: 5_000 })).toBeDefined();
      expect(await ledger.claimMessage({ ...lease, now: 9_000, token: 'b' })).toBeUndefined();
    });

    it.each([
      ['it ends for good', null, 6_000],
      ['its end puts it off for longer', 9_000, 6_000],
      ['its end has it due before', 5_000, 5_000],
    ])(
      'that was enqueued while it ran is due at the earliest when %s',
      async (_how, end, dueAt) => {
        const shareId = await running();
        for (const at of [8_000, 6_000, 7_000]) await ledger.noteShareChanged(shareId, at);
        expect(await ledger.nextDue('message')).toBe(lease.until);
        await ledger.endJob(lease, { dueAt: end });
        expect(await ledger.nextDue('message')).toBe(dueAt);
        const next = await ledger.claimMessage({ ...lease, now: dueAt, token: 'b' });
        expect(next).toMatchObject({ about: shareId, attempts: 1 });
        await ledger.endJob({ token: 'b' }, { dueAt: null });
        expect(await ledger.nextDue('message')).toBeNull();
      },
    );

    it('is claimed by the longest due of its queue, and by turns of the queues', async () => {
      for (const [ts, channel, now] of [
        ['1', 'C1', 300],
        ['2', 'C1', 200],
        ['3', 'C2', 900],
        ['4', 'C3', 100],
        ['5', 'C4', 9_000],
      ] as const)
        await record({ ts, channel }, { now });
      const next = async (turn: { afterQueue: string; sameQueue?: string }) => {
        const held = await ledger.claimFiling({ ...claim, ...turn });
        if (held?.kind !== 'upload') return null;
        await ledger.endJob(claim, { dueAt: held.transfer.recordedAt, unused: true });
        return [held.queue, held.transfer.recordedAt];
      };
      expect(await next({ afterQueue: '' })).toEqual(['T1/C1', 200]);
      expect(await next({ afterQueue: 'T1/C1' })).toEqual(['T1/C2', 900]);
      expect(await next({ afterQueue: 'T1/C2' })).toEqual(['T1/C3', 100]);
      // Nothing of the queues behind is due, so that the first has its turn.
      expect(await next({ afterQueue: 'T1/C3' })).toEqual(['T1/C1', 200]);
      expect(await next({ afterQueue: 'T1/C4' })).toEqual(['T1/C1', 200]);
      expect(await next({ afterQueue: 'T1/C1', sameQueue: 'T1/C3' })).toEqual(['T1/C3', 100]);
      expect(await next({ afterQueue: 'T1/C1', sameQueue: 'T1/C4' })).toEqual(['T1/C2', 900]);
    });

    it('ends only under its own claim', async () => {
      await running();
      expect(await ledger.endJob({ token: 'lost' }, { dueAt: null })).toBeUndefined();
      await ledger.endJob({ token: 'lost' }, { dueAt: 1_000, unused: true });
      expect(await ledger.nextDue('message')).toBe(lease.until);
      await ledger.sweepLeases(['message'], { now: lease.until });
      const next = { now: lease.until, until: 99_000, token: 'b' };
      expect(await ledger.claimMessage(next)).toBeDefined();
      expect(await ledger.endJob(lease, { dueAt: null })).toBeUndefined();
      expect(await ledger.renewLeases({ tokens: ['a', 'b'], until: 99_500 })).toEqual(
        new Set(['b']),
      );
      expect(await ledger.nextDue('message')).toBe(99_500);
    });

    it('is renewed only for tokens that still hold it, which renewLeases returns', async () => {
      await record();
      await claimNext(claim);
      expect(await ledger.renewLeases({ tokens: ['t1', 'gone'], until: 90_000 })).toEqual(
        new Set(['t1']),
      );
      expect(await ledger.renewLeases({ tokens: [], until: 90_000 })).toEqual(new Set());
      expect(await ledger.sweepLeases(['upload'], { now: 80_000 })).toBe(0);
      expect(await claimNext({ ...claim, now: 80_000, token: 't2' })).toBeNull();
    });

    it('does not count a claim that is released unused, and counts one that ends unfinished', async () => {
      await record();
      const attempts = async (token: string) =>
        (await ledger.claimFiling({ ...claim, token }))?.attempts;
      expect(await attempts('a')).toBe(1);
      await ledger.endJob({ token: 'a' }, { dueAt: 1_000, unused: true });
      expect(await attempts('b')).toBe(1);
      await ledger.endJob({ token: 'b' }, { dueAt: 1_000, unfinished: true });
      expect(await attempts('c')).toBe(2);
      await ledger.endJob({ token: 'c' }, { dueAt: 1_000 });
      expect(await attempts('d')).toBe(1);
    });

    it('of a transfer is released until it may be tried, uncounted', async () => {
      const { shareId } = await record();
      await ledger.release(await hold(), { dueAt: 5_000, slackSize: 77 });
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { nextTryAt: 5_000, slackSize: 77, isClaimed: false },
      ]);
      expect(await nextDueAt()).toBe(5_000);
      const again = { ...claim, now: 5_000, token: 't2' };
      expect(await ledger.claimFiling(again)).toMatchObject({ attempts: 1 });
      await ledger.release({ id: 1, token: 't1' }, { dueAt: 9_000, slackSize: 5 });
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ slackSize: 77 }]);
    });

    it('is due later with each crash after the third, of any kind', async () => {
      await record();
      let now = 10_000;
      const waits: number[] = [];
      for (let crashes = 0; crashes < 5; crashes += 1) {
        expect(await ledger.claimMessage({ now, until: now + 1, token: 't1' })).toBeDefined();
        await ledger.sweepLeases(['message'], { now: now + 1 });
        const dueAt = (await ledger.nextDue('message')) ?? 0;
        waits.push(dueAt - now - 1);
        now = dueAt;
      }
      expect(waits).toEqual([0, 0, 0, 1_600, 2_500]);
    });

    it('is swept only when its lease has ended and its kind is asked for, or with all', async () => {
      await running();
      expect(await ledger.sweepLeases(['message'], { now: lease.until - 1 })).toBe(0);
      expect(await ledger.sweepLeases(['folder', 'upload'], { now: lease.until })).toBe(0);
      expect(await ledger.sweepLeases(['folder', 'message'], { now: 4_500, all: true })).toBe(1);
      expect(await ledger.nextDue('message')).toBe(4_500);
    });
  });
}

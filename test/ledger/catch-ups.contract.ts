import { beforeEach, describe, expect, it } from 'vitest';
import { share } from '../support/builders.ts';
import { holdRow } from '../support/claim-next.ts';
import { destination, type LedgerUnderTest } from './ledger-under-test.ts';

/** Contract for every dialect: catch-ups. */
export function describeCatchUps({ ledger }: LedgerUnderTest): void {
  describe('a catch-up after a first process that was stopped before it listed the channels', () => {
    it('starts with that process', async () => {
      const [first, then] = ['1700000000.000000', '1700000100.000000'];
      await ledger.beginRun(1_000, first);
      await ledger.beginRun(2_000, then);
      const listed = { team: 'T1', channels: ['C1'], all: true, isInterrupted: true };
      await ledger.requestCatchUp({ ...listed, begunTs: then, now: 2_000 });
      const lease = { now: 2_000, until: 62_000, token: 'r1' };
      const row = await ledger.claimRow('catch-up', lease);
      expect(row).toMatchObject({ channel: 'C1', catchUpSince: first });
    });
  });

  describe('a catch-up', () => {
    const asked = {
      ...{ team: 'T1', channels: ['C1'], all: true, isInterrupted: false },
      begunTs: '1700000000.000000',
    };
    const caughtUp = {
      ...{ confirmedTs: null, threadsTs: '1600000000.000000' },
      ...{ read: 'newest' as const, isInterrupted: false },
    };
    const NEW = { team: 'T1', channel: 'C9' };
    /** When a channel is linked that has no confirmed message. */
    const LINKED = '1700000900.000000';
    const startOf = async (ref: typeof NEW) => {
      expect(await ledger.confirmFirst(ref, LINKED)).toBe(true);
      return (await ledger.findHistoryMarks(ref)).confirmedTs;
    };
    const lease = { now: 2_000, until: 62_000, token: 'r1' };
    const claimReading = (given: Partial<typeof lease> = {}) =>
      ledger.claimRow('catch-up', { ...lease, ...given });
    const holdReading = (given: Partial<typeof lease> = {}) =>
      holdRow(ledger, 'catch-up', { ...lease, ...given });
    beforeEach(async () => {
      await ledger.beginRun(1_000);
    });

    it('has no start of its own before the first channel listing', async () => {
      expect(await startOf(NEW)).toBe(LINKED);
    });

    it('starts with the first listing, and leaves alone what channels held before', async () => {
      await ledger.confirmUpTo({ team: 'T1', channel: 'C2' }, '1600000000.000000');
      await ledger.requestCatchUp({ ...asked, channels: ['C1', 'C2'], now: 1_000 });
      expect(await claimReading()).toMatchObject({ channel: 'C2' });
      expect(await claimReading({ token: 'r2' })).toBeUndefined();
    });

    it('starts at the listing that first showed the channel, or for a newer one at the one before', async () => {
      await ledger.requestCatchUp({ ...asked, now: 1_000 });
      expect(await startOf({ ...NEW, channel: 'C8' })).toBe(asked.begunTs);
      await ledger.beginRun(2_000);
      const later = { ...asked, channels: ['C1', 'C2'], begunTs: '1700000100.000000' };
      await ledger.requestCatchUp({ ...later, now: 2_000 });
      await ledger.requestCatchUp({ ...later, begunTs: '1700000200.000000', now: 2_000 });
      const readings = [await claimReading(), await claimReading({ token: 'r2' })];
      expect(readings).toMatchObject([
        { channel: 'C1' },
        { channel: 'C2', catchUpSince: asked.begunTs },
      ]);
      const marks = async (channel: string) => ledger.findHistoryMarks({ team: 'T1', channel });
      expect(await marks('C1')).toMatchObject({ confirmedTs: asked.begunTs });
      expect(await marks('C2')).toMatchObject({ confirmedTs: null });
      expect(await startOf(NEW)).toBe('1700000200.000000');
      expect(await startOf({ team: 'T1', channel: 'C2' })).toBe(asked.begunTs);
    });

    it('does not start for other channels at a listing of only the linked ones', async () => {
      await ledger.requestCatchUp({ ...asked, now: 1_000 });
      const linked = { ...asked, all: false, begunTs: '1700000100.000000' };
      await ledger.requestCatchUp({ ...linked, now: 2_000 });
      expect(await startOf(NEW)).toBe(asked.begunTs);
    });

    it('is requested once where Slack lists the channel twice', async () => {
      const twice = { ...asked, channels: ['C1', 'C1'], isInterrupted: true };
      await ledger.requestCatchUp({ ...twice, now: 1_000 });
      await ledger.requestCatchUp({ ...twice, now: 1_000 });
      expect(await claimReading()).toMatchObject({ channel: 'C1', restDue: 'later' });
      expect(await claimReading({ token: 'r2' })).toBeUndefined();
    });

    it('has one claim at a time, and is due again for a request since that began', async () => {
      await ledger.requestCatchUp({ ...asked, now: 1_000 });
      await ledger.requestCatchUp({ ...asked, now: 1_500 });
      const reading = await holdReading();
      await ledger.requestCatchUp({ ...asked, now: 3_000 });
      expect(await claimReading({ now: 3_000, token: 'r2' })).toBeUndefined();
      await ledger.finishCatchUp(reading, { ...caughtUp, now: 3_000 });
      expect(await ledger.nextDue('catch-up')).toBe(3_000);
      const again = await holdReading({ now: 3_000, token: 'r2' });
      await ledger.finishCatchUp(again, { ...caughtUp, now: 3_000 });
      expect(await ledger.nextDue('catch-up')).toBeNull();
    });

    it('reads the channels that an unfinished round left before those of the next', async () => {
      const both = { ...asked, channels: ['C1', 'C2'] };
      await ledger.requestCatchUp({ ...both, now: 1_000 });
      await ledger.requestCatchUp({ ...both, now: 1_000 });
      const first = await holdReading();
      await ledger.finishCatchUp(first, { ...caughtUp, now: 2_000 });
      await ledger.requestCatchUp({ ...both, now: 3_000 });
      const then = [
        await claimReading({ now: 3_000, token: 'r2' }),
        await claimReading({ now: 3_000, token: 'r3' }),
      ];
      const rest = ['C1', 'C2'].filter((channel) => channel !== first.channel);
      expect(then.map((row) => row?.channel)).toEqual([...rest, first.channel]);
    });

    it('is due at once on a new request after a failure, behind channels that wait longer', async () => {
      const both = { ...asked, channels: ['C1', 'C2'] };
      await ledger.requestCatchUp({ ...both, now: 1_000 });
      await ledger.requestCatchUp({ ...both, now: 1_000 });
      const failed = await holdReading();
      await ledger.endJob(failed, { dueAt: 900_000, unfinished: true });
      await ledger.requestCatchUp({ ...both, now: 3_000 });
      expect((await claimReading({ now: 3_000, token: 'r2' }))?.channel).not.toBe(failed.channel);
      expect((await claimReading({ now: 3_000, token: 'r3' }))?.channel).toBe(failed.channel);
    });

    it('is claimed again after its lease expires, and its first holder records nothing', async () => {
      await ledger.requestCatchUp({ ...asked, now: 1_000 });
      await ledger.requestCatchUp({ ...asked, now: 1_000 });
      const claim = await holdReading();
      await ledger.sweepLeases(['catch-up', 'backfill'], { now: 62_000 });
      expect(await claimReading({ now: 62_000, token: 'r2' })).toBeDefined();
      const channel = { team: 'T1', channel: 'C1' };
      const found = { channel, reportId: null, shares: [share()], destination, now: 62_000 };
      await expect(ledger.recordFound(claim, found)).rejects.toMatchObject({
        code: 'LEASE_LOST',
      });
      await ledger.finishCatchUp(claim, { ...caughtUp, now: 2_000 });
      expect(await ledger.nextDue('catch-up')).not.toBeNull();
    });

    it('stores present-day times (over 32 bits) of leases and later requests', async () => {
      const now = 1_800_000_000_000;
      await ledger.requestCatchUp({ ...asked, now });
      await ledger.requestCatchUp({ ...asked, now });
      const reading = await holdReading({ now, until: now + 60_000 });
      await ledger.requestCatchUp({ ...asked, now: now + 5 });
      await ledger.finishCatchUp(reading, { ...caughtUp, now: now + 5 });
      expect(await ledger.nextDue('catch-up')).toBe(now + 5);
    });

    describe('of more than the newest page', () => {
      const C1 = { team: 'T1', channel: 'C1' };
      const marks = (channel = 'C1') => ledger.findHistoryMarks({ team: 'T1', channel });
      const [before, then] = ['1600000000.000000', '1800000000.000000'];
      const newestRead = { ...caughtUp, confirmedTs: then, threadsTs: before };
      const restDue = { ...newestRead, read: 'newest, rest due' } as const;
      const all = { ...caughtUp, confirmedTs: then, threadsTs: then, read: 'all' } as const;
      beforeEach(async () => {
        await ledger.beginRun(1_000);
        await ledger.confirmUpTo(C1, before);
        await ledger.requestCatchUp({ ...asked, begunTs: then, isInterrupted: true, now: 1_000 });
        await ledger.requestCatchUp({ ...asked, isInterrupted: true, now: 1_000 });
      });

      it('is due after an interruption, behind the channels that are due already', async () => {
        expect(await marks()).toMatchObject({ restDue: 'later' });
        const newest = await holdReading();
        await ledger.requestCatchUp({ ...asked, begunTs: then, channels: ['C2'], now: 2_000 });
        await ledger.finishCatchUp(newest, { ...restDue, now: 2_000 });
        const left = { confirmedTs: then, threadsTs: before, restDue: 'next' };
        expect(await marks()).toMatchObject(left);
        expect(await claimReading({ now: 3_000, token: 'r2' })).toMatchObject({ channel: 'C2' });
        const rest = await holdReading({ now: 3_000, token: 'r3' });
        await ledger.finishCatchUp(rest, { ...all, now: 3_000 });
        expect(await marks()).toMatchObject({ threadsTs: then, restDue: null });
      });

      it('stays due for an interruption while it is read', async () => {
        const newest = await holdReading();
        await ledger.finishCatchUp(newest, { ...restDue, now: 2_000 });
        const rest = await holdReading({ now: 3_000, token: 'r2' });
        await ledger.requestCatchUp({ ...asked, isInterrupted: true, now: 4_000 });
        await ledger.finishCatchUp(rest, { ...all, now: 5_000 });
        expect(await marks()).toMatchObject({ restDue: 'later' });
        expect(await claimReading({ now: 5_000, token: 'r3' })).toMatchObject({ channel: 'C1' });
      });

      it('is due in all channels that were read before once one of them missed events', async () => {
        await ledger.confirmUpTo({ team: 'T1', channel: 'C2' }, before);
        const both = { ...asked, channels: ['C1', 'C2'], begunTs: then };
        await ledger.requestCatchUp({ ...both, now: 2_000 });
        const one = await holdReading();
        await ledger.finishCatchUp(one, { ...restDue, now: 2_000 });
        const rest = await holdReading({ now: 3_000, token: 'r2' });
        const other = await holdReading({ now: 3_000, token: 'r3' });
        for (const { token } of [rest, other])
          await ledger.finishCatchUp({ token }, { ...all, now: 3_000 });
        expect(await ledger.nextDue('catch-up')).toBeNull();

        await ledger.requestCatchUp({ ...asked, begunTs: then, now: 4_000 });
        const missed = await holdReading({ now: 4_000, token: 'r4' });
        await ledger.finishCatchUp(missed, { ...restDue, isInterrupted: true, now: 4_000 });
        expect([await marks(), await marks('C2')]).toMatchObject([
          { restDue: 'next' },
          { restDue: 'later' },
        ]);
        const next = [
          await claimReading({ now: 4_001, token: 'r5' }),
          await claimReading({ now: 4_001, token: 'r6' }),
        ];
        expect(next).toMatchObject([{ channel: 'C2' }, { channel: 'C1' }]);
      });

      it('moves no mark once the lease is lost', async () => {
        const lost = { ...(await holdReading()), token: 'another' };
        await ledger.finishCatchUp(lost, { ...restDue, isInterrupted: true, now: 2_000 });
        expect(await marks()).toMatchObject({ confirmedTs: before, restDue: 'later' });
      });
    });
  });
}

import { describe, expect, it } from 'vitest';
import type { NotificationClaim } from '../../src/ledger/index.ts';
import type { LedgerUnderTest } from './ledger-under-test.ts';

/** Contract for every dialect: notifications that are due. */
export function describeNotifications({ ledger, record }: LedgerUnderTest): void {
  describe('a notification', () => {
    const lease = { now: 2_000, until: 61_000, token: 'x' };
    const said = { done: { fingerprint: 'text' }, againAt: null, failed: false, now: 3_000 };

    it('is due when a share is recorded, and is claimed once', async () => {
      const { shareId } = await record();
      expect(await ledger.claimRow('share', lease)).toMatchObject({
        id: shareId,
        replyBegun: 0,
      });
      expect(await ledger.claimRow('share', { ...lease, token: 'y' })).toBeUndefined();
    });

    it('cannot be begun or finished under a lost claim', async () => {
      const { shareId } = await record();
      await ledger.claimRow('share', lease);
      await ledger.sweepLeases(['share'], { now: 61_000 });
      await ledger.claimRow('share', { now: 61_000, until: 121_000, token: 'y' });
      const [lost, kept] = ['x', 'y'].map((token) => ({
        table: 'shares' as const,
        id: shareId,
        token,
      })) as [NotificationClaim, NotificationClaim];
      expect(await ledger.beginReply(lost)).toBe(false);
      const done = { replyTs: '7.5', reaction: 'eyes', fingerprint: 'late' };
      await ledger.finishNotification(lost, { ...said, done });
      // The message is in Slack even though the claim was lost, so its ts is kept.
      expect(await ledger.findShareById(shareId)).toMatchObject({
        replyBegun: 0,
        replyTs: '7.5',
        reaction: null,
        fingerprint: null,
      });
      expect(await ledger.nextDue('share')).toBe(121_000);
      expect(await ledger.beginReply(kept)).toBe(true);
      await ledger.finishNotification(lost, { ...said, done: { replyBegun: 0 } });
      expect(await ledger.findShareById(shareId)).toMatchObject({ replyBegun: 1 });
    });

    it.each([
      ['before', ['slow', 'next']],
      ['after', ['next', 'slow']],
    ])(
      'is due again when a lost claim finishes %s the claim that replaced it',
      async (_, order) => {
        const { shareId } = await record();
        await ledger.claimRow('share', { ...lease, token: 'slow' });
        await ledger.sweepLeases(['share'], { now: 61_000 });
        await ledger.claimRow('share', { now: 61_000, until: 121_000, token: 'next' });
        for (const token of order) {
          const reaction = token === 'slow' ? 'eyes' : 'check';
          const done = { reaction, fingerprint: token };
          const end = { ...said, done, now: 62_000 };
          await ledger.finishNotification({ table: 'shares', id: shareId, token }, end);
        }
        // The next run removes the late reaction, or finds it right.
        expect(await ledger.findShareById(shareId)).toMatchObject({
          ...{ fingerprint: null, reactionBegun: 'eyes' },
        });
        expect(await ledger.nextDue('share')).toBe(62_000);
      },
    );

    it('is due again for a change that came while it was claimed', async () => {
      const { shareId } = await record();
      await ledger.claimRow('share', lease);
      await ledger.noteShareChanged(shareId, 2_050);
      expect(await ledger.claimRow('share', { ...lease, now: 2_100, token: 'y' })).toBeUndefined();
      await ledger.finishNotification({ table: 'shares', id: shareId, token: 'x' }, said);
      expect(await ledger.nextDue('share')).toBe(2_050);
      // Another holder's text may be in place of this one's.
      expect(await ledger.findShareById(shareId)).toMatchObject({ fingerprint: null });
    });

    it('is no longer due once it is finished without a later change', async () => {
      const { shareId } = await record();
      await ledger.claimRow('share', lease);
      await ledger.finishNotification({ table: 'shares', id: shareId, token: 'x' }, said);
      expect(await ledger.nextDue('share')).toBeNull();
      expect(await ledger.findShareById(shareId)).toMatchObject({ fingerprint: 'text' });
    });

    it('counts its failures in a row, and is due at once for a change of its share', async () => {
      const { shareId } = await record();
      const failed = { againAt: 9_000, failed: true, now: 3_000 };
      const claim = (token: string) => ({ table: 'shares' as const, id: shareId, token });
      expect(await ledger.claimRow('share', lease)).toMatchObject({ attempts: 1 });
      await ledger.finishNotification(claim('x'), failed);
      await ledger.noteShareChanged(shareId, 4_000);
      const again = { now: 4_000, until: 61_000 };
      expect(await ledger.claimRow('share', { ...again, token: 'y' })).toMatchObject({
        attempts: 2,
      });
      await ledger.finishNotification(claim('y'), { ...said, againAt: 4_000 });
      expect(await ledger.claimRow('share', { ...again, token: 'z' })).toMatchObject({
        attempts: 1,
      });
    });

    it('is claimed first for shares that no report covers', async () => {
      const input = { team: 'T1', channel: 'C1', kind: 'catch-up' as const, startedBy: null };
      const reportId = await ledger.createReport({ ...input, now: 1 });
      const spoken = await record({ ts: '1' }, { reportId, now: 100 });
      const own = await record({ ts: '2' }, { now: 200 });
      expect(await ledger.nextDue('share')).toBe(1_100);
      expect(await ledger.claimRow('share', lease)).toMatchObject({
        id: own.shareId,
      });
      const rest = { ...lease, token: 'y' };
      expect(await ledger.claimRow('share', rest)).toMatchObject({
        id: spoken.shareId,
      });
      expect(await ledger.claimRow('share', { ...lease, token: 'z' })).toBeUndefined();
    });

    it('of a report follows its first change in five seconds, whatever else changes', async () => {
      const input = { team: 'T1', channel: 'C1', kind: 'backfill' as const, startedBy: null };
      const id = await ledger.createReport({ ...input, now: 1 });
      await ledger.noteReportChanged(id, 2_000);
      await ledger.noteReportChanged(id, 3_000);
      expect(await ledger.nextDue('report')).toBe(7_000);
      expect(await ledger.findReport(id)).toMatchObject({ isDue: true });
      const report = await ledger.findReport(id);
      if (report) await ledger.stopReport(report, 4_500);
      expect(await ledger.nextDue('report')).toBe(4_500);
    });

    it('is due again for a report that changed while it was claimed', async () => {
      const input = { team: 'T1', channel: 'C1', kind: 'backfill' as const, startedBy: null };
      const id = await ledger.createReport({ ...input, now: 1 });
      await ledger.noteReportChanged(id, 2_000);
      const later = { now: 7_000, until: 61_000 };
      await ledger.claimRow('report', { ...later, token: 'x' });
      await ledger.noteReportChanged(id, 7_500);
      await ledger.finishNotification({ table: 'reports', id, token: 'x' }, said);
      expect(await ledger.nextDue('report')).toBe(12_500);
      await ledger.claimRow('report', { ...later, now: 12_500, token: 'y' });
      await ledger.finishNotification({ table: 'reports', id, token: 'y' }, said);
      expect(await ledger.findReport(id)).toMatchObject({ isDue: false });
    });

    it('stores present-day times (over 32 bits) at a change, an end and a crash', async () => {
      const now = 1_800_000_000_000;
      const { shareId } = await record({}, { now });
      const begun = { now: now + 2_000, until: now + 60_000, token: 'x' };
      await ledger.claimRow('share', begun);
      await ledger.noteShareChanged(shareId, now + 3_000);
      const claimed = { table: 'shares' as const, id: shareId, token: 'x' };
      await ledger.finishNotification(claimed, { ...said, now });
      expect(await ledger.nextDue('share')).toBe(now + 3_000);
      await ledger.claimRow('share', { ...begun, now: now + 3_000 });
      expect(await ledger.sweepLeases(['share'], { now: now + 60_000 })).toBe(1);
      expect(await ledger.nextDue('share')).toBe(now + 60_000);
    });

    it('is not due for a parked share', async () => {
      await record({}, { destination: null });
      expect(await ledger.nextDue('share')).toBeNull();
    });
  });
}

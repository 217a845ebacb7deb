import { describe, expect, it } from 'vitest';
import { claimReport, holdMessage } from '../support/claim-next.ts';
import type { LedgerUnderTest } from './ledger-under-test.ts';

/** Contract for every dialect: messages that are due. */
export function describeMessages({ ledger, record, held, hold }: LedgerUnderTest): void {
  const lease = { now: 2_000, until: 61_000, token: 'x' };
  const said = { token: 'x', done: { fingerprint: 'text' }, againAt: null, failed: false };
  const end = { ...said, now: 3_000 };
  const ofShare = (about: number) => ({ kind: 'share', about }) as const;
  const report = { team: 'T1', channel: 'C1', kind: 'catch-up', startedBy: null } as const;

  describe('a message', () => {
    it('is due when its share is recorded, and is claimed once', async () => {
      const { shareId } = await record();
      const blank = { ts: null, begun: 0, fingerprint: null, reaction: null };
      const line = { ...ofShare(shareId), ...blank };
      expect(await ledger.claimMessage(lease)).toMatchObject(line);
      expect(await ledger.findMessage(ofShare(shareId))).toMatchObject({ ...line, isDue: true });
      expect(await ledger.claimMessage({ ...lease, token: 'y' })).toBeUndefined();
    });

    it('cannot be begun or ended under a lost claim', async () => {
      const line = ofShare((await record()).shareId);
      await ledger.claimMessage(lease);
      await ledger.beginReaction(line, 'eyes');
      await ledger.sweepLeases(['message'], { now: 61_000 });
      await ledger.claimMessage({ now: 61_000, until: 121_000, token: 'y' });
      expect(await ledger.beginPost(line, 'x')).toBe(false);
      const done = { ts: '7.5', reaction: 'eyes', fingerprint: 'late' };
      await ledger.endMessage(line, { ...end, done });
      // The message is in Slack even though the claim was lost, so its ts is kept.
      expect(await ledger.findMessage(line)).toMatchObject({
        ...{ begun: 0, ts: '7.5', reaction: null, fingerprint: null },
      });
      expect(await ledger.nextDue('message')).toBe(121_000);
      expect(await ledger.beginPost(line, 'y')).toBe(true);
      await ledger.endMessage(line, { ...end, done: { begun: 0 } });
      expect(await ledger.findMessage(line)).toMatchObject({ begun: 1 });
    });

    it.each([
      ['before', ['slow', 'next']],
      ['after', ['next', 'slow']],
    ])('is due again when a lost claim ends %s the claim that replaced it', async (_, order) => {
      const line = ofShare((await record()).shareId);
      await ledger.claimMessage({ ...lease, token: 'slow' });
      await ledger.beginReaction(line, 'eyes');
      await ledger.sweepLeases(['message'], { now: 61_000 });
      await ledger.claimMessage({ now: 61_000, until: 121_000, token: 'next' });
      for (const token of order) {
        const done = { reaction: token === 'slow' ? 'eyes' : 'check', fingerprint: token };
        await ledger.endMessage(line, { ...end, token, done, now: 62_000 });
      }
      // The next run removes the late reaction, or finds it right.
      expect(await ledger.findMessage(line)).toMatchObject({
        ...{ fingerprint: null, reactionBegun: 'eyes' },
      });
      expect(await ledger.nextDue('message')).toBe(62_000);
    });

    it('is due again for a change that came while it was claimed', async () => {
      const line = ofShare((await record()).shareId);
      await ledger.claimMessage(lease);
      await ledger.beginPost(line, lease.token);
      await ledger.noteShareChanged(line.about, 2_050);
      expect(await ledger.claimMessage({ ...lease, now: 2_100, token: 'y' })).toBeUndefined();
      await ledger.endMessage(line, end);
      expect(await ledger.nextDue('message')).toBe(2_050);
      // Another holder's text may be in place of this one's.
      expect(await ledger.findMessage(line)).toMatchObject({ fingerprint: null });
    });

    it('that is there follows a step in three seconds, and the last one at once', async () => {
      const { shareId, claim } = await held();
      const line = ofShare(shareId);
      await ledger.claimMessage(lease);
      await ledger.beginPost(line, lease.token);
      await ledger.endMessage(line, { ...end, done: { ts: '7.5' } });
      const problem = { code: 'SERVICE_UNREACHABLE', note: null } as const;
      const put = { problem, dueAt: 5_000, failingSince: 4_000 };
      await ledger.postpone(claim, { ...put, now: 4_000 });
      expect(await ledger.nextDue('message')).toBe(7_000);
      const again = await hold({ now: 5_000 });
      await ledger.postpone(again, { ...put, now: 5_500 });
      expect(await ledger.nextDue('message')).toBe(7_000);
      const last = await hold({ now: 6_000 });
      await ledger.markRefused(last, { problem, now: 6_500 });
      expect(await ledger.nextDue('message')).toBe(6_500);
    });

    it('is no longer due once it is ended without a later change', async () => {
      const line = ofShare((await record()).shareId);
      await ledger.claimMessage(lease);
      await ledger.beginPost(line, lease.token);
      await ledger.endMessage(line, end);
      expect(await ledger.nextDue('message')).toBeNull();
      expect(await ledger.findMessage(line)).toMatchObject({ fingerprint: 'text', isDue: false });
    });

    it('counts its failures in a row, and is due at once for a change of its share', async () => {
      const line = ofShare((await record()).shareId);
      expect(await ledger.claimMessage(lease)).toMatchObject({ attempts: 1 });
      await ledger.endMessage(line, { ...end, againAt: 9_000, failed: true });
      await ledger.noteShareChanged(line.about, 4_000);
      const again = { now: 4_000, until: 61_000 };
      expect(await ledger.claimMessage({ ...again, token: 'y' })).toMatchObject({ attempts: 2 });
      await ledger.endMessage(line, { ...end, token: 'y', againAt: 4_000 });
      expect(await ledger.claimMessage({ ...again, token: 'z' })).toMatchObject({ attempts: 1 });
    });

    it('is claimed first where nothing is shown yet, and last where a report covers it', async () => {
      const reportId = await ledger.createReport({ ...report, dueAt: 1_500, now: 1 });
      const { shareId: covered } = await record({ ts: '1' }, { reportId, now: 100 });
      const { shareId: shown } = await record({ ts: '2' }, { now: 150 });
      const { shareId: own } = await record({ ts: '3' }, { now: 200 });
      const first = await holdMessage(ledger, { ...lease, token: 'first' });
      expect(first).toMatchObject(ofShare(shown));
      await ledger.beginReaction(ofShare(shown), 'eyes');
      const done = { reaction: 'eyes' };
      await ledger.endMessage(ofShare(shown), { ...end, token: 'first', done, againAt: 300 });
      await ledger.noteShareChanged(shown, 400);
      for (const expected of [
        ofShare(own),
        { kind: 'report', about: reportId },
        ofShare(shown),
        ofShare(covered),
      ])
        expect(await ledger.claimMessage(lease)).toMatchObject(expected);
      expect(await ledger.claimMessage({ ...lease, token: 'z' })).toBeUndefined();
    });

    it('of a report follows its first change in five seconds, whatever else changes', async () => {
      const reportId = await ledger.createReport({ ...report, now: 1 });
      const { shareId } = await record({}, { reportId, now: 1 });
      const line = { kind: 'report', about: reportId } as const;
      expect(await ledger.findMessage(line)).toMatchObject({ isDue: false });
      await ledger.noteShareChanged(shareId, 2_000);
      await ledger.noteShareChanged(shareId, 3_000);
      expect(await ledger.findMessage(line)).toMatchObject({ isDue: true });
      expect(await claimReport(ledger, { ...lease, now: 6_999 })).toBeUndefined();
      const row = await ledger.findReport(reportId);
      if (row) await ledger.stopReport(row, 6_500);
      expect(await claimReport(ledger, { ...lease, now: 6_500 })).toMatchObject({ id: reportId });
    });

    it('of a report that changed while it was claimed is due again', async () => {
      const reportId = await ledger.createReport({ ...report, dueAt: 2_000, now: 1 });
      const line = { kind: 'report', about: reportId } as const;
      const { shareId } = await record({}, { reportId, now: 1 });
      const { token = '' } = (await claimReport(ledger, lease)) ?? {};
      await ledger.noteShareChanged(shareId, 2_500);
      await ledger.endMessage(line, { ...end, token });
      expect(await claimReport(ledger, { ...lease, now: 7_499, token: 'y' })).toBeUndefined();
      const again = await claimReport(ledger, { ...lease, now: 7_500, token: 'z' });
      await ledger.endMessage(line, { ...end, token: again?.token ?? '' });
      expect(await ledger.findMessage(line)).toMatchObject({ isDue: false });
    });

    it('stores present-day times (over 32 bits) at a change, an end and a crash', async () => {
      const now = 1_800_000_000_000;
      const line = ofShare((await record({}, { now })).shareId);
      const begun = { now: now + 2_000, until: now + 60_000, token: 'x' };
      await ledger.claimMessage(begun);
      await ledger.noteShareChanged(line.about, now + 3_000);
      await ledger.endMessage(line, { ...said, now });
      expect(await ledger.nextDue('message')).toBe(now + 3_000);
      await ledger.claimMessage({ ...begun, now: now + 3_000 });
      expect(await ledger.sweepLeases(['message'], { now: now + 60_000 })).toBe(1);
      expect(await ledger.nextDue('message')).toBe(now + 60_000);
    });

    it('is not due for a parked share', async () => {
      await record({}, { destination: null });
      expect(await ledger.nextDue('message')).toBeNull();
    });
  });
}

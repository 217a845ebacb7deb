import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/base/index.ts';
import { folderNumber } from '../../src/core/index.ts';
import { folderLink, recording, sharedFile } from '../support/builders.ts';
import { claimReport, notifyNext } from '../support/claim-next.ts';
import { claim, destination, type LedgerUnderTest, upload } from './ledger-under-test.ts';

/** Contract for every dialect: files that wait for more than their turn. */
export function describeWaitingFiles(under: LedgerUnderTest): void {
  const { ledger, record, claimNext, hold, nextDueAt } = under;
  const { announce, claimLook, endFolder, states } = under;
  const ref = { team: 'T1', channel: 'C1' };
  describe('a parked file', () => {
    it("makes isFirstParked true if it is its sharer's first in a channel with no folder", async () => {
      const parked = async (ts: string, userId: string, files = [sharedFile()]) => {
        const given = recording({ ts, userId, files }, { destination: null, now: 1 });
        return (await ledger.recordShare(given)).firstParkedId ?? 0;
      };
      const isFirst = async (...given: Parameters<typeof parked>) =>
        ledger.isFirstParked(ref, { transferId: await parked(...given), userId: given[1] });
      expect(await isFirst('1', 'U1')).toBe(true);
      expect(await isFirst('2', 'U1')).toBe(false);
      expect(await isFirst('3', 'U2')).toBe(true);
      expect(await isFirst('3', 'U2', [sharedFile({ id: 'F2' })])).toBe(false);
      await ledger.fileParked(ref, { destination: { projectId: 1, folderId: 2 }, now: 2 });
      expect(await isFirst('4', 'U1')).toBe(true);
    });

    it('stays parked until somebody files it', async () => {
      await record({}, { destination: null });
      expect(await claimNext(claim)).toBeNull();
      expect(await ledger.countParked(ref)).toBe(1);
      expect(await ledger.fileParked(ref, { destination, now: 1_000 })).toBe(1);
      expect(await ledger.countParked(ref)).toBe(0);
      expect(await claimNext(claim)).toMatchObject({ destination });
    });

    it('is filed with its share alone by fileShare, in its own line', async () => {
      const { shareId: id } = await record({ ts: '1' }, { destination: null });
      await record({ ts: '2' }, { destination: null });
      const to = { destination, now: 1_000 };
      expect(await ledger.fileShare({ ...ref, id }, to)).toBe(1);
      expect(await ledger.countParked(ref)).toBe(1);
      expect(await claimNext(claim)).toMatchObject({ shareId: id, destination });
      expect(await ledger.claimMessage({ now: 1_000, until: 2_000, token: 'm' })).toMatchObject({
        ...{ kind: 'share', about: id },
      });
    });

    it('that a stopped backfill left in Slack is shown with its message by fileShare', async () => {
      const backfill = { ...ref, kind: 'backfill', startedBy: 'U1' } as const;
      const reportId = await ledger.createReport({ ...backfill, now: 1 });
      const { shareId: id } = await record({}, { origin: 'backfill', reportId });
      const report = await ledger.findReport(reportId);
      if (report) await ledger.stopReport(report, 1_000);
      expect(await ledger.fileShare({ ...ref, id }, { destination, now: 2_000 })).toBe(1);
      const [{ queue } = { queue: '' }] = await ledger.transfersOfShare(id);
      expect(queue).toBe('T1/C1');
    });

    it('that somebody saved by hand is not filed by fileShare', async () => {
      const { shareId: id } = await record({}, { origin: 'saved', savedBy: 'U1' });
      await ledger.markRefused(await hold(), {
        ...{ problem: { code: 'SERVICE_FAILED', note: null }, now: 2 },
      });
      await ledger.leaveTroubled(ref, { parkedToo: true, now: 3 });
      expect(await ledger.fileShare({ ...ref, id }, { destination, now: 4 })).toBe(0);
    });

    it('forgets its earlier failures when it is parked', async () => {
      const put = { problem: { code: 'SERVICE_FAILED', note: null }, dueAt: 90 } as const;
      const backfill = { team: 'T1', channel: 'C1', kind: 'backfill', startedBy: 'U1' } as const;
      const report = await ledger.createReport({ ...backfill, now: 1 });
      const stopped = await record({}, { origin: 'backfill', reportId: report });
      const left = await record({ channel: 'C2' });
      for (const { shareId } of [stopped, left]) {
        const own = await hold({ token: `t${shareId}` });
        await ledger.postpone(own, { ...put, failingSince: 1, now: 2 });
      }
      const row = await ledger.findReport(report);
      if (row) await ledger.stopReport(row, 1_000);
      await ledger.parkWaiting({ team: 'T1', channel: 'C2' }, { from: destination, now: 1_000 });
      for (const { shareId } of [stopped, left])
        expect((await ledger.transfersOfShare(shareId))[0]).toMatchObject({
          ...{ state: 'parked', problem: null, failures: 1, failingSince: null },
        });
    });

    it('is filed under one report, oldest first, behind new shares, if there are many', async () => {
      const now = 1_800_000_000_000;
      const timestamps = Array.from({ length: 21 }, (_, n) => `17000000${50 - n}.000100`);
      for (const ts of timestamps) await record({ ts }, { destination: null });
      const to = { destination, startedBy: 'U1', now };
      expect(await ledger.fileParked(ref, to)).toBe(21);
      const report = await claimReport(ledger, { now, until: now + 9, token: 'r' });
      expect(report).toMatchObject({ ...ref, kind: 'backfill', startedBy: 'U1' });
      expect((await ledger.filesOfReport(report?.id ?? 0)).states).toEqual({ recorded: 21 });
      expect(await ledger.nextDue('message')).toBe(now + 9);
      const first = await claimNext({ ...claim, now, until: now + 9 });
      const { ts, origin } = (await ledger.findShareById(first?.shareId ?? 0)) ?? {};
      expect({ ts, origin }).toEqual({ ts: timestamps.at(-1), origin: 'backfill' });
      const { shareId } = await record({ ts: '9' }, { now });
      expect(await claimNext({ ...claim, now, until: now + 9, token: 't2' })).toMatchObject({
        shareId,
      });
      if (report) await ledger.stopReport(report, now);
      expect(await ledger.countParked(ref, 'past')).toBe(20);
    });

    it('keeps a message of its own if there are few, or if it already has one', async () => {
      const { shareId: shown } = await record({ ts: '0' }, { destination: null });
      await ledger.noteShareChanged(shown, 1);
      await notifyNext(ledger, { ts: '99' }, 1);
      for (let n = 1; n < 20; n += 1) await record({ ts: `${n}` }, { destination: null });
      expect(await ledger.fileParked(ref, { destination, now: 1_000 })).toBe(20);
      expect(await ledger.nextDue('message')).toBe(1_000);
      expect(await claimReport(ledger, { now: 1_000, until: 2_000, token: 'r' })).toBeUndefined();
      await ledger.parkWaiting(ref, { from: destination, now: 2_000 });
      await record({ ts: '20' }, { destination: null });
      expect(await ledger.fileParked(ref, { destination, now: 3_000 })).toBe(21);
      expect(await ledger.findShareById(shown)).toMatchObject({ origin: 'event' });
    });

    it('keeps a message of its own if something may be shown there, now or in a moment', async () => {
      const { shareId: begun } = await record({ ts: '0' });
      const { shareId: posted } = await record({ ts: '1' });
      const { shareId: claimed } = await record({ ts: '2' });
      await ledger.beginReaction({ kind: 'share', about: begun }, 'eyes');
      await notifyNext(ledger, {}, 2_000);
      // A post without an answer.
      await notifyNext(ledger, { begun: 1 }, 2_000);
      await ledger.claimMessage({ now: 2_000, until: 9_000, token: 's' });
      await ledger.parkWaiting(ref, { from: destination, now: 2_000 });
      for (let n = 3; n <= 20; n += 1) await record({ ts: `${n}` }, { destination: null });
      expect(await ledger.fileParked(ref, { destination, now: 3_000 })).toBe(21);
      for (const id of [begun, posted, claimed])
        expect(await ledger.findShareById(id)).toMatchObject({ origin: 'event' });
      const due = { now: 3_000, until: 9_000, token: 'due' };
      expect(await claimReport(ledger, due)).toBeDefined();
      for (const id of [begun, posted])
        expect(await ledger.claimMessage(due)).toMatchObject({ about: id });
    });

    it('has its line made due, if it has one, when a report begins or ends with it', async () => {
      const now = 1_800_000_000_000;
      const { shareId: shown } = await record({ ts: '0' }, { destination: null });
      await ledger.noteShareChanged(shown, 1);
      await notifyNext(ledger, { ts: '99' }, 1);
      for (let n = 1; n <= 20; n += 1) await record({ ts: `${n}` }, { destination: null });
      expect(await ledger.fileParked(ref, { destination, now })).toBe(21);
      expect(await ledger.nextDue('message')).toBe(now);
      const report = await claimReport(ledger, { now, until: now + 9, token: 'r' });
      await notifyNext(ledger, { fingerprint: 'waits' }, now);
      expect(await ledger.nextDue('message')).toBe(now + 9);
      if (report) await ledger.stopReport(report, now + 1);
      expect(await ledger.nextDue('message')).toBe(now + 1);
      const other = await ledger.claimMessage({ now: now + 1, until: now + 9, token: 't' });
      expect(other).toMatchObject({ kind: 'share', about: shown });
      expect(
        await ledger.claimMessage({ now: now + 1, until: now + 9, token: 'u' }),
      ).toBeUndefined();
    });
  });

  describe('a create whose folder is gone', () => {
    it('is left in Slack by parkWaiting, but not before a look after its refusal', async () => {
      await ledger.setLink(ref, folderLink());
      const { shareId } = await record();
      const own = await hold();
      await ledger.markUploaded(own, upload);
      await announce(own, 2_000);
      const refusal = { code: 'DESTINATION_GONE' as const, note: null };
      await ledger.markAnswered(own, { answeredAt: 3_000, serviceTime: null, refusal });
      expect(await ledger.parkWaiting(ref, { from: destination, now: 3_000 })).toBe(0);
      await endFolder(own, 3_000);
      expect(await claimLook(own, 3_000)).toMatchObject([{ id: own.id }]);
      const looked = { problem: refusal, reason: refusal.code, now: 3_000, scale: 1 };
      await ledger.openHold({ ...looked, scope: folderNumber(destination), claim: own });
      expect(await ledger.parkWaiting(ref, { from: destination, now: 3_000 })).toBe(1);
      expect(await states(shareId)).toEqual(['parked']);
    });
  });

  describe('a file that waits for the service', () => {
    const channel = { team: 'T1', channel: 'C2' };

    /** Records a share and postpones its transfer with this code. */
    async function putOff(code: ErrorCode, overrides = {}, token = 't'): Promise<void> {
      await record(overrides);
      const held = await hold({ token });
      const put = { problem: { code, note: null }, dueAt: 9_000, failingSince: 1, now: 1_000 };
      await ledger.postpone(held, put);
    }

    it('is the only kind of file that hurryWaitingFor makes due for that problem', async () => {
      await putOff('SERVICE_TIMEOUT');
      await putOff('SERVICE_FAILED', channel);
      expect(await ledger.hurryWaitingFor(['SERVICE_TIMEOUT'], 2_000)).toBe(1);
      expect(await nextDueAt()).toBe(2_000);
      expect(await ledger.hurryWaitingFor(['SERVICE_TIMEOUT'], 2_000)).toBe(0);
    });

    it('is left to its holder by hurryWaitingFor', async () => {
      await putOff('SERVICE_TIMEOUT');
      await claimNext({ ...claim, now: 9_000, until: 39_000 });
      expect(await ledger.hurryWaitingFor(['SERVICE_TIMEOUT'], 10_000)).toBe(0);
    });
  });
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Dialect, type Ledger, openLedger } from '../../src/ledger/index.ts';
import { share, sharedFile } from '../support/shares.ts';

const destination = { projectId: 1, folderId: 2 };
const claim = { now: 1_000, leaseUntil: 31_000, token: 't1', afterQueue: '' };

/** What every dialect of the ledger must do. */
export function describeLedger(name: string, open: () => Promise<Dialect>): void {
  describe(`ledger on ${name}`, () => {
    let ledger: Ledger;
    beforeEach(async () => {
      ledger = await openLedger(await open(), 0);
    });
    afterEach(() => ledger.close());

    const record = (overrides = {}, rest = {}) =>
      ledger.recordShare({
        share: share(overrides),
        origin: 'event',
        destination,
        reportId: null,
        now: 1_000,
        ...rest,
      });

    describe('recording a share', () => {
      it('records each file once, however often it is delivered', async () => {
        const files = [sharedFile(), sharedFile({ id: 'F2' })];
        expect((await record({ files })).transfers).toBe(2);
        expect((await record({ files })).transfers).toBe(0);
        expect((await record({ files: [...files, sharedFile({ id: 'F3' })] })).transfers).toBe(1);
      });

      it('takes the same file in another message for another share', async () => {
        await record();
        expect((await record({ ts: '1700000001.000100' })).transfers).toBe(1);
        expect((await record({ channel: 'C2' })).transfers).toBe(1);
      });

      it('records one row when deliveries race', async () => {
        const results = await Promise.all([record(), record(), record()]);
        expect(results.map((r) => r.transfers).sort()).toEqual([0, 0, 1]);
      });

      it('keeps all of a hostile name', async () => {
        const name = `'"); drop table shares; -- 📎 ${'x'.repeat(180)}.pdf`;
        const { shareId } = await record({ files: [sharedFile({ name })] });
        expect((await ledger.transfersOfShare(shareId))[0]?.file.name).toBe(name);
      });
    });

    describe('claiming', () => {
      it('gives a transfer to one claim only, until its lease ends', async () => {
        await record();
        expect(await ledger.claimTransfer(claim)).toMatchObject({
          name: 'report.pdf',
          attempts: 1,
        });
        expect(await ledger.claimTransfer({ ...claim, token: 't2' })).toBeNull();
        const later = { ...claim, now: 31_000, leaseUntil: 61_000, token: 't2' };
        expect(await ledger.claimTransfer(later)).toMatchObject({ attempts: 2, losses: 1 });
      });

      it('lets queues take turns', async () => {
        for (const ts of ['1', '2', '3']) await record({ ts });
        await record({ channel: 'C2', ts: '9' });
        const first = await ledger.claimTransfer({ ...claim, token: 'a' });
        const second = await ledger.claimTransfer({
          ...claim,
          token: 'b',
          afterQueue: first?.queue ?? '',
        });
        expect([first?.queue, second?.queue]).toEqual(['T1/C1', 'T1/C2']);
      });

      it('renews what it still holds and names it', async () => {
        await record();
        await ledger.claimTransfer(claim);
        expect(await ledger.renewLeases(['t1', 'gone'], 90_000)).toEqual(new Set(['t1']));
        expect(await ledger.claimTransfer({ ...claim, now: 80_000, token: 't2' })).toBeNull();
      });

      it('hands back without counting the attempt', async () => {
        await record();
        const held = await ledger.claimTransfer(claim);
        await ledger.releaseTransfer({ id: held?.id ?? 0, token: 't1' }, 1_000);
        expect(await ledger.claimTransfer({ ...claim, token: 't2' })).toMatchObject({
          attempts: 1,
          losses: 0,
        });
      });

      it('knows when the next one comes due', async () => {
        expect(await ledger.nextDue()).toBeNull();
        await record();
        expect(await ledger.nextDue()).toBe(1_000);
      });
    });

    describe('steps', () => {
      const held = async () => {
        const { shareId } = await record();
        const transfer = await ledger.claimTransfer(claim);
        return { shareId, claim: { id: transfer?.id ?? 0, token: 't1' } };
      };
      const upload = { attachmentId: 7, byteSize: 10, serviceTime: 5_000 };

      it('go from upload over intent to filed', async () => {
        const { shareId, claim: c } = await held();
        await ledger.markUploaded(c, upload);
        await ledger.markCreating(c, 2_000);
        await ledger.markFiled(c, { recordId: 70, now: 3_000 });
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'filed', recordId: 70, attachmentId: 7, nextAt: null, leaseToken: null },
        ]);
        expect(await ledger.claimTransfer({ ...claim, now: 10 ** 12, token: 't9' })).toBeNull();
      });

      it('take the intent again, when a create is sent anew by the same claim', async () => {
        const { shareId, claim: c } = await held();
        await ledger.markUploaded(c, upload);
        await ledger.markCreating(c, 2_000);
        await ledger.markCreating(c, 2_500);
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'creating', creatingSince: 2_500 },
        ]);
      });

      it('refuse a claim that was lost', async () => {
        const { claim: c } = await held();
        await ledger.claimTransfer({ ...claim, now: 31_000, leaseUntil: 61_000, token: 't2' });
        const lost = { code: 'LEASE_LOST' };
        await expect(ledger.markUploaded(c, upload)).rejects.toMatchObject(lost);
        const problem = { code: 'SERVICE_FAILED' as const, note: null };
        await expect(
          ledger.postpone(c, { problem, nextAt: 5, failingSince: 3, now: 3 }),
        ).rejects.toMatchObject(lost);
        await expect(ledger.markRefused(c, { problem, now: 3 })).rejects.toMatchObject(lost);
      });

      it('refuse a step that is not legal', async () => {
        const { claim: c } = await held();
        await expect(ledger.markFiled(c, { recordId: 1, now: 1 })).rejects.toMatchObject({
          code: 'LEASE_LOST',
        });
      });

      it('never give one record to two transfers', async () => {
        await record();
        await record({ ts: '2' });
        for (const token of ['a', 'b']) {
          const transfer = await ledger.claimTransfer({ ...claim, token });
          const c = { id: transfer?.id ?? 0, token };
          await ledger.markUploaded(c, upload);
          await ledger.markCreating(c, 2_000);
          const filed = ledger.markFiled(c, { recordId: 70, now: 3_000 });
          if (token === 'a') await filed;
          else await expect(filed).rejects.toThrow();
        }
        expect(await ledger.claimedRecords(destination, [70, 71])).toEqual(new Set([70]));
      });

      it('return a refused transfer to the state it was refused in', async () => {
        const { shareId, claim: c } = await held();
        await ledger.markUploaded(c, upload);
        await ledger.markCreating(c, 2_000);
        const problem = { code: 'SERVICE_FORBIDDEN' as const, note: 'no' };
        await ledger.markRefused(c, { problem, now: 3_000 });
        expect(await ledger.nextDue()).toBeNull();
        expect(await ledger.retryShare(shareId, 4_000)).toBe(1);
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'creating', problem: null, nextAt: 4_000 },
        ]);
      });

      it('retry twins that were refused on their way one after another', async () => {
        const files = [sharedFile(), sharedFile({ id: 'F2' })];
        const { shareId } = await record({ files });
        const problem = { code: 'SERVICE_FORBIDDEN' as const, note: null };
        for (const token of ['a', 'b']) {
          const transfer = await ledger.claimTransfer({ ...claim, token });
          const c = { id: transfer?.id ?? 0, token };
          await ledger.markUploaded(c, upload);
          await ledger.markCreating(c, 2_000);
          await ledger.markRefused(c, { problem, now: 3_000 });
        }
        expect(await ledger.retryShare(shareId, 4_000)).toBe(1);
        const states = (await ledger.transfersOfShare(shareId)).map((transfer) => transfer.state);
        expect(states).toEqual(['creating', 'refused']);
      });

      it('upload anew for another folder, and only then', async () => {
        const { shareId, claim: c } = await held();
        await ledger.markUploaded(c, upload);
        await ledger.releaseTransfer(c, 1_000);
        await ledger.redirectShare(shareId, destination);
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'uploaded' }]);
        await ledger.redirectShare(shareId, { projectId: 1, folderId: 3 });
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'recorded', attachmentId: null, destination: { projectId: 1, folderId: 3 } },
        ]);
      });

      it('keep twins from being on their way at the same time', async () => {
        await record();
        await record({ ts: '2' });
        const claims = [];
        for (const token of ['a', 'b']) {
          const transfer = await ledger.claimTransfer({ ...claim, token });
          claims.push({ id: transfer?.id ?? 0, token });
          await ledger.markUploaded({ id: transfer?.id ?? 0, token }, upload);
        }
        const [first, second] = claims as [(typeof claims)[0], (typeof claims)[0]];
        await ledger.markCreating(first, 1);
        await expect(ledger.markCreating(second, 1)).rejects.toMatchObject({
          code: 'LEDGER_CONFLICT',
        });
        await ledger.markFiled(first, { recordId: 70, now: 2 });
        await expect(ledger.markCreating(second, 3)).resolves.toBeUndefined();
      });

      it('postpone with the reason and since when', async () => {
        const { shareId, claim: c } = await held();
        const problem = { code: 'SERVICE_FAILED' as const, note: '503' };
        await ledger.postpone(c, { problem, nextAt: 9_000, failingSince: 3_000, now: 3_000 });
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          {
            state: 'recorded',
            failures: 1,
            failingSince: 3_000,
            problem: 'SERVICE_FAILED',
            nextAt: 9_000,
          },
        ]);
      });
    });

    describe('telling', () => {
      const tell = { now: 2_000, claimUntil: 61_000, token: 'x' };
      const told = { told: 'text', tellAgainAt: null, failed: false, now: 3_000 };

      it('is due when a share is recorded, and claimed once', async () => {
        const { shareId } = await record();
        expect(await ledger.claimShareToTell(tell)).toMatchObject({ id: shareId, replyBegun: 0 });
        expect(await ledger.claimShareToTell({ ...tell, token: 'y' })).toBeUndefined();
      });

      it('comes again for a change that came meanwhile', async () => {
        const { shareId } = await record();
        const row = await ledger.claimShareToTell(tell);
        await ledger.shareChanged(shareId, 1_500);
        expect(await ledger.claimShareToTell({ ...tell, now: 2_100, token: 'y' })).toBeUndefined();
        const version = row?.tellVersion ?? -1;
        await ledger.finishTelling(
          { table: 'shares', id: shareId, token: 'x' },
          { ...told, version },
        );
        expect(await ledger.nextTelling('shares')).toBe(3_000);
      });

      it('ends when all is told', async () => {
        const { shareId } = await record();
        const row = await ledger.claimShareToTell(tell);
        const version = row?.tellVersion ?? -1;
        await ledger.finishTelling(
          { table: 'shares', id: shareId, token: 'x' },
          { ...told, version },
        );
        expect(await ledger.nextTelling('shares')).toBeNull();
      });

      it('is not due for a share that is parked', async () => {
        await record({}, { destination: null });
        expect(await ledger.nextTelling('shares')).toBeNull();
      });
    });

    describe('channels', () => {
      const ref = { team: 'T1', channel: 'C1' };
      const link = { ...destination, folderName: 'Invoices', linkedBy: 'U1', linkedAt: 5 };

      it('are linked, linked anew and unlinked', async () => {
        expect(await ledger.findLink(ref)).toBeNull();
        await ledger.setLink(ref, link);
        await ledger.setLink(ref, { ...link, folderId: 3 });
        expect(await ledger.findLink(ref)).toEqual({ ...link, folderId: 3 });
        await ledger.removeLink(ref);
        expect(await ledger.findLink(ref)).toBeNull();
      });

      it('keep the furthest confirmed message', async () => {
        await ledger.confirmUpTo(ref, '1700000002.000000');
        await ledger.confirmUpTo(ref, '1700000001.000000');
        expect(await ledger.listChannels()).toEqual([
          { ...ref, linked: false, confirmedTs: '1700000002.000000' },
        ]);
      });

      it('get one hint a day', async () => {
        expect(await ledger.claimHint(ref, '2026-01-01')).toBe(true);
        expect(await ledger.claimHint(ref, '2026-01-01')).toBe(false);
        expect(await ledger.claimHint(ref, '2026-01-02')).toBe(true);
      });

      it('park files until somebody files them', async () => {
        await record({}, { destination: null });
        expect(await ledger.claimTransfer(claim)).toBeNull();
        expect(await ledger.countParked(ref)).toBe(1);
        expect(await ledger.fileParked(ref, { destination, now: 1_000 })).toBe(1);
        expect(await ledger.countParked(ref)).toBe(0);
        expect(await ledger.claimTransfer(claim)).toMatchObject({ destination });
      });
    });

    describe('reports', () => {
      it('count their transfers and stop what has not begun', async () => {
        const input = {
          team: 'T1',
          channel: 'C1',
          kind: 'backfill' as const,
          startedBy: 'U1',
          now: 1,
        };
        const reportId = await ledger.createReport(input);
        const past = { origin: 'backfill' as const, reportId };
        for (const ts of ['1', '2', '3']) await record({ ts }, past);
        await ledger.claimTransfer(claim);
        const report = await ledger.findReport(reportId);
        if (report) await ledger.stopReport(report, 2_000);
        expect(await ledger.countReport(reportId)).toEqual({ recorded: 1, parked: 2 });
        expect(
          await ledger.claimReportToTell({ now: 2_000, claimUntil: 3_000, token: 'r' }),
        ).toMatchObject({ id: reportId, stopped: 1 });
      });
    });

    it('knows until when the process before may have sent requests', async () => {
      expect(await ledger.beginRun(1_000)).toBeNull();
      expect(await ledger.beginRun(2_000)).toBe(2_000);
      await ledger.endRun(2_000, 3_000);
      expect(await ledger.beginRun(9_000)).toBe(3_000);
    });

    it('knows that the process goes on that began before another one ended', async () => {
      await ledger.beginRun(1_000);
      await ledger.beginRun(2_000);
      await ledger.endRun(1_000, 3_000);
      expect(await ledger.beginRun(9_000)).toBe(9_000);
    });

    describe('catching up', () => {
      const channel = { team: 'T1', channel: 'C1' };
      const mine = { ...channel, until: 5_000 };
      const theirs = { ...channel, until: 6_000 };

      it('is for one at a time, and tells how far the one before came', async () => {
        expect(await ledger.claimCatchUp(mine, 1_000)).toEqual({
          confirmedTs: null,
          caughtUpAt: null,
        });
        expect(await ledger.claimCatchUp(theirs, 2_000)).toBeNull();
        await ledger.confirmUpTo(channel, '1700000000.000000');
        await ledger.endCatchUp(mine, 1_500);
        expect(await ledger.claimCatchUp(theirs, 2_000)).toEqual({
          caughtUpAt: 1_500,
          confirmedTs: '1700000000.000000',
        });
      });

      it('goes to another when the claim has run out, and the first one learns of it', async () => {
        await ledger.claimCatchUp(mine, 1_000);
        expect(await ledger.claimCatchUp(theirs, 5_000)).not.toBeNull();
        expect(await ledger.renewCatchUp(mine, 9_000)).toBe(false);
        await ledger.endCatchUp(mine, null);
        expect(await ledger.renewCatchUp(theirs, 9_000)).toBe(true);
        expect(await ledger.claimCatchUp({ ...channel, until: 20_000 }, 8_000)).toBeNull();
      });
    });

    it('says whether it can be written', async () => {
      await expect(ledger.check()).resolves.toBeUndefined();
    });
  });
}

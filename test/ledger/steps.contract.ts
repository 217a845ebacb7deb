import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/ledger/index.ts';
import { sharedFile } from '../support/builders.ts';
import {
  claim,
  destination,
  elsewhere,
  type LedgerUnderTest,
  upload,
} from './ledger-under-test.ts';

/** Contract for every dialect: the steps of a transfer. */
export function describeSteps(under: LedgerUnderTest): void {
  const { ledger, record, claimNext, hold, claimEach, nextDueAt, held } = under;
  const { announce, claimLook, endFolder } = under;
  describe('a transfer', () => {
    it('stores present-day times (over 32 bits) at an upload and after a crash', async () => {
      const { claim: c } = await held();
      const now = 1_800_000_000_000;
      await ledger.markUploaded(c, { ...upload, now });
      expect(await nextDueAt()).toBe(now);
      await announce({ token: 't2' }, now);
      expect(await ledger.sweepLeases(['upload', 'folder'], { now: now + 60_000 })).toBe(1);
      expect(await ledger.nextDue('folder')).toBe(now + 60_000);
    });

    it('goes from uploaded over creating to filed', async () => {
      const { shareId, claim: c } = await held();
      await ledger.markUploaded(c, upload);
      await announce(c, 2_000);
      const recordUrl = 'https://files.example/70';
      await ledger.markFiled({ claim: c, recordId: 70, recordUrl, now: 3_000 });
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'filed', recordId: 70, recordUrl, attachmentId: 7, isClaimed: false },
      ]);
      await endFolder(c, 3_000);
      expect(await claimNext({ ...claim, now: 10 ** 12, token: 't9' })).toBeNull();
      expect(await nextDueAt()).toBeNull();
    });

    it('is uploaded again at once if it was uploaded to another project than its folder’s', async () => {
      const { shareId, claim: c } = await held();
      await ledger.markUploaded(c, { ...upload, projectId: 9 });
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'recorded', attachmentId: null, isClaimed: false },
      ]);
      expect(await claimNext({ ...claim, now: upload.now, token: 't2' })).toMatchObject({
        id: c.id,
      });
    });

    it('is uploaded by nobody once it was refused beside its upload', async () => {
      const { shareId, claim: c } = await held();
      const problem = { code: 'SERVICE_REFUSED' as const, note: null };
      await ledger.markRefused(c, { problem, now: 1_500 });
      await expect(ledger.markUploaded(c, upload)).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(await nextDueAt()).toBeNull();
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'refused', refusedIn: 'recorded' },
      ]);
    });

    it('rejects a step under a lost claim with LEASE_LOST', async () => {
      const { claim: c } = await held();
      await ledger.sweepLeases(['upload', 'folder'], { now: 31_000 });
      await claimNext({ ...claim, now: 31_000, until: 61_000, token: 't2' });
      const lost = { code: 'LEASE_LOST' };
      await expect(ledger.markUploaded(c, upload)).rejects.toMatchObject(lost);
      const problem = { code: 'SERVICE_FAILED' as const, note: null };
      await expect(
        ledger.postpone(c, { problem, dueAt: 5, failingSince: 3, now: 3 }),
      ).rejects.toMatchObject(lost);
      await expect(ledger.markRefused(c, { problem, now: 3 })).rejects.toMatchObject(lost);
    });

    it('rejects an illegal step with LEASE_LOST', async () => {
      const { claim: c } = await held();
      await expect(ledger.markFiled({ claim: c, recordId: 1, now: 1 })).rejects.toMatchObject({
        code: 'LEASE_LOST',
      });
    });

    it('is filed without a create only if it was looked for', async () => {
      await ledger.beginRun(1);
      const { claim: own } = await held();
      await ledger.markUploaded(own, upload);
      await ledger.endJob(own, { dueAt: null });
      const folder = { ...claim, token: 'folder', until: 2_000 };
      expect(await ledger.claimFiling(folder)).toMatchObject({ kind: 'folder' });
      const filed = { recordId: 70, now: 1_500 };
      const early = ledger.markFiled({ claim: { ...own, token: 'folder' }, ...filed });
      await expect(early).rejects.toMatchObject({ code: 'LEASE_LOST' });
      await ledger.beginRun(3_000);
      await ledger.sweepLeases(['folder'], { now: 3_000 });
      await ledger.claimFiling({ ...folder, now: 3_000, until: 9_000, token: 'look' });
      await ledger.markFiled({ claim: { ...own, token: 'look' }, ...filed });
      expect(await ledger.transfersOfShare(1)).toMatchObject([{ state: 'filed', recordId: 70 }]);
    });

    describe('that history brought', () => {
      const found = () => record({ isMarked: true }, { origin: 'catch-up' });
      const look = { ...claim, token: 'look' };
      const sought = async () => (await ledger.unfiledIn(destination))[0] ?? expect.unreachable();
      const looked = async () => {
        expect(await ledger.claimFiling(look)).toMatchObject({ kind: 'folder', destination });
        return { id: (await sought()).id, token: look.token };
      };
      const again = { ...look, now: 3_000 };

      it('is looked for before it is sent, and filed as the record found', async () => {
        const { shareId } = await found();
        const own = await looked();
        expect(await ledger.claimFiling({ ...claim, token: 'upload' })).toBeNull();
        await ledger.markFiled({ claim: own, recordId: 70, byteSize: 10, now: 2_000 });
        await ledger.endJob(own, { dueAt: null });
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'filed', recordId: 70, byteSize: 10 },
        ]);
        expect(await ledger.unfiledIn(destination)).toEqual([]);
      });

      it('is sent in its turn when it is not found', async () => {
        await found();
        const own = await looked();
        await ledger.sendAfterLook(own, 2_000);
        await ledger.endJob(own, { dueAt: null });
        expect(await ledger.unfiledIn(destination)).toEqual([]);
        expect(await ledger.claimFiling({ ...claim, now: 2_000 })).toMatchObject({
          ...{ kind: 'upload', attempts: 1 },
          transfer: { state: 'recorded', earlier: null },
        });
      });

      it('is not filed as a record of the folder that a relink has taken it from', async () => {
        await found();
        const own = await looked();
        const ref = { team: 'T1', channel: 'C1' };
        await ledger.moveWaiting(ref, { from: destination, to: elsewhere, now: 1_500 });
        const filed = ledger.markFiled({ claim: own, recordId: 70, now: 2_000 });
        await expect(filed).rejects.toMatchObject({ code: 'LEASE_LOST' });
        await ledger.endJob(own, { dueAt: null });
        const next = await ledger.claimFiling({ ...look, now: 2_000 });
        expect(next).toMatchObject({ kind: 'folder', destination: elsewhere });
      });

      it('is sent by a Retry once a person was asked', async () => {
        const { shareId } = await found();
        const problem = { code: 'FILED_BEFORE', note: null } as const;
        const own = await looked();
        await ledger.markRefused(own, { problem, now: 2_000 });
        await ledger.endJob(own, { dueAt: null });
        await ledger.retryShare(shareId, { now: 3_000 });
        expect(await ledger.claimFiling(again)).toMatchObject({ kind: 'upload' });
      });
    });

    it('goes from created to filed only, with or without a record', async () => {
      for (const recordId of [70, null]) {
        const { shareId } = await record({ ts: `${recordId}` });
        const c = await hold();
        await ledger.markUploaded(c, upload);
        await announce(c, 2_000);
        await ledger.markCreated(c, 2_500);
        const lost = { code: 'LEASE_LOST' };
        expect(
          await ledger.announceCreates({ ...c, ids: [c.id], serviceTime: null, now: 3_000 }),
        ).toEqual([]);
        await expect(ledger.markAbsent(c)).rejects.toMatchObject(lost);
        await expect(ledger.markNotCreated(c)).rejects.toMatchObject(lost);
        const refusal = { answeredAt: 3_000, serviceTime: null };
        await expect(ledger.markAnswered(c, refusal)).rejects.toMatchObject(lost);
        await expect(ledger.markNotUploaded(c, 3_000)).rejects.toMatchObject(lost);
        await endFolder(c, 3_000);
        expect(await claimLook(c, 3_000)).toMatchObject([{ state: 'created' }]);
        await ledger.markFiled({ claim: c, recordId, now: 4_000 });
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'filed', recordId },
        ]);
        await endFolder(c, 4_000);
      }
    });

    it('counts only the creates that may have had an effect', async () => {
      const { shareId, claim: c } = await held();
      const again = () => endFolder(c, 2_000);
      const counted = async () => (await ledger.transfersOfShare(shareId))[0]?.creates;
      await ledger.markUploaded(c, upload);
      expect(await announce(c, 2_000)).toMatchObject([{ creates: 1 }]);
      await ledger.markNotCreated(c);
      expect(await counted()).toBe(0);
      await again();
      expect(await announce(c, 2_200)).toMatchObject([{ creates: 1 }]);
      const answered = { answeredAt: 2_300, serviceTime: 9_000 };
      await ledger.markAnswered(c, answered);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { ...answered, state: 'creating', creates: 0 },
      ]);
      await ledger.markAbsent(c);
      for (const creates of [1, 2, 3]) {
        await again();
        expect(await announce(c, 3_000)).toMatchObject([{ creates, answeredAt: null }]);
        if (creates < 3) await ledger.markAbsent(c);
      }
      const problem = { code: 'RECORD_UNCONFIRMED' as const, note: null };
      await ledger.markRefused(c, { problem, now: 5_000 });
      expect(await counted()).toBe(3);
      await ledger.retryShare(shareId, { now: 6_000 });
      expect(await counted()).toBe(2);
    });

    it('counts its failures from a refusal, of its own or of its batch, and notifies nobody', async () => {
      const { shareId, claim: c } = await held();
      await ledger.markUploaded(c, upload);
      await announce(c, 2_000);
      await ledger.claimMessage({ now: 2_200, until: 60_000, token: 'line' });
      const answer = { serviceTime: 9_000 };
      await ledger.markAnswered(c, { ...answer, answeredAt: 2_300, refusal: 'batch' });
      const batch = { state: 'creating', alone: 1, problem: null, failingSince: 2_300 };
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([batch]);
      await endFolder(c, 2_300);
      expect(await nextDueAt()).toBe(2_300);
      expect(await claimLook(c, 2_400)).toMatchObject([{ id: c.id }]);
      const refusal = { code: 'SERVICE_REFUSED' as const, note: 'no' };
      await ledger.markAnswered(c, { ...answer, answeredAt: 2_500, refusal });
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { ...batch, problem: 'SERVICE_REFUSED', problemNote: 'no' },
      ]);
      await endFolder(c, 2_500);
      expect(await nextDueAt()).toBe(2_500);
      const end = { token: 'line', againAt: null, failed: false, now: 2_600 };
      await ledger.endMessage({ kind: 'share', about: shareId }, end);
      expect(await ledger.nextDue('message')).toBeNull();
    });

    it('marks the files of a batch as filed, but none whose claim is lost', async () => {
      const names = ['a', 'b', 'c'];
      const files = names.map((name) => sharedFile({ id: name, name }));
      const { shareId } = await record({ files });
      for (const one of await claimEach(names)) await ledger.markUploaded(one, upload);
      const batch = await announce({ token: 'e' }, 2_000);
      const tokens = ['e', 'lost', 'e'];
      const settled = await Promise.allSettled(
        batch.map(({ id }, nth) => {
          const own = { id, token: tokens[nth] ?? '' };
          return ledger.markFiled({ claim: own, recordId: 70 + nth, now: 3_000 });
        }),
      );
      const message = { team: 'T1', channel: 'C1' };
      expect(settled).toMatchObject([
        { value: message },
        { reason: { code: 'LEASE_LOST' } },
        { value: message },
      ]);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'filed', recordId: 70 },
        { state: 'creating', recordId: null },
        { state: 'filed', recordId: 72 },
      ]);
    });

    it('marks one file of a batch as filed, whichever is first, if several claim a record', async () => {
      const names = ['a', 'b', 'c', 'd'];
      const files = names.map((name) => sharedFile({ id: name, name }));
      const { shareId } = await record({ files });
      for (const one of await claimEach(names)) await ledger.markUploaded(one, upload);
      const batch = await announce({ token: 'e' }, 2_000);
      const settled = await Promise.allSettled(
        batch.map(({ id }, nth) => {
          const recordId = nth === 0 ? 71 : 70;
          return ledger.markFiled({ claim: { id, token: 'e' }, recordId, now: 3_000 });
        }),
      );
      const transfers = await ledger.transfersOfShare(shareId);
      expect(transfers.map(({ recordId }) => recordId).toSorted()).toEqual([70, 71, null, null]);
      const isFiled = { settled: { status: 'fulfilled' }, transfer: { state: 'filed' } };
      const isOpen = {
        settled: { reason: { code: 'LEDGER_CONFLICT' } },
        transfer: { state: 'creating' },
      };
      for (const [nth, transfer] of transfers.entries())
        expect({ settled: settled[nth], transfer }).toMatchObject(
          transfer.recordId === null ? isOpen : isFiled,
        );
      expect(transfers[0]?.recordId).toBe(71);
    });

    it('marks 150 files of one turn as filed, each as its own record', async () => {
      const files = Array.from({ length: 150 }, (_, nth) =>
        sharedFile({ id: `F${nth}`, name: `${nth}` }),
      );
      const { shareId } = await record({ files });
      for (const one of await claimEach(files.map(({ id }) => id)))
        await ledger.markUploaded(one, upload);
      await ledger.claimFiling({ ...claim, now: 2_000, until: 60_000, token: 'x' });
      const ids = (await ledger.unfiledIn(destination)).map(({ id }) => id);
      await ledger.announceCreates({ token: 'x', ids, serviceTime: null, now: 2_000 });
      const marked = ids.map((id) =>
        ledger.markFiled({ claim: { id, token: 'x' }, recordId: 1_000 + id, now: 3_000 }),
      );
      expect(await Promise.all(marked)).toHaveLength(150);
      for (const { id, state, recordId } of await ledger.transfersOfShare(shareId))
        expect({ state, recordId }).toEqual({ state: 'filed', recordId: 1_000 + id });
    });

    it('keeps the last record that was known before its first create', async () => {
      await record();
      const a = await hold({ token: 'a' });
      await ledger.markUploaded(a, upload);
      expect(await announce(a, 2_000)).toMatchObject([{ lastRecord: 0 }]);
      await ledger.markFiled({ claim: a, recordId: 70, now: 2_000 });
      await endFolder(a, 2_000);
      await record({ ts: '2', files: [sharedFile({ name: 'b.pdf' }), sharedFile({ id: 'F2' })] });
      for (const one of await claimEach(['b', 'c'])) await ledger.markUploaded(one, upload);
      const batch = await announce({ token: 'd' }, 3_000);
      expect(batch).toMatchObject([{ lastRecord: 70 }, { lastRecord: 70 }]);
      const [b, c] = batch.map(({ id }) => ({ id, token: 'd' })) as [Claim, Claim];
      await ledger.markFiled({ claim: c, recordId: 71, now: 4_000 });
      await ledger.markAbsent(b);
      await endFolder(b, 4_000);
      expect(await announce(b, 5_000)).toMatchObject([{ lastRecord: 70 }]);
    });

    it('forgets failures and crashes after a step succeeds', async () => {
      const { shareId, claim: c } = await held();
      const problem = { code: 'SERVICE_FAILED' as const, note: '503' };
      await ledger.postpone(c, { problem, dueAt: 2_000, failingSince: 1_000, now: 1_000 });
      for (const now of [2_000, 3_000]) {
        await ledger.sweepLeases(['upload', 'folder'], { now });
        const again = { ...claim, now, until: now + 1, token: `t${now}` };
        expect(await ledger.claimFiling(again)).toMatchObject({ attempts: now / 1_000 - 1 });
      }
      const before = { failures: 1, failingSince: 1_000, problem: 'SERVICE_FAILED' };
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([before]);
      await ledger.markUploaded({ ...c, token: 't3000' }, upload);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { failures: 0, failingSince: null, problem: null, problemNote: null },
      ]);
    });

    it('keeps its problem and the start of its failures when it is postponed', async () => {
      const { shareId, claim: c } = await held();
      const problem = { code: 'SERVICE_FAILED' as const, note: '503' };
      await ledger.postpone(c, { problem, dueAt: 9_000, failingSince: 3_000, now: 3_000 });
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        {
          state: 'recorded',
          failures: 1,
          failingSince: 3_000,
          problem: 'SERVICE_FAILED',
          nextTryAt: 9_000,
        },
      ]);
      expect(await nextDueAt()).toBe(9_000);
    });
  });
}

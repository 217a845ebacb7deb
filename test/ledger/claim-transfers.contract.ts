import { describe, expect, it } from 'vitest';
import { sharedFile } from '../support/builders.ts';
import {
  claim,
  destination,
  elsewhere,
  type LedgerUnderTest,
  upload,
} from './ledger-under-test.ts';

/** Contract for every dialect: claiming transfers. */
export function describeClaimTransfers(under: LedgerUnderTest): void {
  const { ledger, record, claimNext, hold, claimEach, nextDueAt } = under;
  const { announce, claimLook, endFolder, refuseCreating } = under;
  describe('claimFiling', () => {
    it('gives a transfer to one claim only, until its expired lease is swept', async () => {
      await record();
      expect(await ledger.claimFiling(claim)).toMatchObject({
        ...{ kind: 'upload', queue: 'T1/C1', attempts: 1, probe: null },
        transfer: { name: 'report.pdf', isClaimed: true },
      });
      expect(await claimNext({ ...claim, token: 't2' })).toBeNull();
      const later = { ...claim, now: 31_000, until: 61_000, token: 't2' };
      expect(await claimNext(later)).toBeNull();
      expect(await ledger.sweepLeases(['upload', 'folder'], { now: 30_999 })).toBe(0);
      expect(await ledger.sweepLeases(['upload', 'folder'], { now: 31_000 })).toBe(1);
      expect(await ledger.claimFiling(later)).toMatchObject({ attempts: 2 });
    });

    it('takes turns between queues', async () => {
      for (const ts of ['1', '2', '3']) await record({ ts });
      await record({ channel: 'C2', ts: '9' });
      const first = await claimNext({ ...claim, token: 'a' });
      const second = await claimNext({
        ...claim,
        token: 'b',
        afterQueue: first?.queue ?? '',
      });
      expect([first?.queue, second?.queue]).toEqual(['T1/C1', 'T1/C2']);
    });

    it('counts those ahead in its queue, without those that wait for something else', async () => {
      for (const ts of ['1', '2']) await record({ ts });
      const { shareId } = await record({ ts: '3' });
      const problem = { code: 'SLACK_FILE_DENIED', note: null } as const;
      const postponed = { problem, dueAt: 9_000, failingSince: 1_000, now: 1_000 };
      await ledger.postpone(await hold(claim), postponed);
      const last = await ledger.transfersOfShare(shareId);
      expect(await Promise.all(last.map(ledger.countAhead))).toEqual([1]);
    });

    it('has its next due time returned by nextFiling', async () => {
      expect(await nextDueAt()).toBeNull();
      await record();
      expect(await nextDueAt()).toBe(1_000);
    });
  });

  describe('claimFiling of folders', () => {
    /** Records a share for each folder, and uploads all files. */
    const uploaded = async (...folders: [folderId: number, names: string[]][]) => {
      for (const [ts, [folderId, all]] of folders.entries()) {
        const files = all.map((name, nth) => sharedFile({ id: `F${nth}`, name }));
        await record({ ts: `${ts}`, files }, { destination: { projectId: 1, folderId } });
      }
      const count = folders.flatMap(([, all]) => all).length;
      const claims = await claimEach(Array.from({ length: count }, (_, nth) => `${nth}`));
      for (const one of claims) await ledger.markUploaded(one, upload);
    };
    const names = (transfers: readonly { name: string }[]) => transfers.map(({ name }) => name);

    it('claims each folder once, and announceCreates marks its attachments as creating', async () => {
      await uploaded([2, ['a', 'b']], [3, ['c']], [2, ['d']]);
      const batches = [
        await announce({ token: 'x' }, 2_000),
        await announce({ token: 'y' }, 2_000),
      ];
      expect(batches.map(names)).toEqual([['a', 'b', 'd'], ['c']]);
      for (const one of batches.flat())
        expect(one).toMatchObject({ state: 'creating', creates: 1, creatingSince: 2_000 });
      expect(await announce({ token: 'z' }, 2_000)).toEqual([]);
    });

    it('announces none that was moved to another folder or announced before', async () => {
      await uploaded([2, ['a', 'b']]);
      const lease = { ...claim, now: 2_000, token: 'x' };
      expect(await ledger.claimFiling(lease)).toMatchObject({ kind: 'folder', destination });
      const ids = (await ledger.unfiledIn(destination)).map(({ id }) => id);
      await record({ ts: '9', channel: 'C2' });
      const other = await hold({ token: 'other' });
      await ledger.markUploaded(other, upload);
      const moved = { from: destination, to: elsewhere, now: 2_000 };
      await ledger.moveWaiting({ team: 'T1', channel: 'C2' }, moved);
      const asked = { token: 'x', ids: [...ids, other.id], serviceTime: 7_000, now: 2_000 };
      const announced = await ledger.announceCreates(asked);
      expect(names(announced)).toEqual(['a', 'b']);
      expect(announced[0]).toMatchObject({ serviceTime: 7_000 });
      expect(await ledger.announceCreates(asked)).toEqual([]);
      const lost = ledger.announceCreates({ ...asked, token: 'lost' });
      await expect(lost).rejects.toMatchObject({ code: 'LEASE_LOST' });
    });

    it('takes a folder that has been due for ten seconds before an upload, others after', async () => {
      await uploaded([2, ['a']]);
      await record({ ts: '9' }, { now: 0 });
      const at = (now: number, token: string) => ({ ...claim, now, until: now + 9, token });
      expect(await ledger.claimFiling(at(999, 'a'))).toMatchObject({ kind: 'upload' });
      expect(await ledger.claimFiling(at(999, 'b'))).toMatchObject({ kind: 'folder' });
      await ledger.sweepLeases(['upload'], { now: 1_008 });
      await ledger.endJob({ token: 'b' }, { dueAt: 2_000 });
      expect(await ledger.claimFiling(at(12_000, 'c'))).toMatchObject({ kind: 'folder' });
      expect(await ledger.claimFiling(at(12_000, 'd'))).toMatchObject({ kind: 'upload' });
    });

    it('drops an upload whose transfer is on its way no more', async () => {
      await record();
      const held = await hold();
      await ledger.endJob(held, { dueAt: 2_000 });
      const message = { team: 'T1', channel: 'C1', ts: '1700000000.000100' };
      await ledger.recordDeletions([message], 1_500);
      expect(await claimNext({ ...claim, now: 9_000, until: 9_999, token: 'x' })).toBeNull();
      expect(await ledger.nextDue('upload')).toBeNull();
    });

    it('skips only files that are larger than the given size', async () => {
      const files = [sharedFile({ size: 900 }), sharedFile({ id: 'F2', name: 'b', size: 10 })];
      await record({ files });
      expect(await claimNext({ ...claim, largest: 100 })).toMatchObject({ name: 'b' });
      expect(await ledger.nextFiling({ largest: 100 })).toMatchObject({ dueAt: 31_000 });
      expect(await ledger.nextFiling({ largest: null })).toMatchObject({
        dueAt: 1_000,
        slackSize: 900,
      });
      expect(await claimNext({ ...claim, token: 'y' })).toMatchObject({ slackSize: 900 });
    });
  });

  describe('unfiledIn', () => {
    it('returns what has no record in the folder, also refused ones whose outcome is unknown', async () => {
      await record({ ts: '1' });
      await refuseCreating('a', 'RECORD_SIZE_MISMATCH');
      await record({ ts: '2' });
      await refuseCreating('b', 'RECORD_UNCLEAR');
      await record({ ts: '3', files: [sharedFile({ name: 'open.pdf' })] });
      const open = await hold({ token: 'c' });
      await ledger.markUploaded(open, upload);
      await announce(open, 2_000);
      await ledger.markCreated(open, 2_500);
      await record({ ts: '4' });
      await record({ ts: '5' });
      await ledger.markUploaded(await hold({ token: 'd' }), upload);
      await record({ ts: '6' }, { destination: elsewhere });
      expect((await ledger.unfiledIn(destination)).map(({ state }) => state)).toEqual([
        ...['refused', 'created', 'uploaded'],
      ]);
    });
  });

  describe('claimFiling of open creates', () => {
    it('claims a folder when the first of its looks is due, and all looks of it at once', async () => {
      for (const [ts, folderId] of [
        ['1', 2],
        ['2', 2],
        ['3', 3],
      ] as const) {
        const folder = { projectId: 1, folderId };
        await record({ ts, files: [sharedFile({ name: ts })] }, { destination: folder });
        const c = await hold({ token: ts });
        await ledger.markUploaded(c, upload);
        expect(await announce(c, 2_000)).toMatchObject([{ id: c.id }]);
        const problem = { code: 'SERVICE_FAILED' as const, note: null };
        await ledger.postpone(c, { problem, dueAt: 3_000, failingSince: 2_000, now: 2_000 });
        await endFolder(c, 2_000, folder);
      }
      expect(await nextDueAt()).toBe(3_000);
      expect(await claimLook({ token: 'x' }, 2_999)).toEqual([]);
      const first = await claimLook({ token: 'x' }, 3_000);
      expect(first.map(({ name }) => name)).toEqual(['1', '2']);
      expect(await claimLook({ token: 'y' }, 3_000)).toMatchObject([{ name: '3' }]);
      expect(await ledger.nextDue('folder')).toBe(33_000);
    });

    it('begins with the folder that has been due longest', async () => {
      for (const [channel, folderId, dueAt] of [
        ['C1', 2, 4_000],
        ['C2', 3, 3_000],
      ] as const) {
        const folder = { projectId: 1, folderId };
        await record({ channel }, { destination: folder });
        const own = await hold({ token: channel });
        await ledger.markUploaded(own, upload);
        await announce(own, 2_000);
        await ledger.release(own, { dueAt });
        await endFolder(own, 2_000, folder);
      }
      expect(await claimLook({ token: 'x' }, 5_000)).toMatchObject([{ queue: 'T1/C2' }]);
      expect(await claimLook({ token: 'y' }, 5_000)).toMatchObject([{ queue: 'T1/C1' }]);
    });
  });
}

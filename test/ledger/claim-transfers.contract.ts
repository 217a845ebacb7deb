import { describe, expect, it } from 'vitest';
import { sharedFile } from '../support/builders.ts';
import { claim, type LedgerUnderTest, upload } from './ledger-under-test.ts';

/** Contract for every dialect: claiming transfers. */
export function describeClaimTransfers(under: LedgerUnderTest): void {
  const { ledger, record, claimNext, hold, claimEach, announce, claimLook, nextDueAt } = under;
  describe('claimFiling', () => {
    it('gives a transfer to one claim only, until its expired lease is swept', async () => {
      await record();
      expect(await claimNext(claim)).toMatchObject({
        name: 'report.pdf',
        attempts: 1,
      });
      expect(await claimNext({ ...claim, token: 't2' })).toBeNull();
      const later = { ...claim, now: 31_000, until: 61_000, token: 't2' };
      expect(await claimNext(later)).toBeNull();
      expect(await ledger.sweepLeases('transfers', { now: 30_999 })).toBe(0);
      expect(await ledger.sweepLeases('transfers', { now: 31_000 })).toBe(1);
      expect(await claimNext(later)).toMatchObject({ attempts: 2, failures: 0 });
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

  describe('claimFiling of uploaded transfers', () => {
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

    it('claims all that are ready for one folder, and marks each as creating', async () => {
      await uploaded([2, ['a', 'b']], [3, ['c']], [2, ['d']]);
      const batches = [
        await announce({ token: 'x' }, 2_000),
        await announce({ token: 'y' }, 2_000),
      ].sort((one, other) => other.length - one.length);
      expect(batches.map(names)).toEqual([['a', 'b', 'd'], ['c']]);
      for (const one of batches.flat())
        expect(one).toMatchObject({ state: 'creating', creates: 1, creatingSince: 2_000 });
      expect(await announce({ token: 'z' }, 2_000)).toEqual([]);
    });

    it('claims at most a hundred at once', async () => {
      await uploaded([2, Array.from({ length: 130 }, (_, nth) => `f${nth}`)]);
      expect(await announce({ token: 'x' }, 2_000)).toHaveLength(100);
      expect(await announce({ token: 'y' }, 2_000)).toHaveLength(30);
    });

    it('claims no two of the same name and size', async () => {
      await uploaded([2, ['a', 'b', 'a']]);
      expect(names(await announce({ token: 'x' }, 2_000))).toEqual(['a', 'b']);
    });

    it('claims alone a transfer that is marked so after its batch was refused', async () => {
      await uploaded([2, ['a', 'b', 'c']]);
      for (const { id } of await announce({ token: 'x' }, 2_000)) {
        const c = { id, token: 'x' };
        const refusal = id === 3 ? 'batch' : null;
        await ledger.markAnswered(c, { answeredAt: 2_100, serviceTime: null, refusal });
        if (refusal) await claimLook(c, 2_100);
        await ledger.markAbsent(c, 2_200);
        await ledger.release('transfers', { claim: c, dueAt: 2_200 });
      }
      const batches = [
        names(await announce({ token: 'y' }, 3_000)),
        names(await announce({ token: 'z' }, 3_000)),
      ];
      expect(batches.sort((one, other) => one.length - other.length)).toEqual([['c'], ['a', 'b']]);
    });

    it('waits briefly for other uploads to the same folder in progress, and no longer', async () => {
      const files = [sharedFile({ name: 'a' }), sharedFile({ id: 'F2', name: 'b' })];
      await record({ files });
      const first = await hold({ token: 'a' });
      await claimNext({ ...claim, token: 'b' });
      const done = { ...upload, now: 1_500 };
      await ledger.markUploaded(first, done);
      expect(await nextDueAt()).toBe(1_800);
      const second = (await ledger.transfersOfShare(1))[1];
      await ledger.markUploaded({ id: second?.id ?? 0, token: 'b' }, done);
      expect(await nextDueAt()).toBe(1_500);
      expect(names(await announce({ token: 'x' }, 1_500))).toEqual(['a', 'b']);
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

  describe('claimLook', () => {
    it('claims all due open creates of one folder, once', async () => {
      for (const [ts, folderId] of [
        ['1', 2],
        ['2', 2],
        ['3', 3],
      ] as const) {
        const files = [sharedFile({ name: ts })];
        await record({ ts, files }, { destination: { projectId: 1, folderId } });
        const transfer = await hold({ token: ts });
        await ledger.markUploaded(transfer, upload);
        const [own] = await announce({ token: ts }, 2_000);
        const c = { id: own?.id ?? 0, token: ts };
        await ledger.release('transfers', { claim: c, dueAt: 3_000 });
      }
      expect(await ledger.nextDue('looks')).toBe(3_000);
      expect(await nextDueAt()).toBeNull();
      expect(await claimLook({ token: 'x' }, 2_999)).toEqual([]);
      const first = await claimLook({ token: 'x' }, 3_000);
      expect(first.map(({ name }) => name)).toEqual(['1', '2']);
      expect(await claimLook({ token: 'y' }, 3_000)).toMatchObject([{ name: '3' }]);
      expect(await ledger.nextDue('looks')).toBe(33_000);
    });

    it('begins with the folder whose look has been due longest', async () => {
      for (const [channel, folderId, dueAt] of [
        ['C1', 2, 4_000],
        ['C2', 3, 3_000],
      ] as const) {
        await record({ channel }, { destination: { projectId: 1, folderId } });
        const own = await hold({ token: channel });
        await ledger.markUploaded(own, upload);
        await announce(own, 2_000);
        await ledger.release('transfers', { claim: own, dueAt });
      }
      expect(await claimLook({ token: 'x' }, 5_000)).toMatchObject([{ queue: 'T1/C2' }]);
      expect(await claimLook({ token: 'y' }, 5_000)).toMatchObject([{ queue: 'T1/C1' }]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { folderLink, share, sharedFile } from '../support/builders.ts';
import { claimReport } from '../support/claim-next.ts';
import { claim, destination, elsewhere, type LedgerUnderTest } from './ledger-under-test.ts';

/** Contract for every dialect: channels and their links. */
export function describeChannels(under: LedgerUnderTest): void {
  const { ledger } = under;
  describe('a channel', () => {
    const ref = { team: 'T1', channel: 'C1' };
    const link = folderLink({ projectTitle: 'Accounts', folderName: 'Invoices' });

    it('can be linked, relinked and unlinked', async () => {
      expect(await ledger.findLink(ref)).toBeNull();
      expect(await ledger.setLink(ref, link)).toEqual({ isNew: true, wasFolder: null });
      const { isNew, wasFolder } = await ledger.setLink(ref, { ...link, folderId: 3 });
      expect([isNew, wasFolder?.folderId]).toEqual([true, link.folderId]);
      expect(await ledger.findLink(ref)).toEqual({
        ...{ ...link, folderId: 3, url: null },
        ...{ heldFor: null, holdNotified: false, lines: false, announces: false },
      });
      expect(await ledger.removeLink(ref)).toMatchObject({ folderId: 3 });
      expect(await ledger.removeLink(ref)).toBeNull();
      expect(await ledger.findLink(ref)).toBeNull();
    });

    it('keeps a link that is set to the same folder again, and who set it', async () => {
      await ledger.setLink(ref, link);
      const again = { ...link, linkedBy: 'U9', linkedAt: link.linkedAt + 1 };
      expect(await ledger.setLink(ref, again)).toEqual({ isNew: false, wasFolder: null });
      expect(await ledger.findLink(ref)).toMatchObject(link);
    });

    it('keeps the address that somebody pasted, until it gets another folder or is unlinked', async () => {
      const url = 'https://acme.example/projects/1/folders/2';
      await ledger.setLink(ref, link);
      expect(await ledger.setLink(ref, { ...link, url })).toMatchObject({ isNew: false });
      expect(await ledger.findLink(ref)).toMatchObject({ url });
      await ledger.setLink(ref, link);
      expect(await ledger.findLink(ref)).toMatchObject({ url });
      await ledger.setLink(ref, { ...link, folderId: 3 });
      expect(await ledger.findLink(ref)).toMatchObject({ url: null });
    });

    it('has lines if somebody wants them, until it is unlinked', async () => {
      expect(await ledger.wantsLines(ref)).toBe(false);
      await ledger.setLink(ref, link);
      expect(await ledger.wantsLines(ref)).toBe(false);
      expect(await ledger.setLines(ref, true)).toBe(true);
      expect(await ledger.setLines(ref, true)).toBe(false);
      await ledger.setLink(ref, { ...link, folderId: 3 });
      expect(await ledger.findLink(ref)).toMatchObject({ lines: true });
      expect(await ledger.wantsLines(ref)).toBe(true);
      await ledger.removeLink(ref);
      expect(await ledger.wantsLines(ref)).toBe(false);
      await ledger.setLink(ref, link);
      expect(await ledger.findLink(ref)).toMatchObject({ lines: false });
    });

    it('notes its bookmark, unless another was noted meanwhile', async () => {
      await ledger.setLink(ref, link);
      expect(await ledger.findBookmark(ref)).toBeNull();
      expect(await ledger.noteBookmark(ref, { was: null, bookmarkId: 'Bk1' })).toBe(true);
      expect(await ledger.noteBookmark(ref, { was: null, bookmarkId: 'Bk2' })).toBe(false);
      expect(await ledger.findBookmark(ref)).toBe('Bk1');
      await ledger.removeLink(ref);
      expect(await ledger.findBookmark(ref)).toBe('Bk1');
      expect(await ledger.noteBookmark(ref, { was: 'Bk1', bookmarkId: null })).toBe(true);
      expect(await ledger.findBookmark(ref)).toBeNull();
    });

    it('is each channel’s own when several are looked up together', async () => {
      const other = { team: 'T1', channel: 'C2' };
      const unlinked = { team: 'T2', channel: 'C1' };
      await ledger.setLink(ref, folderLink());
      await ledger.setLink(other, folderLink({ folderId: 9 }));
      const asked = [other, ref, unlinked, other].map((one) => ledger.findLink(one));
      expect((await Promise.all(asked)).map((link) => link?.folderId)).toEqual([
        9,
        2,
        undefined,
        9,
      ]);
    });

    it("shows its folder's new name after renameLinks, like all others linked to it", async () => {
      const [other, elsewhere] = [
        { ...ref, channel: 'C2' },
        { ...ref, channel: 'C3' },
      ];
      await ledger.setLink(ref, link);
      await ledger.setLink(other, link);
      await ledger.setLink(elsewhere, { ...link, folderId: 3 });
      await ledger.renameLinks(link, { folderName: 'Bills' });
      await ledger.renameLinks(link, { projectTitle: 'Books' });
      const renamed = { ...link, folderName: 'Bills', projectTitle: 'Books' };
      expect(await ledger.findLink(ref)).toMatchObject(renamed);
      expect(await ledger.findLink(other)).toMatchObject(renamed);
      expect(await ledger.findLink(elsewhere)).toMatchObject({ folderName: 'Invoices' });
    });

    it('keeps its latest confirmed message', async () => {
      await ledger.confirmUpTo(ref, '1700000002.000000');
      await ledger.confirmUpTo(ref, '1700000001.000000');
      expect(await ledger.findHistoryMarks(ref)).toMatchObject({
        confirmedTs: '1700000002.000000',
      });
      expect(await ledger.findLink(ref)).toBeNull();
      const none = { confirmedTs: null, joinedTs: null, threadsTs: null, restDue: null };
      expect(await ledger.findHistoryMarks({ ...ref, channel: 'C2' })).toEqual(none);
    });

    it('keeps its latest join, and its first join as the confirmed message', async () => {
      const [first, second] = ['1700000001.000000', '1700000002.000000'];
      expect(await ledger.recordJoin(ref, first)).toBe(true);
      expect(await ledger.recordJoin(ref, second)).toBe(true);
      expect(await ledger.recordJoin(ref, second)).toBe(false);
      expect(await ledger.recordJoin(ref, first)).toBe(false);
      const marks = { confirmedTs: first, threadsTs: first, joinedTs: second, restDue: null };
      expect(await ledger.findHistoryMarks(ref)).toEqual(marks);
    });

    it('keeps the first message that confirmFirst gave as the start of its history', async () => {
      await ledger.setLink(ref, link);
      await ledger.removeLink(ref);
      await ledger.confirmFirst(ref, '1700000001.000000');
      await ledger.confirmFirst(ref, '1700000002.000000');
      expect(await ledger.findHistoryMarks(ref)).toMatchObject({
        confirmedTs: '1700000001.000000',
      });
    });
  });
  describeMoves(under);
}

function describeMoves({ ledger, record, claimNext, hold, states }: LedgerUnderTest): void {
  describe('moveChannel', () => {
    const [before, after] = [
      { team: 'T1', channel: 'G1' },
      { team: 'T1', channel: 'C1' },
    ];
    const move = () => ledger.moveChannel(before, { to: 'C1', now: 5_000 });
    const lease = { now: 9_000, until: 60_000, token: 'm' };
    const asked = {
      ...{ team: 'T1', channels: ['G1'], all: true, isInterrupted: false },
      begunTs: '1700000000.000000',
    };

    it('moves the link, history marks, watch and readings, and may be called twice', async () => {
      await ledger.beginRun(1_000);
      await ledger.setLink(before, folderLink());
      await ledger.setWatched(before, { on: true, now: 1_000 });
      await ledger.confirmUpTo(before, '1700000001.000000');
      await ledger.beginBackfill(before, { startedBy: 'U1', now: 1_000 });
      await ledger.requestCatchUp({ ...asked, now: 1_000 });
      await ledger.claimRow('catch-up', lease);
      await move();
      await move();
      expect(await ledger.findLink(before)).toBeNull();
      expect(await ledger.findLink(after)).toMatchObject({ ...destination, announces: true });
      const marks = {
        ...{ confirmedTs: '1700000001.000000', threadsTs: '1700000001.000000' },
        ...{ joinedTs: null, restDue: null },
      };
      expect(await ledger.findHistoryMarks(after)).toEqual(marks);
      expect(await ledger.isBackfilled(after)).toBe(true);
      for (const kind of ['catch-up', 'backfill', 'watch'] as const)
        expect(await ledger.claimRow(kind, lease)).toMatchObject(after);
      expect(await claimReport(ledger, lease)).toMatchObject(after);
    });

    it('moves the files with their states, including claimed ones', async () => {
      const own = { channel: 'G1' };
      const { shareId: sent } = await record({ ...own, ts: '1' });
      const { shareId: parked } = await record({ ...own, ts: '2' }, { destination: null });
      const past = { origin: 'backfill', destination: null } as const;
      await record({ ...own, ts: '3' }, past);
      const held = await hold();
      await ledger.claimMessage(lease);
      await move();
      const moved = ['1', '2', '3'].map((ts) => share({ ...after, ts }));
      expect(await ledger.unknownFiles(after, moved)).toEqual([]);
      expect(await ledger.claimMessage({ ...lease, token: 'n' })).toMatchObject({ about: sent });
      expect(await ledger.findShareById(sent)).toMatchObject(after);
      const problem = { code: 'SERVICE_FAILED' as const, note: null };
      const told = await ledger.markRefused(held, { problem, now: 6_000 });
      expect(told).toMatchObject(after);
      expect(await ledger.countParked(after, 'past')).toBe(1);
      expect(await ledger.fileParked(after, { destination, now: 6_000 })).toBe(1);
      expect(await states(parked)).toEqual(['recorded']);
    });

    it('moves the recorded deletions', async () => {
      await record({ channel: 'G1', ts: '1' });
      await claimNext(claim);
      await ledger.recordDeletions([{ ...before, ts: '1' }], 2_000);
      await move();
      const deletion = await ledger.claimRow('deletion', lease);
      expect(deletion && (await ledger.deletedFiles(deletion))).toMatchObject([
        { message: { ...after, ts: '1' }, withMessage: true },
      ]);
    });

    it("files in the moved link's folder what was shared under the new identifier before", async () => {
      await ledger.setLink(before, folderLink());
      const { shareId } = await record({ channel: 'C1' }, { destination: null });
      await ledger.recordJoin(after, '1700000009.000000');
      await ledger.confirmUpTo(before, '1700000001.000000');
      await move();
      expect(await states(shareId)).toEqual(['recorded']);
      expect(await ledger.findHistoryMarks(after)).toMatchObject({
        confirmedTs: '1700000001.000000',
      });
    });

    it('files there what an event brought late under the old identifier, nothing else', async () => {
      const unlinked = { destination: null, now: 3_000 };
      const old = { channel: 'G1' };
      const { shareId: earlier } = await record({ ...old, ts: '1' }, { destination: null });
      await ledger.setLink(after, folderLink({ linkedAt: 2_000 }));
      await record({ channel: 'C1', ts: '2' });
      const { shareId: again } = await record({ ...old, ts: '2' }, unlinked);
      const { shareId: late } = await record({ ...old, ts: '3' }, unlinked);
      await move();
      expect([await states(earlier), await states(again)]).toEqual([['parked'], ['parked']]);
      expect(await states(late)).toEqual(['recorded']);
    });

    it('keeps the link and the messages that the new identifier already has', async () => {
      await ledger.setLink(before, folderLink());
      await ledger.setWatched(before, { on: true, now: 1_000 });
      await ledger.setLink(after, folderLink(elsewhere));
      await ledger.confirmUpTo(after, '1700000009.000000');
      await ledger.confirmUpTo(before, '1700000001.000000');
      const files = [sharedFile({ id: 'F2' })];
      for (const { channel } of [before, after]) await record({ channel, ts: '1', files });
      for (const { channel } of [before, after])
        await ledger.recordDeletions([{ team: 'T1', channel, ts: '1' }], 2_000);
      await move();
      expect(await ledger.findLink(after)).toMatchObject({ ...elsewhere, announces: false });
      expect(await ledger.nextDue('watch')).toBeNull();
      expect(await ledger.sharesOf({ ...after, ts: '1' })).toHaveLength(1);
      expect((await ledger.findHistoryMarks(after)).confirmedTs).toBe('1700000001.000000');
    });
  });
}

import { describe, expect, it } from 'vitest';
import type { Destination } from '../../src/core/index.ts';
import { DESTINATION, share, sharedFile } from '../support/builders.ts';
import { notifyNext } from '../support/claim-next.ts';
import { claim, elsewhere, type LedgerUnderTest, upload } from './ledger-under-test.ts';

const saved = { origin: 'saved' as const, savedBy: 'U9' };

/** Contract for every dialect: files that people save to a folder by hand. */
export function describeSaved(under: LedgerUnderTest): void {
  const { ledger, record, claimNext, hold, announce, endFolder } = under;
  const { nextDueAt, states, refuseCreating } = under;
  const message = { team: 'T1', channel: 'C1', ts: '1700000000.000100' };
  const [own] = [{ team: 'T1', channel: 'C1' }];

  describe('a saved file', () => {
    it('is recorded once per folder, as a share beside that of its message', async () => {
      const first = await record({}, { destination: null });
      const second = await record({}, { ...saved, destination: elsewhere });
      expect(second).toMatchObject({ transfers: 1 });
      const none = { transfers: 0, firstParkedId: null };
      expect(await record({}, { ...saved, destination: elsewhere })).toEqual({
        ...second,
        ...none,
      });
      expect(await record({}, { ...saved })).toMatchObject({ transfers: 1 });
      expect(await record({}, { destination: null })).toEqual({ ...first, ...none });
      expect(await ledger.sharesOf(message)).toMatchObject([
        { id: first.shareId, savedTo: '', savedBy: null },
        { id: second.shareId, savedTo: '1/3', savedBy: 'U9' },
        { savedTo: '1/2', savedBy: 'U9' },
      ]);
    });

    it('does not make its message known, so a catch-up still finds that message', async () => {
      await record({}, { ...saved });
      const unknown = () => ledger.unknownFiles(own, [share()]);
      expect(await unknown()).toEqual([share()]);
      // The file goes to the folder once, whoever sends it there.
      expect(await record()).toMatchObject({ transfers: 0 });
      expect(await unknown()).toEqual([]);
      expect(await claimNext(claim)).toMatchObject({ queue: 'T1/C1/saved' });
      expect(await claimNext({ ...claim, token: 't2' })).toBeNull();
    });

    it('does not make a file known that an edit added to its message', async () => {
      const files = [sharedFile(), sharedFile({ id: 'F2' })];
      await record();
      await record({ files }, { ...saved, destination: elsewhere });
      const added = share({ files: files.slice(1) });
      expect(await ledger.unknownFiles(own, [share({ files })])).toEqual([added]);
    });

    it('is sent where history brought it with our mark, and its record is gone', async () => {
      const missed = { origin: 'catch-up' } as const;
      await record({ isMarked: true }, missed);
      expect(await ledger.unfiledIn(DESTINATION)).toMatchObject([{ earlier: 'marked' }]);
      await record({}, { ...saved });
      expect(await ledger.unfiledIn(DESTINATION)).toMatchObject([{ earlier: 'look' }]);
    });

    it('stays known to its message after its copy is deleted, but can be saved again', async () => {
      const file = async () => {
        const held = await hold({ token: 'a' });
        await ledger.markUploaded(held, upload);
        await announce(held, 2_000);
        await ledger.markFiled({ claim: held, recordId: held.id, now: 2_000 });
        await endFolder(held, 2_000);
        return held.id;
      };
      const remove = (id: number) => ledger.markDeleted(id, { deletedBy: 'U9', now: 3_000 });
      await record({}, { ...saved });
      const copy = await file();
      await record();
      await remove(copy);
      expect(await record()).toMatchObject({ transfers: 0 });
      expect(await ledger.unknownFiles(own, [share()])).toEqual([]);
      expect(await nextDueAt()).toBeNull();
      await record({ ts: '2' });
      const other = await file();
      expect(await record({ ts: '2' }, { ...saved })).toMatchObject({ transfers: 0 });
      await remove(other);
      const again = await record({ ts: '2' }, { ...saved });
      expect(again).toMatchObject({ transfers: 1 });
      expect(await ledger.transfersOfShare(again.shareId)).toMatchObject([
        { id: other, state: 'recorded', recordId: null, deletedBy: null, attachmentId: null },
      ]);
      expect(await file()).toBe(other);
    });

    it('is bound to its folder where it was on its way there with its message', async () => {
      const { shareId } = await record();
      expect(await record({}, { ...saved })).toMatchObject({ transfers: 1 });
      const move = { from: DESTINATION, to: elsewhere, now: 3_000 };
      expect(await ledger.moveWaiting(own, move)).toBe(0);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ destination: DESTINATION }]);
      expect(await record({}, { ...saved })).toMatchObject({ transfers: 0 });
    });

    it('goes on with its message once that folder is gone, if it was bound to it', async () => {
      const { shareId } = await record();
      await record({}, { ...saved });
      const copy = await record({ ts: '2' }, { ...saved });
      for (const token of ['a', 'b']) {
        const held = await hold({ token });
        const problem = { code: 'DESTINATION_GONE' as const, note: null };
        await ledger.postpone(held, { problem, dueAt: 5_000, failingSince: 1, now: 2_000 });
      }
      expect(await ledger.moveWaiting(own, { from: DESTINATION, to: elsewhere, now: 3_000 })).toBe(
        1,
      );
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { destination: elsewhere, queue: 'T1/C1', state: 'recorded' },
      ]);
      expect(await ledger.transfersOfShare(copy.shareId)).toMatchObject([
        { destination: DESTINATION },
      ]);
    });

    it('is shown with its message, and tried again there, until it is in its folder', async () => {
      const copy = await record({}, { ...saved });
      const { shareId } = await record();
      const inHand = await hold({ token: 'a' });
      await ledger.markUploaded(inHand, upload);
      await announce(inHand, 2_000);
      const problem = { code: 'RECORD_UNCONFIRMED' as const, note: null };
      await ledger.markRefused(inHand, { problem, now: 2_000 });
      await endFolder(inHand, 2_000);
      const shown = { id: inHand.id, shareId: copy.shareId };
      const shownBy = (id: number) => ledger.transfersOfShare(id, { savedToo: true });
      expect(await shownBy(shareId)).toMatchObject([{ ...shown, state: 'refused' }]);
      expect(await shownBy(copy.shareId)).toMatchObject([{ ...shown, state: 'refused' }]);
      for (const now of [5_000, 5_000]) await notifyNext(ledger, {}, now);
      expect(await ledger.retryShare(shareId, { now: 6_000 })).toBe(1);
      expect(await shownBy(shareId)).toMatchObject([{ ...shown, state: 'creating' }]);
      const told = (token: string) => ledger.claimMessage({ now: 6_000, until: 9_000, token });
      expect([await told('b'), await told('c'), await told('d')]).toMatchObject([
        { about: copy.shareId },
        { about: shareId },
        undefined,
      ]);
      await announce(inHand, 7_000);
      await ledger.markFiled({ claim: inHand, recordId: 70, now: 8_000 });
      expect(await shownBy(shareId)).toEqual([]);
    });

    it.each([
      ['are filed', null, (to: Destination) => ledger.fileParked(own, { destination: to, now: 2 })],
      [
        'move',
        elsewhere,
        (to: Destination) => ledger.moveWaiting(own, { from: elsewhere, to, now: 2 }),
      ],
    ])(
      'takes the place of its message’s own when those %s to its folder',
      async (_how, from, go) => {
        const files = [sharedFile(), sharedFile({ id: 'F2', name: 'other.pdf' })];
        const { shareId } = await record({ files }, { destination: from });
        const copy = await record({}, { ...saved });
        await go(DESTINATION);
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ name: 'other.pdf' }]);
        expect(await states(copy.shareId)).toEqual(['recorded']);
        expect(await ledger.transfersOfShare(shareId, { savedToo: true })).toMatchObject([
          { name: 'other.pdf' },
          { shareId: copy.shareId },
        ]);
        expect(await ledger.unknownFiles(own, [share({ files })])).toEqual([]);
        const claims = [await claimNext(claim), await claimNext({ ...claim, token: 't2' })];
        expect(claims.map((one) => one?.slackFileId).sort()).toEqual(['F1', 'F2']);
        expect(await claimNext({ ...claim, token: 't3' })).toBeNull();
      },
    );

    it('is neither moved nor parked with the folder of its channel', async () => {
      const { shareId } = await record({}, { ...saved });
      await refuseCreating('a', 'DESTINATION_GONE');
      await ledger.retryShare(shareId, { to: elsewhere, now: 2_000 });
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ destination: DESTINATION }]);
      const other = await record({ ts: '2' }, { ...saved });
      const from = { from: DESTINATION, to: elsewhere, now: 3_000 };
      expect(await ledger.moveWaiting(own, from)).toBe(0);
      expect(await ledger.parkWaiting(own, { from: DESTINATION, now: 3_000 })).toBe(0);
      expect(await states(other.shareId)).toEqual(['recorded']);
    });

    it('is remembered by lastSavedTo for its person, by savedFolders for its channel', async () => {
      const asker = { team: 'T1', userId: 'U9' };
      expect(await ledger.lastSavedTo(asker)).toBeNull();
      await record({}, { ...saved, destination: elsewhere });
      await record({ ts: '2', channel: 'C2' }, { ...saved });
      await record({ ts: '3' }, { ...saved, savedBy: 'U8', destination: elsewhere });
      await record({ ts: '4' });
      expect(await ledger.lastSavedTo(asker)).toEqual(DESTINATION);
      expect(await ledger.lastSavedTo({ team: 'T2', userId: 'U9' })).toBeNull();
      expect(await ledger.savedFolders('T1', ['C1', 'C2', 'C3'])).toEqual([
        { channel: 'C1', ...elsewhere },
        { channel: 'C2', ...DESTINATION },
      ]);
    });

    it('keeps the place where its reply was posted', async () => {
      const { shareId } = await record({}, { ...saved });
      await notifyNext(ledger, { channel: 'D9', ts: '7' }, 2_000);
      const line = { kind: 'share', about: shareId } as const;
      expect(await ledger.findMessage(line)).toMatchObject({ channel: 'D9', ts: '7' });
    });
  });
}

import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/base/index.ts';
import type { PauseReason } from '../../src/transfers/index.ts';
import { folderLink } from '../support/builders.ts';
import {
  claim,
  destination,
  elsewhere,
  type LedgerUnderTest,
  upload,
} from './ledger-under-test.ts';

const MINUTE = 60_000;
const NOW = 10 * MINUTE;

/** Contract for every dialect: paused links. */
export function describePausedLinks(under: LedgerUnderTest): void {
  const { ledger, record, claimNext, hold, claimEach, states } = under;
  const { announce, claimLook, endFolder, nextDueAt } = under;
  describe('a paused link', () => {
    const ref = { team: 'T1', channel: 'C1' };
    const link = folderLink({ projectTitle: 'Accounts', folderName: 'Invoices' });
    const later = { ...claim, now: NOW, until: NOW + MINUTE };

    const problem = (code: ErrorCode) => ({ code, note: null });
    const pause = (id: number, { now = NOW, code = 'DESTINATION_GONE' as PauseReason } = {}) =>
      ledger.pauseLink({
        claim: { id, token: claim.token },
        ...{ problem: problem(code), reason: code, now, scale: 1 },
      });

    /** Links the channel, records this many shares, and pauses the link by the first. */
    async function paused(shares: number) {
      await ledger.setLink(ref, link);
      for (let n = 1; n <= shares; n += 1) await record({ ts: `${n}` });
      const { id } = await hold();
      expect(await pause(id)).toBe('paused');
      return id;
    }

    const transfer = async (shareId: number) => (await ledger.transfersOfShare(shareId))[0];
    const waitOf = async (shareId: number, now = NOW) =>
      ((await transfer(shareId))?.nextTryAt ?? now) - now;
    /** Claims all files that are due; returns their shares. */
    const claimAllDue = async (now: number) => {
      const shares: number[] = [];
      for (;;) {
        const next = await claimNext({ ...later, now, token: `due-${shares.length}` });
        if (!next) return shares.toSorted();
        shares.push(next.shareId);
      }
    };

    it('keeps its reason, and has one other file probe the folder before the rest', async () => {
      await paused(3);
      expect(await ledger.findLink(ref)).toMatchObject({ pausedFor: 'DESTINATION_GONE' });
      expect((await ledger.listLinks('T1')).get('C1')).toMatchObject({ pauseNotified: false });
      expect([await waitOf(1), await waitOf(2), await waitOf(3)]).toEqual(
        [3, 1, 3].map((minutes) => minutes * MINUTE),
      );
      expect(await nextDueAt()).toBe(NOW + MINUTE);
      expect(await claimAllDue(NOW + 2 * MINUTE)).toEqual([2]);
      expect(await claimAllDue(NOW + 3 * MINUTE)).toEqual([1, 3]);
      expect(await transfer(2)).toMatchObject({ problem: 'DESTINATION_GONE', failures: 0 });
    });

    it('makes the notifications of all waiting shares due, once', async () => {
      await ledger.setLink(ref, link);
      for (const ts of ['1', '2']) await record({ ts });
      const saidAll = async (now: number) => {
        const said: number[] = [];
        for (;;) {
          const row = await ledger.claimRow('share', { now, until: now + MINUTE, token: 's' });
          if (!row) return said.toSorted();
          said.push(row.id);
          const own = { id: row.id, token: 's', table: 'shares' as const };
          await ledger.finishNotification(own, { againAt: null, failed: false, now });
        }
      };
      expect(await saidAll(5_000)).toEqual([1, 2]);
      await pause((await hold()).id);
      expect(await saidAll(NOW)).toEqual([1, 2]);
      const now = NOW + MINUTE;
      await pause((await hold({ ...later, now })).id, { now });
      expect(await saidAll(now)).toEqual([2]);
    });

    it('leaves claimed transfers and open creates alone', async () => {
      await ledger.setLink(ref, link);
      await record({ ts: '1' });
      const open = await hold();
      await ledger.markUploaded(open, { ...upload, now: 1_000 });
      await announce(open, 2_000);
      await ledger.release(open, { dueAt: NOW });
      await endFolder(open, 2_000);
      for (const ts of ['2', '3']) await record({ ts });
      await claimNext({ ...claim, token: 'held', until: NOW + 5 });
      await pause((await hold()).id);
      expect(await transfer(1)).toMatchObject({ nextTryAt: NOW, problem: null });
      expect(await transfer(2)).toMatchObject({ nextTryAt: null, problem: null, isClaimed: true });
      expect(await ledger.nextDue('upload')).toBe(NOW + 5);
    });

    it('is probed less often the longer it is paused, and tells a repeated pause from a new one', async () => {
      await paused(2);
      const now = NOW + 30 * MINUTE;
      const next = await hold({ ...later, now });
      expect(await pause(next.id, { now })).toBe('paused-before');
      expect([await waitOf(1, now), await waitOf(2, now)]).toEqual([30 * MINUTE, 32 * MINUTE]);
    });

    it('is paused once by several claims together, and one file tries next', async () => {
      await ledger.setLink(ref, link);
      for (let n = 1; n <= 4; n += 1) await record({ ts: `${n}` });
      const pausing = { problem: problem('DESTINATION_GONE'), now: NOW, scale: 1 };
      const paused = (await claimEach(['a', 'b'])).map((own) =>
        ledger.pauseLink({ ...pausing, claim: own, reason: 'DESTINATION_GONE' }),
      );
      expect(await Promise.all(paused)).toEqual(['paused', 'paused-before']);
      const waits = await Promise.all([1, 2, 3, 4].map((id) => waitOf(id)));
      expect(waits).toEqual([3 * MINUTE, 3 * MINUTE, MINUTE, 3 * MINUTE]);
    });

    it('lets its files probe the folder in turn, so none keeps the others from it', async () => {
      await paused(3);
      const tried: (number | undefined)[] = [];
      for (let now = NOW + MINUTE; tried.length < 6; now += MINUTE) {
        const next = await claimNext({ ...later, now });
        if (next && (await pause(next.id, { now })) === 'paused-before') tried.push(next.id);
      }
      expect(tried).toEqual([2, 3, 1, 2, 3, 1]);
    });

    it('has its only waiting file probe the folder', async () => {
      await paused(1);
      expect(await waitOf(1)).toBe(MINUTE);
      expect(await nextDueAt()).toBe(NOW + MINUTE);
    });

    it('holds back files shared meanwhile, as long as another file probes the folder', async () => {
      await paused(1);
      await record({ ts: '2' });
      const own = await hold(later);
      expect(await ledger.holdBack(own, { now: NOW, scale: 1 })).toBe(true);
      expect(await transfer(2)).toMatchObject({ problem: 'DESTINATION_GONE', isClaimed: false });
      expect(await waitOf(2)).toBe(3 * MINUTE);
      expect(await claimAllDue(NOW + MINUTE)).toEqual([1]);
    });

    it('lets the next file probe the folder when no other is left to do so', async () => {
      await paused(1);
      await ledger.parkTroubled(ref, NOW);
      for (const ts of ['2', '3']) await record({ ts });
      const own = await hold(later);
      expect(await ledger.holdBack(own, { now: NOW, scale: 1 })).toBe(false);
    });

    it('differs from an active link, whose files are not held back', async () => {
      await ledger.setLink(ref, link);
      for (const ts of ['1', '2']) await record({ ts });
      const [fails, own] = await claimEach(['f', claim.token]);
      const failed = { problem: problem('SERVICE_FAILED'), failingSince: NOW, now: NOW };
      await ledger.postpone(fails ?? { id: 0, token: '' }, { ...failed, dueAt: NOW + MINUTE });
      const held = own ?? { id: 0, token: '' };
      expect(await ledger.holdBack(held, { now: NOW, scale: 1 })).toBe(false);
      expect(await ledger.endPauses(destination, { sentAt: NOW, now: NOW })).toEqual([]);
    });

    it('resumes when its folder takes a file, and makes its waiting files due', async () => {
      await paused(3);
      const inHand = { ...later, now: NOW + MINUTE, until: NOW + 2 * MINUTE };
      expect(await claimNext(inHand)).toMatchObject({ id: 2 });
      expect(await ledger.endPauses(elsewhere, { sentAt: NOW + 1, now: NOW + 1 })).toEqual([]);
      expect(await ledger.endPauses(destination, { sentAt: NOW + 1, now: NOW + 1 })).toEqual([ref]);
      expect(await ledger.findLink(ref)).toMatchObject({ pausedFor: null });
      expect(await transfer(3)).toMatchObject({ problem: null, nextTryAt: null });
      expect(await nextDueAt()).toBe(NOW + 1);
      expect(await claimAllDue(NOW + 1)).toEqual([1, 3]);
      expect(await ledger.endPauses(destination, { sentAt: NOW + 1, now: NOW + 1 })).toEqual([]);
    });

    it('stays paused when the file that its folder took was sent before the pause', async () => {
      await paused(2);
      expect(await ledger.endPauses(destination, { sentAt: NOW - 1, now: NOW + 1 })).toEqual([]);
      expect(await ledger.findLink(ref)).toMatchObject({ pausedFor: 'DESTINATION_GONE' });
    });

    it('is not paused by the same file again after its folder has taken others', async () => {
      const id = await paused(2);
      await ledger.endPauses(destination, { sentAt: NOW + 1, now: NOW + 1 });
      await claimNext({ ...later, now: NOW + 1 });
      expect(await pause(id, { now: NOW + 2 })).toBe('not-paused');
      expect(await ledger.findLink(ref)).toMatchObject({ pausedFor: null });
      await ledger.setLink(ref, link);
    });

    it('resumes with another folder, to which only its waiting files move at once', async () => {
      await paused(2);
      await record({ ts: '3', channel: 'C2' });
      await ledger.setLink(ref, { ...link, ...elsewhere, linkedAt: NOW + 5 });
      expect(await ledger.findLink(ref)).toMatchObject({ ...elsewhere, pausedFor: null });
      for (const id of [1, 2])
        expect(await transfer(id)).toMatchObject({
          ...{ state: 'recorded', destination: elsewhere, problem: null, nextTryAt: null },
        });
      expect(await transfer(3)).toMatchObject({ destination });
      expect(await claimAllDue(NOW + 5)).toEqual([1, 2, 3]);
    });

    it('is paused again by the same file when the new folder takes none either', async () => {
      const id = await paused(1);
      await ledger.setLink(ref, { ...link, ...elsewhere, linkedAt: NOW + 5 });
      await claimNext({ ...later, now: NOW + 5 });
      expect(await pause(id, { now: NOW + 6 })).toBe('paused');
    });

    it('resumes with the same folder linked again, and tries its files as for the first time', async () => {
      const id = await paused(1);
      await ledger.setLink(ref, { ...link, linkedAt: NOW + 5 });
      expect(await nextDueAt()).toBe(NOW + 5);
      await claimNext({ ...later, now: NOW + 5 });
      expect(await pause(id, { now: NOW + 6 })).toBe('paused');
    });

    it('keeps an open create in the old folder on a relink, and makes its look due', async () => {
      await ledger.setLink(ref, link);
      await record();
      const own = await hold();
      await ledger.markUploaded(own, { ...upload, now: 1_000 });
      await announce(own, 2_000);
      const unseen = { problem: problem('RECORD_UNSEEN'), reason: 'SERVICE_FORBIDDEN' as const };
      expect(await ledger.pauseLink({ ...unseen, claim: own, now: NOW, scale: 1 })).toBe('paused');
      await endFolder(own, NOW);
      expect(await nextDueAt()).toBe(NOW + MINUTE);
      await ledger.setLink(ref, { ...link, ...elsewhere, linkedAt: NOW + 5 });
      const open = { state: 'creating', destination, nextTryAt: null };
      expect(await transfer(1)).toMatchObject(open);
      expect(await nextDueAt()).toBe(NOW + 5);
    });

    it('keeps in the old folder a create that was refused and needs another look', async () => {
      await ledger.setLink(ref, link);
      await record();
      const refused = await hold();
      await ledger.markUploaded(refused, { ...upload, now: 1_000 });
      await announce(refused, 2_000);
      const refusal = problem('DESTINATION_GONE');
      await ledger.markAnswered(refused, { answeredAt: NOW, serviceTime: null, refusal });
      expect(await ledger.parkWaiting(ref, { from: destination, now: NOW })).toBe(0);
      // The first look found a record, and could not tell whether it is in this folder.
      await endFolder(refused, NOW);
      const looked = { id: refused.id, token: 'look' };
      expect(await claimLook(looked, NOW)).toMatchObject([{ id: refused.id }]);
      await ledger.release(looked, { dueAt: NOW + 30_000 });
      const move = { from: destination, to: elsewhere, now: NOW + 1 };
      expect(await ledger.moveWaiting(ref, move)).toBe(0);
      expect(await ledger.parkWaiting(ref, move)).toBe(0);
      expect(await transfer(1)).toMatchObject({ state: 'creating', destination });
    });

    it('keeps in the old folder a create that was just refused and needs a look', async () => {
      await ledger.setLink(ref, link);
      for (const ts of ['1', '2']) await record({ ts });
      const refused = await hold();
      await ledger.markUploaded(refused, upload);
      await announce(refused, 2_000);
      const uploading = await hold({ token: 'other' });
      const gone = { problem: problem('DESTINATION_GONE'), reason: 'DESTINATION_GONE' as const };
      await ledger.pauseLink({ ...gone, claim: uploading, now: NOW, scale: 1 });
      const refusal = problem('SERVICE_FORBIDDEN');
      await ledger.markAnswered(refused, { answeredAt: NOW, serviceTime: null, refusal });
      await ledger.setLink(ref, { ...link, ...elsewhere, linkedAt: NOW + 5 });
      expect(await transfer(1)).toMatchObject({ state: 'creating', destination });
      expect(await transfer(2)).toMatchObject({ state: 'recorded', destination: elsewhere });
    });

    it('ends when the link is removed, and its files keep waiting for the old folder', async () => {
      await paused(1);
      await ledger.removeLink(ref);
      expect(await ledger.claimPauseNotice(ref, NOW)).toBeNull();
      expect(await ledger.countWaiting(ref, destination)).toBe(1);
      expect(await states(1)).toEqual(['recorded']);
      await ledger.setLink(ref, link);
      expect(await ledger.findLink(ref)).toMatchObject({ pausedFor: null, pauseNotified: false });
    });

    it('is paused again by the same file when it was removed and set again meanwhile', async () => {
      const id = await paused(1);
      await ledger.removeLink(ref);
      await ledger.setLink(ref, { ...link, linkedAt: NOW + 5 });
      await claimNext({ ...later, now: NOW + MINUTE });
      expect(await pause(id, { now: NOW + MINUTE })).toBe('paused');
    });

    it('is paused by a file that was refused for an earlier folder and retried to this one', async () => {
      const id = await paused(1);
      await ledger.removeLink(ref);
      await claimNext({ ...later, now: NOW + MINUTE });
      expect(await pause(id, { now: NOW + MINUTE })).toBe('not-paused');
      const own = { id, token: claim.token };
      const now = NOW + 2 * MINUTE;
      await ledger.markRefused(own, { problem: problem('DESTINATION_GONE'), now });
      await ledger.setLink(ref, { ...link, ...elsewhere, linkedAt: now });
      expect(await ledger.retryShare(1, { to: elsewhere, now })).toBe(1);
      await claimNext({ ...later, now });
      expect(await pause(id, { now: now + 1 })).toBe('paused');
    });

    it('is not paused for a folder that the channel is not linked to', async () => {
      await ledger.setLink(ref, { ...link, ...elsewhere });
      await record();
      expect(await pause((await hold()).id)).toBe('not-paused');
      expect(await ledger.findLink(ref)).toMatchObject({ pausedFor: null });
    });

    it('is not paused by a file saved by hand, which neither waits for it nor probes', async () => {
      await ledger.setLink(ref, link);
      const saved = await record({}, { origin: 'saved', savedBy: 'U9' });
      const own = await hold();
      expect(await pause(own.id)).toBe('not-paused');
      expect(await ledger.findLink(ref)).toMatchObject({ pausedFor: null });
      await record({ ts: '2' });
      expect(await pause((await hold()).id)).toBe('paused');
      expect(await ledger.holdBack(own, { now: NOW, scale: 1 })).toBe(false);
      expect(await transfer(saved.shareId)).toMatchObject({ problem: null });
      expect(await waitOf(2)).toBe(MINUTE);
    });

    it('is not changed under a lost claim, which rejects with LEASE_LOST', async () => {
      await ledger.setLink(ref, link);
      await record();
      const lost = { ...(await hold()), token: 'another' };
      const pausing = { problem: problem('DESTINATION_GONE'), now: NOW, scale: 1 };
      await expect(
        ledger.pauseLink({ ...pausing, claim: lost, reason: 'DESTINATION_GONE' }),
      ).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(await ledger.findLink(ref)).toMatchObject({ pausedFor: null });
      await pause(lost.id);
      await record({ ts: '2' });
      const held = { ...(await hold(later)), token: 'another' };
      await expect(ledger.holdBack(held, { now: NOW, scale: 1 })).rejects.toMatchObject({
        code: 'LEASE_LOST',
      });
    });

    it('is announced once, until dropPauseNotice says that nobody was notified', async () => {
      await paused(2);
      const notice = { ...link, pausedFor: 'DESTINATION_GONE', pauseNotified: true };
      const claimed = [1, 2].map(() => ledger.claimPauseNotice(ref, NOW));
      // Either of two at once may be the one.
      expect((await Promise.all(claimed)).filter((one) => one !== null)).toEqual([notice]);
      expect(await ledger.findLink(ref)).toMatchObject({ pauseNotified: true });
      await ledger.dropPauseNotice(ref, NOW - 1);
      expect(await ledger.claimPauseNotice(ref, NOW)).toBeNull();
      await ledger.dropPauseNotice(ref, NOW);
      expect(await ledger.claimPauseNotice(ref, NOW)).toEqual(notice);
      await ledger.endPauses(destination, { sentAt: NOW, now: NOW });
      expect(await ledger.claimPauseNotice(ref, NOW)).toBeNull();
      await claimNext(later);
      await claimNext(later);
      await pause(2);
      expect(await ledger.claimPauseNotice(ref, NOW)).toEqual(notice);
    });
  });
}

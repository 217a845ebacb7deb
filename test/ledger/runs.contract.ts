import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import { sharedFile } from '../support/builders.ts';
import { claim, destination, type LedgerUnderTest, upload } from './ledger-under-test.ts';

/** Contract for every dialect: what the ledger keeps about processes. */
export function describeRuns(given: LedgerUnderTest): void {
  const { ledger, record, hold } = given;
  describeBringingBack(given);

  describe('the run of a process', () => {
    it('begins with the time until which the process before may have sent requests', async () => {
      expect(await ledger.beginRun(1_000)).toBeNull();
      expect(await ledger.beginRun(2_000)).toMatchObject({ endedAt: 2_000 });
      await ledger.endRun(2_000, 3_000);
      expect(await ledger.beginRun(9_000)).toMatchObject({ endedAt: 3_000 });
    });

    it('does not end when an earlier process ends', async () => {
      await ledger.beginRun(1_000);
      await ledger.beginRun(2_000);
      await ledger.endRun(1_000, 3_000);
      expect(await ledger.beginRun(9_000)).toMatchObject({ endedAt: 9_000 });
    });

    it('begins after an absence if the one before crashed, or ended a minute ago', async () => {
      const wasAway = async (now: number) => (await ledger.beginRun(now))?.wasAway;
      expect(await wasAway(1_000)).toBeUndefined();
      expect(await wasAway(2_000)).toBe(true);
      await ledger.endRun(2_000, 3_000);
      expect(await wasAway(62_999)).toBe(false);
      await ledger.endRun(62_999, 70_000);
      expect(await wasAway(130_000)).toBe(true);
      // The clock of the one before was ahead.
      await ledger.endRun(130_000, 900_000);
      expect(await wasAway(200_000)).toBe(true);
    });

    it('has files in hand looked for after an absence, as they may have been filed since', async () => {
      await record();
      await record({ ts: '2', files: [sharedFile({ id: 'F2', name: 'b.pdf' })] });
      await ledger.markUploaded(await hold(), upload);
      const [uploaded] = await ledger.unfiledIn(destination);
      await ledger.beginRun(1_000);
      await ledger.endRun(1_000, 2_000);
      await ledger.beginRun(3_000);
      expect(await ledger.unfiledIn(destination)).toMatchObject([{ state: 'uploaded' }]);
      await ledger.beginRun(HOUR);
      expect(await ledger.unfiledIn(destination)).toMatchObject([
        { id: uploaded?.id, state: 'uploaded', earlier: 'look' },
        { state: 'recorded', earlier: 'look', name: 'b.pdf' },
      ]);
      expect(await ledger.enqueueMissing(HOUR)).toBe(0);
    });

    it('has what waits for a person looked for, too, before it is sent', async () => {
      const { shareId } = await record({}, { destination: null });
      const other = await record({ ts: '2', files: [sharedFile({ id: 'F2', name: 'b.pdf' })] });
      const problem = { code: 'SERVICE_TOO_LARGE', note: null } as const;
      await ledger.markRefused(await hold(), { problem, now: 1_500 });
      await ledger.beginRun(1_000);
      await ledger.beginRun(HOUR);
      for (const one of [shareId, other.shareId])
        expect(await ledger.transfersOfShare(one)).toMatchObject([{ earlier: 'look' }]);
    });

    it('leaves alone what another instance has claimed', async () => {
      await record();
      const { token } = await hold({ until: 2 * HOUR });
      await ledger.beginRun(1_000);
      await ledger.beginRun(HOUR);
      expect(await ledger.unfiledIn(destination)).toEqual([]);
      expect(await ledger.renewLeases({ tokens: [token], until: 3 * HOUR })).toEqual(
        new Set([token]),
      );
    });

    it('keeps the missing scopes, and noteMissingScopes returns whether they changed', async () => {
      await ledger.beginRun(1_000);
      const news = [];
      for (const missing of ['a b', 'a b', 'a', null, null, 'a'])
        news.push(await ledger.noteMissingScopes(missing));
      expect(news).toEqual([true, false, true, true, false, true]);
    });

    it('passes the readiness check when the ledger can be written', async () => {
      await expect(ledger.check()).resolves.toBeUndefined();
    });
  });
}

const HOUR = 3_600_000;
/** A process whose clock was ahead wrote the ledger then; another begins at NOW. */
const [NOW, AHEAD] = [10 * HOUR, 100 * HOUR];

function describeBringingBack(given: LedgerUnderTest): void {
  const { ledger, record, claimNext, hold, announce, endFolder, nextDueAt } = given;
  const ref = { team: 'T1', channel: 'C1' };

  describe('a process that begins after one whose clock was ahead', () => {
    it('brings back what is due more than two hours ahead, and leaves what waits for a try', async () => {
      await record({ ts: '1' }, { now: AHEAD });
      await record({ ts: '2' }, { now: NOW + HOUR });
      await ledger.beginRun(NOW);
      expect(await claimNext({ ...claim, now: NOW, until: NOW + 1 })).toMatchObject({ shareId: 1 });
      expect(await claimNext({ ...claim, now: NOW, token: 't2' })).toBeNull();
      const lease = { now: NOW, until: NOW + 1, token: 'line' };
      expect(await ledger.claimMessage(lease)).toMatchObject({ about: 1 });
      expect(await ledger.findShareById(1)).toMatchObject({ recordedAt: NOW });
      expect(await ledger.nextDue('message')).toBe(NOW + 1);
    });

    it.for<[string, (ledger: Ledger) => Promise<unknown>, Parameters<Ledger['nextDue']>[0]]>([
      ['reports', (it) => it.beginBackfill(ref, { startedBy: 'U1', now: AHEAD }), 'message'],
      ['backfills', (it) => it.beginBackfill(ref, { startedBy: 'U1', now: AHEAD }), 'backfill'],
      ['watches', (it) => it.setWatched(ref, { on: true, now: AHEAD }), 'watch'],
    ])('brings back its %s', async ([_what, write, kind]) => {
      await write(ledger);
      await ledger.beginRun(NOW);
      expect(await ledger.nextDue(kind)).toBe(NOW);
    });

    it('brings back the time at which a claimed job is due again', async () => {
      const all = { team: 'T1', channels: ['C1'], all: true, isInterrupted: false };
      const asked = { ...all, begunTs: '1700000000.000000' };
      await ledger.beginRun(NOW, '1600000000.000000');
      await ledger.requestCatchUp({ ...asked, now: NOW });
      const lease = { now: NOW, until: NOW + HOUR, token: 'r' };
      expect(await ledger.claimRow('catch-up', lease)).toBeDefined();
      await ledger.requestCatchUp({ ...asked, begunTs: '1800000000.000000', now: AHEAD });
      await ledger.beginRun(NOW);
      const read = { confirmedTs: null, threadsTs: asked.begunTs, read: 'newest' } as const;
      await ledger.finishCatchUp(lease, { ...read, isInterrupted: false, now: NOW });
      expect(await ledger.nextDue('catch-up')).toBe(NOW);
    });

    it('has lists read anew that were read then', async () => {
      const { id } = await ledger.beginReading(destination, AHEAD);
      const known = { serviceTime: null, unreadable: 0, paged: 0, highest: 0, listOrder: null };
      await ledger.noteComplete(id, { ...known, completeAt: AHEAD, readAt: AHEAD });
      await ledger.beginRun(NOW);
      expect(await ledger.findFolder(destination)).toMatchObject({
        readAt: null,
        completeAt: null,
      });
    });

    it('takes an open create as sent now, so that its look ends one day', async () => {
      await record({}, { now: NOW });
      const own = await hold({ now: NOW, until: AHEAD });
      await ledger.markUploaded(own, { ...upload, now: NOW });
      const [announced] = await announce({ token: 't2' }, AHEAD);
      const problem = { code: 'SERVICE_FAILED' as const, note: null };
      const put = { id: announced?.id ?? 0, token: 't2' };
      const failed = { problem, failingSince: AHEAD, now: AHEAD };
      await ledger.postpone(put, { ...failed, dueAt: AHEAD + HOUR });
      await endFolder(put, AHEAD);
      await ledger.beginRun(NOW);
      const [open] = await ledger.transfersOfShare(1);
      expect(open).toMatchObject({ state: 'creating', creatingSince: NOW, answeredAt: null });
      expect(open).toMatchObject({ nextTryAt: null });
      expect(await nextDueAt()).toBe(NOW);
    });

    it('reads a channel that was asked for then once, not until that time has come', async () => {
      const channels = { team: 'T1', channels: ['C1'], all: true, isInterrupted: false };
      const asked = { ...channels, begunTs: '1700000000.000000' };
      await ledger.beginRun(AHEAD);
      for (const _again of [1, 2]) await ledger.requestCatchUp({ ...asked, now: AHEAD });
      await ledger.beginRun(NOW);
      const lease = { now: NOW, until: NOW + 1, token: 'r' };
      await ledger.claimRow('catch-up', lease);
      const read = { confirmedTs: null, threadsTs: asked.begunTs, read: 'newest' } as const;
      const end = { ...read, isInterrupted: false, now: NOW };
      await ledger.finishCatchUp(lease, end);
      expect(await ledger.nextDue('catch-up')).toBeNull();
    });

    it('may send the requests of looks for added files', async () => {
      await ledger.beginRun(AHEAD);
      await ledger.takeAnnounceRequest({ now: AHEAD, everyMs: 10_000 });
      await ledger.beginRun(NOW);
      expect(await ledger.takeAnnounceRequest({ now: NOW, everyMs: 10_000 })).toBe(true);
    });
  });
}

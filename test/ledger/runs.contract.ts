import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import { claim, type LedgerUnderTest, upload } from './ledger-under-test.ts';

/** Contract for every dialect: what the ledger keeps about processes. */
export function describeRuns(given: LedgerUnderTest): void {
  const { ledger } = given;
  describeBringingBack(given);

  describe('the run of a process', () => {
    it('begins with the time until which the process before may have sent requests', async () => {
      expect(await ledger.beginRun(1_000)).toBeNull();
      expect(await ledger.beginRun(2_000)).toBe(2_000);
      await ledger.endRun(2_000, 3_000);
      expect(await ledger.beginRun(9_000)).toBe(3_000);
    });

    it('does not end when an earlier process ends', async () => {
      await ledger.beginRun(1_000);
      await ledger.beginRun(2_000);
      await ledger.endRun(1_000, 3_000);
      expect(await ledger.beginRun(9_000)).toBe(9_000);
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
      expect(await ledger.claimRow('share', lease)).toMatchObject({ id: 1, recordedAt: NOW });
      expect(await ledger.nextDue('share')).toBe(NOW + 1);
    });

    it.for<[string, (ledger: Ledger) => Promise<unknown>, Parameters<Ledger['nextDue']>[0]]>([
      ['reports', (it) => it.beginBackfill(ref, { startedBy: 'U1', now: AHEAD }), 'report'],
      ['backfills', (it) => it.beginBackfill(ref, { startedBy: 'U1', now: AHEAD }), 'backfill'],
      ['watches', (it) => it.setWatched(ref, { on: true, now: AHEAD }), 'watch'],
    ])('brings back its %s', async ([_what, write, kind]) => {
      await write(ledger);
      await ledger.beginRun(NOW);
      expect(await ledger.nextDue(kind)).toBe(NOW);
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
      const { id = 0 } = (await ledger.claimRow('catch-up', lease)) ?? {};
      const read = { confirmedTs: null, threadsTs: asked.begunTs, read: 'newest' } as const;
      const end = { ...read, isInterrupted: false, now: NOW };
      await ledger.finishCatchUp({ id, token: 'r' }, end);
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

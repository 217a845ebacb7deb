import { describe, expect, it } from 'vitest';
import { folderNumber, KEY } from '../../src/core/index.ts';
import { folderLink } from '../support/builders.ts';
import { claimReport, holdRow } from '../support/claim-next.ts';
import { claim, destination, elsewhere, type LedgerUnderTest } from './ledger-under-test.ts';

/** Contract for every dialect: backfills. */
export function describeBackfills({ ledger, record, claimNext, hold }: LedgerUnderTest): void {
  describe('a backfill', () => {
    const ref = { team: 'T1', channel: 'C1' };
    const read = { now: 2_000, until: 62_000, token: 'r1' };
    const claimReading = (given: Partial<typeof read> = {}) =>
      ledger.claimRow('backfill', { ...read, ...given });
    const begun = async () => {
      await ledger.beginBackfill(ref, { startedBy: 'U1', now: 1_000 });
      const held = await holdRow(ledger, 'backfill', read);
      const report = await ledger.findReport(held.id);
      if (!report) throw new Error('the backfill has no report');
      return { report, claim: held };
    };
    const past = (ts: string, reportId: number) =>
      record({ ts }, { origin: 'backfill', reportId, destination: null });

    it('is started only once per channel while its history is being read', async () => {
      const { report } = await begun();
      await ledger.beginBackfill(ref, { startedBy: 'U2', now: 3_000 });
      expect(await claimReading({ now: 4_000, token: 'r2' })).toBeUndefined();
      await ledger.beginBackfill({ ...ref, channel: 'C2' }, { startedBy: 'U2', now: 3_000 });
      const other = await claimReading({ now: 4_000, token: 'r2' });
      expect(other).toMatchObject({ channel: 'C2' });
      expect(await ledger.findReport(other?.id ?? 0)).toMatchObject({ startedBy: 'U2' });
      expect(await ledger.findReport(report.id)).toMatchObject({ startedBy: 'U1' });
      expect(await ledger.nextDue('catch-up')).toBeNull();
    });

    it("resumes where it had read to when its reader's lease expires, and ignores that reader", async () => {
      const { claim: c } = await begun();
      expect(await ledger.markReadTo(c, '17.5')).toBe(true);
      const renew = (tokens: string[], until: number) => ledger.renewLeases({ tokens, until });
      expect(await renew(['r1'], 90_000)).toEqual(new Set(['r1']));
      await ledger.sweepLeases(['catch-up', 'backfill'], { now: 80_000 });
      expect(await claimReading({ now: 80_000, token: 'r2' })).toBeUndefined();
      await ledger.sweepLeases(['catch-up', 'backfill'], { now: 90_000 });
      const later = { now: 90_000, until: 150_000, token: 'r2' };
      expect(await claimReading(later)).toMatchObject({ readTo: '17.5' });
      expect(await renew(['r1', 'r2'], 200_000)).toEqual(new Set(['r2']));
      expect(await ledger.markReadTo(c, '16.0')).toBe(false);
      expect(await ledger.fileBackfill(c, { destination, now: 95_000 })).toBe(false);
    });

    it('files nothing until all history is read, then files the oldest first', async () => {
      const { report, claim: c } = await begun();
      for (const ts of ['1700000003.000000', '1700000001.000100', '1700000002.000000'])
        await past(ts, report.id);
      const now = 1_800_000_000_000;
      expect(await claimNext({ ...claim, now })).toBeNull();
      expect(await ledger.fileBackfill(c, { destination, now })).toBe(true);
      const order = [];
      for (const token of ['a', 'b', 'c'])
        order.push(await claimNext({ ...claim, until: now + 1, now, token }));
      const shares = order.map((one) => ledger.findShareById(one?.shareId ?? 0));
      expect((await Promise.all(shares)).map((one) => one?.ts)).toEqual([
        '1700000001.000100',
        '1700000002.000000',
        '1700000003.000000',
      ]);
      expect(order[0]).toMatchObject({ destination });
      expect(await claimReading({ now, token: 'r2' })).toBeUndefined();
    });

    describe('that was held up', () => {
      const SHARED = ['1700000003.000000', '1700000001.000100', '1700000002.000000'];
      const now = 1_800_000_000_000;
      const lease = (token: string, at = now) => ({ ...claim, token, now: at, until: at + 1_000 });

      /** Links the channel, and sends its past on its way. */
      const filing = async () => {
        await ledger.setLink(ref, folderLink());
        const { report, claim: c } = await begun();
        for (const ts of SHARED) await past(ts, report.id);
        await ledger.fileBackfill(c, { destination, now });
      };
      const nextTs = async (token: string, at: number) => {
        const next = await claimNext(lease(token, at));
        return (await ledger.findShareById(next?.shareId ?? 0))?.ts;
      };
      const expectOldestFirst = async (at: number) => {
        const order: (string | undefined)[] = [];
        for (const token of ['a', 'b', 'c']) order.push(await nextTs(token, at));
        expect(order).toEqual(SHARED.toSorted());
      };

      it('by a folder’s hold files the oldest first once that ends', async () => {
        await filing();
        const first = { id: (await claimNext(lease('t')))?.id ?? 0, token: 't' };
        const problem = { code: 'DESTINATION_GONE' as const, note: null };
        const scope = folderNumber(destination);
        const reason = problem.code;
        await ledger.openHold({ claim: first, scope, problem, reason, now, scale: 1 });
        await ledger.endHold(scope, now + 5_000);
        await expectOldestFirst(now + 5_000);
      });

      it('by a folder’s hold files the oldest first into the folder that is linked next', async () => {
        await filing();
        const first = { id: (await claimNext(lease('t')))?.id ?? 0, token: 't' };
        const problem = { code: 'DESTINATION_GONE' as const, note: null };
        const scope = folderNumber(destination);
        const reason = problem.code;
        await ledger.openHold({ claim: first, scope, problem, reason, now, scale: 1 });
        await ledger.setLink(ref, folderLink({ ...elsewhere, linkedAt: now + 5_000 }));
        await expectOldestFirst(now + 5_000);
      });

      it('by a key that was not accepted files the oldest first once it is', async () => {
        await filing();
        const problem = { code: 'SERVICE_UNAUTHORIZED' as const, note: null };
        const held = { id: (await claimNext(lease('t')))?.id ?? 0, token: 't' };
        const refused = { scope: KEY, problem, reason: problem.code };
        await ledger.openHold({ ...refused, claim: held, now, scale: 1 });
        await ledger.endHold(KEY, now + 5_000);
        await expectOldestFirst(now + 5_000);
      });
    });

    it('files nothing after it was stopped while reading, until the next backfill', async () => {
      const { report, claim: c } = await begun();
      await past('1', report.id);
      await ledger.stopReport(report, 3_000);
      expect(await ledger.fileBackfill(c, { destination, now: 4_000 })).toBe(false);
      expect(await ledger.markReadTo(c, '1')).toBe(false);
      const renewed = await ledger.renewLeases({ tokens: ['r1'], until: 90_000 });
      expect(renewed).toEqual(new Set());
      expect(await claimNext({ ...claim, now: 10 ** 12 })).toBeNull();
      expect(await ledger.countParked(ref, 'past')).toBe(1);
      const second = await begun();
      expect(await ledger.fileBackfill(second.claim, { destination, now: 5_000 })).toBe(true);
      expect((await ledger.filesOfReport(second.report.id)).states).toEqual({ recorded: 1 });
      expect(await ledger.countParked(ref, 'past')).toBe(0);
    });

    it('makes isBackfilled true, unless it was stopped or one of its files was skipped', async () => {
      const isBackfilled = () => ledger.isBackfilled(ref);
      expect(await isBackfilled()).toBe(false);
      const stopped = await begun();
      expect(await isBackfilled()).toBe(true);
      await ledger.stopReport(stopped.report, 1_500);
      expect(await isBackfilled()).toBe(false);
      const { report, claim: c } = await begun();
      await past('1', report.id);
      expect(await isBackfilled()).toBe(true);
      await ledger.fileBackfill(c, { destination, now: 2_000 });
      expect(await isBackfilled()).toBe(true);
      expect(await ledger.isBackfilled({ ...ref, channel: 'C2' })).toBe(false);
      const held = await hold();
      const problem = { code: 'SERVICE_REFUSED' as const, note: null };
      await ledger.markRefused(held, { problem, now: 2_500 });
      expect(await ledger.leaveTroubled(ref, { parkedToo: true, now: 3_000 })).toBe(1);
      expect(await isBackfilled()).toBe(false);
    });

    it('no longer counts for isBackfilled once it ends if the channel was linked after its start', async () => {
      const { claim: c } = await begun();
      await ledger.setLink(ref, folderLink({ linkedAt: 9_000 }));
      expect(await ledger.isBackfilled(ref)).toBe(true);
      await ledger.fileBackfill(c, { destination, now: 10_000 });
      expect(await ledger.isBackfilled(ref)).toBe(false);
      await ledger.removeLink(ref);
      await ledger.setLink(ref, folderLink({ linkedAt: 1_000 }));
      expect(await ledger.isBackfilled(ref)).toBe(true);
    });

    it('counts failures until a page is read, and is due when failBackfill says', async () => {
      const { claim: c, report } = await begun();
      const failed = { dueAt: 9_000, problem: 'internal_error', now: 3_000 };
      await ledger.failBackfill(c, failed);
      await ledger.failBackfill(c, failed);
      expect(await claimReading({ now: 8_000, token: 'r2' })).toBeUndefined();
      expect(await ledger.nextDue('backfill')).toBe(9_000);
      const again = await claimReading({ now: 9_000, token: 'r2' });
      expect(again).toMatchObject({ attempts: 2, problem: 'internal_error' });
      await ledger.markReadTo({ ...c, token: 'r2' }, '1');
      expect(await ledger.findReport(report.id)).toMatchObject({ problem: null, reading: 1 });
      await ledger.failBackfill({ ...c, token: 'r2' }, { ...failed, dueAt: 19_000 });
      expect(await claimReading({ now: 19_000, token: 'r3' })).toMatchObject({ attempts: 2 });
    });

    it('ends with its problem if failBackfill gives no next time, unless the claim is lost', async () => {
      const { claim: c, report } = await begun();
      const reason = { problem: 'missing_scope', dueAt: null, now: 3_000 };
      await ledger.failBackfill({ ...c, token: 'another' }, reason);
      expect(await ledger.findReport(report.id)).toMatchObject({ stopped: 0 });
      await ledger.failBackfill(c, reason);
      expect(await ledger.findReport(report.id)).toMatchObject({ stopped: 1 });
      const ended = { reading: 0, nextTryAt: null, problem: 'missing_scope' };
      expect(await ledger.findReport(report.id)).toMatchObject(ended);
      const due = { now: 3_000, until: 4_000, token: 'x' };
      expect(await claimReport(ledger, due)).toMatchObject({
        id: report.id,
      });
    });

    it('is due at the given time after its claim is released, and findReport says when', async () => {
      const { claim: c, report } = await begun();
      expect(await ledger.findReport(report.id)).toMatchObject({ nextTryAt: null });
      await ledger.endJob(c, { dueAt: 9_000, unused: true });
      expect(await ledger.findReport(report.id)).toMatchObject({ nextTryAt: 9_000 });
      expect(await claimReading({ now: 8_000, token: 'r2' })).toBeUndefined();
      expect(await claimReading({ now: 9_000, token: 'r2' })).toMatchObject({ attempts: 1 });
    });
  });
}

import { beforeEach, describe, expect, it } from 'vitest';
import type { AddedFiles } from '../../src/core/index.ts';
import { readAdded } from '../../src/ledger/index.ts';
import { folderLink } from '../support/builders.ts';
import { claimReport, holdRow } from '../support/claim-next.ts';
import { destination, elsewhere, type LedgerUnderTest, upload } from './ledger-under-test.ts';

const MINUTE = 60_000;

/** Contract for every dialect: channels that are told what others add to their folders. */
export function describeWatches({ ledger, ...under }: LedgerUnderTest): void {
  const { record, hold, announce, endFolder, refuseCreating } = under;
  describe('a watched folder', () => {
    const ref = { team: 'T1', channel: 'C1' };
    const link = folderLink({ folderName: 'Invoices' });
    const lease = { now: 1_000, until: 61_000, token: 'w1' };
    const seen = 7;
    const added: AddedFiles = {
      ...{ count: 2, by: 'Maya Chen', folder: destination },
      files: [
        { name: 'a.pdf', url: 'https://files.example/1' },
        { name: 'b.pdf', url: null },
      ],
    };
    const claimed = (given: Partial<typeof lease> = {}) =>
      ledger.claimRow('watch', { ...lease, ...given });
    const holdWatch = (given: Partial<typeof lease> = {}) =>
      holdRow(ledger, 'watch', { ...lease, ...given });
    const isWatched = async () => (await ledger.findLink(ref))?.announces ?? false;
    const turnOn = (now = 500) => ledger.setWatched(ref, { on: true, now });
    beforeEach(async () => {
      await ledger.beginRun(1);
      await ledger.setLink(ref, link);
    });

    it('is looked into only while somebody has the watch turned on', async () => {
      expect(await isWatched()).toBe(false);
      expect(await claimed()).toBeUndefined();
      expect(await turnOn()).toBe(true);
      expect(await turnOn()).toBe(false);
      expect(await isWatched()).toBe(true);
      expect(await ledger.nextDue('watch')).toBe(500);
      expect(await ledger.setWatched(ref, { on: false, now: 600 })).toBe(true);
      expect(await ledger.setWatched(ref, { on: false, now: 600 })).toBe(false);
      expect(await claimed()).toBeUndefined();
    });

    it('is looked into by one claim at a time, and again ten minutes later', async () => {
      await turnOn();
      const own = await holdWatch();
      expect(await claimed({ token: 'w2' })).toBeUndefined();
      expect(await ledger.recordLook(own, { seen, added: null, now: 2_000 })).toBe(true);
      expect(await claimed({ now: 2_000 + 10 * MINUTE - 1 })).toBeUndefined();
      const next = await claimed({ now: 2_000 + 10 * MINUTE, token: 'w2' });
      expect(next).toMatchObject({ addedSeen: seen, addedReportId: null, attempts: 1 });
    });

    it('records what was seen together with its message, or neither', async () => {
      await turnOn();
      const own = await holdWatch();
      await ledger.recordLook(own, { seen, added, now: 2_000 });
      expect(await ledger.recordLook(own, { seen, added, now: 2_000 })).toBe(false);
      const report = await claimReport(ledger, { ...lease, now: 2_000 });
      expect(report).toMatchObject({ ...ref, kind: 'added', startedAt: 2_000 });
      expect(report && readAdded(report)).toEqual(added);
      expect(await claimReport(ledger, { ...lease, now: 2_000 })).toBeUndefined();
      const next = await claimed({ now: 2_000 + 10 * MINUTE });
      expect(next).toMatchObject({ addedSeen: seen, addedReportId: report?.id });
    });

    it('keeps its last message until the next, or until the watch ends', async () => {
      await turnOn();
      const reports = { ...lease, now: 2_000 };
      await ledger.recordLook(await holdWatch(), { seen, added, now: 2_000 });
      const first = await claimReport(ledger, reports);
      const own = await holdWatch({ now: 2_000 + 10 * MINUTE });
      await ledger.recordLook(own, { seen, added: null, now: 2_000 + 10 * MINUTE });
      const find = (row: { id: number } | undefined) => ledger.findReport(row?.id ?? 0);
      expect(await find(first)).toMatchObject({ kind: 'added' });
      const late = { ...reports, now: 2_000 + 20 * MINUTE, until: 99 * MINUTE };
      await ledger.recordLook(await holdWatch(late), { seen, added, now: late.now });
      expect(await find(first)).toBeUndefined();
      const second = await claimReport(ledger, late);
      expect(second).toMatchObject({ kind: 'added' });
      await ledger.setWatched(ref, { on: false, now: late.now });
      expect(await find(second)).toBeUndefined();
      const message = { kind: 'report', about: second?.id ?? 0 } as const;
      expect(await ledger.beginPost(message, second?.token ?? '')).toBe(false);
    });

    it('starts over with another folder, and the running look loses its claim', async () => {
      await turnOn();
      await ledger.recordLook(await holdWatch(), { seen, added: null, now: 2_000 });
      const own = await holdWatch({ now: 2_000 + 10 * MINUTE });
      await ledger.setLink(ref, { ...link, ...elsewhere, linkedAt: 3_000 });
      expect(await ledger.recordLook(own, { seen, added, now: 4_000 })).toBe(false);
      expect(await ledger.nextDue('message')).toBeNull();
      const next = await claimed({ now: 3_000, token: 'w2' });
      expect(next).toMatchObject({ addedSeen: null, attempts: 1 });
    });

    it('keeps what was seen when the same folder is linked again', async () => {
      await turnOn();
      await ledger.recordLook(await holdWatch(), { seen, added: null, now: 2_000 });
      await ledger.setLink(ref, { ...link, linkedAt: 3_000 });
      expect(await claimed({ now: 2_000 + 10 * MINUTE })).toMatchObject({ addedSeen: seen });
    });

    it('is no longer watched once its link is removed', async () => {
      await turnOn();
      const own = await holdWatch();
      await ledger.removeLink(ref);
      expect(await isWatched()).toBe(false);
      expect(await ledger.recordLook(own, { seen, added, now: 2_000 })).toBe(false);
      await ledger.setLink(ref, link);
      expect(await isWatched()).toBe(false);
    });

    it('is put off with its failed looks in a row, only by the holder of its claim', async () => {
      await turnOn();
      const own = await holdWatch();
      const failed = { dueAt: 9_000, unfinished: true };
      await ledger.endJob({ token: 'lost' }, { ...failed, dueAt: 5 });
      expect(await ledger.nextDue('watch')).toBe(lease.until);
      await ledger.endJob(own, failed);
      expect(await ledger.nextDue('watch')).toBe(9_000);
      const next = await holdWatch({ now: 9_000 });
      expect(next).toMatchObject({ attempts: 2, addedSeen: null });
      await ledger.recordLook(next, { seen, added: null, now: 9_000 });
      expect(await claimed({ now: 9_000 + 10 * MINUTE })).toMatchObject({ attempts: 1 });
    });

    it('allows one request per interval over all instances', async () => {
      const take = (now: number) => ledger.takeAnnounceRequest({ now, everyMs: 10_000 });
      expect((await Promise.all([take(1_000), take(1_000)])).toSorted()).toEqual([false, true]);
      expect(await take(10_999)).toBe(false);
      expect(await take(11_000)).toBe(true);
    });

    it('allows no request while files are due to be claimed', async () => {
      const take = () => ledger.takeAnnounceRequest({ now: 30_000, everyMs: 10_000 });
      await record();
      expect(await take()).toBe(false);
      await hold();
      expect(await take()).toBe(true);
    });

    it('returns from unidentifiedIn the files of ours whose records are not known', async () => {
      const unidentified = async () =>
        (await ledger.unidentifiedIn(destination)).map(({ name, byteSize }) => [name, byteSize]);
      const make = async (nth: number) => {
        await record({ ts: `${nth}` });
        const own = await hold({ token: `t${nth}` });
        await ledger.markUploaded(own, { ...upload, byteSize: nth });
        return own;
      };
      const filed = await make(1);
      expect(await unidentified()).toEqual([]);
      await announce(filed, 2_000);
      expect(await unidentified()).toEqual([['report.pdf', 1]]);
      await ledger.markFiled({ claim: filed, recordId: 1, now: 3_000 });
      await endFolder(filed, 3_000);
      expect(await unidentified()).toEqual([]);
      const untold = await make(2);
      await announce(untold, 2_000);
      await ledger.markFiled({ claim: untold, recordId: null, now: 3_000 });
      await endFolder(untold, 3_000);
      await record({ ts: '3' });
      await refuseCreating('t3', 'RECORD_SIZE_MISMATCH');
      await record({ ts: '4' });
      await refuseCreating('t4', 'RECORD_UNCLEAR');
      expect((await unidentified()).map(([, byteSize]) => byteSize).sort()).toEqual([10, 10, 2]);
      expect(await ledger.unidentifiedIn(elsewhere)).toEqual([]);
    });
  });
}

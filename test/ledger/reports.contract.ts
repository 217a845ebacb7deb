import { describe, expect, it } from 'vitest';
import { claimReport } from '../support/claim-next.ts';
import { type LedgerUnderTest, upload } from './ledger-under-test.ts';

/** Contract for every dialect: reports. */
export function describeReports({ ledger, record, ...under }: LedgerUnderTest): void {
  const { hold, claimEach, announce, endFolder } = under;
  describe('a report', () => {
    it('counts its transfers, and parks those that have not begun when it is stopped', async () => {
      const input = {
        team: 'T1',
        channel: 'C1',
        kind: 'backfill' as const,
        startedBy: 'U1',
        now: 1,
      };
      const reportId = await ledger.createReport(input);
      const past = { origin: 'backfill' as const, reportId };
      for (const ts of ['1', '2', '3']) await record({ ts }, past);
      await hold();
      const report = await ledger.findReport(reportId);
      if (report) await ledger.stopReport(report, 2_000);
      expect((await ledger.filesOfReport(reportId)).states).toEqual({ recorded: 1, parked: 2 });
      expect(await claimReport(ledger, { now: 2_000, until: 3_000, token: 'r' })).toMatchObject({
        id: reportId,
        stopped: 1,
      });
    });

    it('returns its first filed files with the URLs that open them, once none is on its way', async () => {
      const input = { team: 'T1', channel: 'C1', kind: 'catch-up' as const, startedBy: null };
      const reportId = await ledger.createReport({ ...input, now: 1 });
      for (let nth = 0; nth < 4; nth += 1) {
        await record({ ts: String(nth) }, nth === 3 ? {} : { reportId });
        const [own] = await claimEach([`t${nth}`]);
        if (!own) continue;
        if (nth < 3) expect((await ledger.filesOfReport(reportId)).files).toEqual([]);
        const problem = { code: 'SLACK_FILE_EXTERNAL' as const, note: null };
        if (nth === 2) await ledger.markRefused(own, { problem, now: 2_000 });
        if (nth === 2) continue;
        await ledger.markUploaded(own, upload);
        await announce(own, 2_000);
        const recordUrl = nth === 0 ? null : `https://files.example/${nth}`;
        await ledger.markFiled({ claim: own, recordId: nth + 1, recordUrl, now: 3_000 });
        await endFolder(own, 3_000);
      }
      const { files } = await ledger.filesOfReport(reportId);
      expect(files.map(({ url }) => url)).toEqual([null, 'https://files.example/1']);
    });

    it("returns the first few refused files of each code, and that code's count", async () => {
      const input = { team: 'T1', channel: 'C1', kind: 'backfill' as const, startedBy: 'U1' };
      const reportId = await ledger.createReport({ ...input, now: 1 });
      const codes = ['SLACK_FILE_EXTERNAL', 'SLACK_FILE_DELETED'] as const;
      for (let nth = 0; nth < 24; nth += 1) {
        await record({ ts: String(nth) }, { origin: 'backfill', reportId });
        const held = await hold({ token: `t${nth}` });
        const problem = { code: codes[nth < 22 ? 0 : 1], note: `F${nth}` };
        await ledger.markRefused(held, { problem, now: 2 });
      }
      const { refusals } = await ledger.filesOfReport(reportId);
      expect(refusals).toHaveLength(22);
      expect(refusals.at(0)).toMatchObject({ problem: 'SLACK_FILE_EXTERNAL', alike: 22 });
      expect(refusals.at(-1)).toMatchObject({ problem: 'SLACK_FILE_DELETED', alike: 2 });
    });
  });
}

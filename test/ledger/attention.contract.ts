import { describe, expect, it } from 'vitest';
import { folderLink } from '../support/builders.ts';
import { claim, destination, type LedgerUnderTest, upload } from './ledger-under-test.ts';

/** Contract for every dialect: files that need attention. */
export function describeAttention(given: LedgerUnderTest): void {
  const { ledger, record, claimNext, hold, refuseCreating, states } = given;
  const ref = { team: 'T1', channel: 'C1' };
  const problem = { code: 'SERVICE_FAILED' as const, note: null };

  const refused = async (ts: string, token: string) => {
    const { shareId } = await record({ ts });
    const transfer = await hold({ token });
    await ledger.markRefused(transfer, { problem, now: 3_000 });
    return shareId;
  };

  describe('a file that needs attention', () => {
    it('is counted by channel and reason, unlike files in progress or filed', async () => {
      await refused('1', 't1');
      await refused('2', 't2');
      await record({ ts: '3' });
      const waiting = await claimNext({ ...claim, token: 't3' });
      const put = { problem, dueAt: 90_000, failingSince: 1_000, now: 2_000 };
      await ledger.postpone({ id: waiting?.id ?? 0, token: 't3' }, put);
      await record({ ts: '4' }, { destination: null });
      await record({ ts: '5', channel: 'C2' });
      await record({ ts: '6', team: 'T2' }, { destination: null });
      const alike = {
        ...{ channel: 'C1', isSaved: false, name: 'report.pdf', nextTryAt: null },
        problem: problem.code,
      };
      expect(await ledger.listTroubles('T1')).toEqual(
        expect.arrayContaining([
          { ...alike, kind: 'refused', count: 2 },
          { ...alike, kind: 'waiting', count: 1, nextTryAt: 90_000 },
          { ...alike, kind: 'parked', count: 1, problem: null },
        ]),
      );
      expect(await ledger.listTroubles('T1')).toHaveLength(3);
      expect(await ledger.listTroubles('T1', ['C2', 'C1'])).toHaveLength(3);
      expect(await ledger.listTroubles('T1', ['C2'])).toEqual([]);
      expect(await ledger.countInHand('T1')).toEqual(new Map([['C2', 1]]));
      expect(await ledger.countRefused()).toBe(2);
    });

    it('is counted separately when somebody saved it by hand', async () => {
      await refused('1', 't1');
      await record({ ts: '2' }, { origin: 'saved', savedBy: 'U1' });
      const saved = await hold({ token: 't2' });
      await ledger.markRefused(saved, { problem, now: 3_000 });
      const troubles = await ledger.listTroubles('T1');
      expect(troubles.map(({ channel, isSaved }) => [channel, isSaved]).sort()).toEqual([
        ['C1', false],
        ['C1', true],
      ]);
    });

    it('is parked by parkTroubled only when it is certainly not in the folder', async () => {
      const [one, unclear] = [await refused('1', 't1'), (await record({ ts: '2' })).shareId];
      await refuseCreating('t2', 'RECORD_UNCLEAR');
      expect((await ledger.troubledShares(ref)).map(({ id }) => id)).toEqual([one, unclear]);
      expect(await ledger.parkTroubled(ref, 5_000)).toBe(1);
      expect([await states(one), await states(unclear)]).toEqual([['parked'], ['refused']]);
      expect(await ledger.listTroubles('T1')).toMatchObject([{ problem: 'RECORD_UNCLEAR' }]);
      expect(await ledger.parkTroubled(ref, 6_000)).toBe(0);
    });

    it('is left alone by parkTroubled while a job holds its claim', async () => {
      const { shareId } = await record();
      const first = await hold();
      const put = { problem, dueAt: 4_000, failingSince: 1_000, now: 2_000 };
      await ledger.postpone(first, put);
      await claimNext({ ...claim, now: 4_000, until: 40_000, token: 't2' });
      expect(await ledger.parkTroubled(ref, 5_000)).toBe(0);
      expect(await states(shareId)).toEqual(['recorded']);
    });

    it('starts over when it is parked and filed later', async () => {
      const shareId = await refused('1', 't1');
      await ledger.parkTroubled(ref, 5_000);
      await ledger.fileParked(ref, { destination, now: 6_000 });
      const again = await claimNext({ ...claim, now: 6_000, until: 40_000, token: 't2' });
      expect(again).toMatchObject({ shareId, problem: null, refusedIn: null });
      await ledger.markUploaded({ id: again?.id ?? 0, token: 't2' }, { ...upload, now: 7_000 });
      expect(await states(shareId)).toEqual(['uploaded']);
    });

    it('counts as tried once when parked and filed later, however often it failed before', async () => {
      await record();
      for (const now of [1_000, 2_000, 3_000]) {
        const held = await hold({ now, token: 't' });
        const put = { problem, dueAt: now + 1_000, failingSince: 1_000, now };
        await ledger.postpone(held, put);
      }
      await ledger.parkTroubled(ref, 5_000);
      await ledger.fileParked(ref, { destination, now: 6_000 });
      const again = await claimNext({ ...claim, now: 6_000, until: 40_000, token: 't2' });
      // A failure makes the worker ask Slack for the file's current data.
      expect(again).toMatchObject({ failures: 1, failingSince: null });
    });
  });

  it('listLinks returns all links of one workspace', async () => {
    const link = folderLink({ folderName: 'Invoices' });
    await ledger.setLink(ref, link);
    await ledger.setLink({ team: 'T1', channel: 'C2' }, link);
    await ledger.setLink({ team: 'T2', channel: 'C3' }, link);
    await ledger.removeLink({ team: 'T1', channel: 'C2' });
    expect(await ledger.listLinks('T1')).toEqual(
      new Map([['C1', { ...link, pausedFor: null, pauseNotified: false }]]),
    );
  });
}

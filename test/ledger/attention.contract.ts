import { describe, expect, it } from 'vitest';
import { folderLink } from '../support/builders.ts';
import { claim, destination, type LedgerUnderTest, upload } from './ledger-under-test.ts';

/** Contract for every dialect: files that need attention. */
export function describeAttention(given: LedgerUnderTest): void {
  const { ledger, record, claimNext, hold, refuseCreating, states } = given;
  const { announce, endFolder } = given;
  const ref = { team: 'T1', channel: 'C1' };
  const asker = { team: 'T1', userId: 'U1' };
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
        ...{ problem: problem.code, mayBeThere: false },
      };
      expect(await ledger.listTroubles(asker)).toEqual(
        expect.arrayContaining([
          { ...alike, kind: 'refused', count: 2, own: 2 },
          { ...alike, kind: 'waiting', count: 1, own: 1, nextTryAt: 90_000 },
          { ...alike, kind: 'parked', count: 1, own: 1, problem: null },
        ]),
      );
      expect(await ledger.listTroubles(asker)).toHaveLength(3);
      expect(await ledger.listTroubles(asker, ['C2', 'C1'])).toHaveLength(3);
      expect(await ledger.listTroubles(asker, ['C2'])).toEqual([]);
      expect(await ledger.countInHand('T1')).toEqual(new Map([['C2', 1]]));
      expect(await ledger.countRefused()).toBe(2);
    });

    it('is counted separately when somebody saved it by hand', async () => {
      await refused('1', 't1');
      await record({ ts: '2' }, { origin: 'saved', savedBy: 'U1' });
      const saved = await hold({ token: 't2' });
      await ledger.markRefused(saved, { problem, now: 3_000 });
      const troubles = await ledger.listTroubles(asker);
      expect(troubles.map(({ channel, isSaved }) => [channel, isSaved]).sort()).toEqual([
        ['C1', false],
        ['C1', true],
      ]);
    });

    it('that is left is parked if it is certainly not in the folder, else stays refused', async () => {
      const [one, unclear] = [await refused('1', 't1'), (await record({ ts: '2' })).shareId];
      await refuseCreating('t2', 'RECORD_UNCLEAR');
      expect(await ledger.listTroubles(asker)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ problem: problem.code, mayBeThere: false }),
          expect.objectContaining({ problem: 'RECORD_UNCLEAR', mayBeThere: true }),
        ]),
      );
      expect((await ledger.troubledShares(ref)).map(({ id }) => id)).toEqual([one, unclear]);
      expect(await ledger.leaveTroubled(ref, { parkedToo: true, now: 5_000 })).toBe(2);
      expect([await states(one), await states(unclear)]).toEqual([['parked'], ['refused']]);
      expect(await ledger.listTroubles(asker)).toEqual([]);
      expect(await ledger.countRefused()).toBe(0);
      expect(await ledger.leaveTroubled(ref, { parkedToo: true, now: 6_000 })).toBe(0);
    });

    it('that is left and may be in the folder still keeps others like it from being created', async () => {
      const { shareId } = await record({ ts: '1' });
      await refuseCreating('t1', 'RECORD_UNCLEAR');
      await ledger.leaveTroubled(ref, { parkedToo: true, now: 5_000 });
      await record({ ts: '2' }, { now: 6_000 });
      const twin = await hold({ now: 6_000, until: 40_000, token: 't2' });
      await ledger.markUploaded(twin, upload);
      expect(await announce({ token: 't3' }, 7_000)).toEqual([]);
      expect(await ledger.retryShare(shareId, { now: 8_000 })).toBe(1);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'creating', leftInSlack: 0 },
      ]);
    });

    it('that is left while looks do not tell of it is refused', async () => {
      const { shareId } = await record();
      const own = await hold();
      await ledger.markUploaded(own, upload);
      await announce(own, 2_000);
      const put = { dueAt: 90_000, failingSince: 3_000, now: 3_000 };
      await ledger.postpone(own, { problem: { code: 'SERVICE_TIMEOUT', note: null }, ...put });
      expect(await ledger.leaveTroubled(ref, { parkedToo: true, now: 4_000 })).toBe(0);
      await ledger.postpone(own, { problem: { code: 'RECORD_UNCLEAR', note: null }, ...put });
      expect(await ledger.leaveTroubled(ref, { parkedToo: true, now: 5_000 })).toBe(1);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'refused', refusedIn: 'creating', problem: 'RECORD_UNCLEAR', nextTryAt: null },
      ]);
      expect(await ledger.listTroubles(asker)).toEqual([]);
    });

    it('is left for one person only if it is theirs: they shared it, or saved it by hand', async () => {
      await refused('1', 't1');
      await record({ ts: '2', userId: 'U2' });
      await ledger.markRefused(await hold({ token: 't2' }), { problem, now: 3_000 });
      await record({ ts: '3' }, { origin: 'saved', savedBy: 'U2' });
      await ledger.markRefused(await hold({ token: 't3' }), { problem, now: 3_000 });
      await record({ ts: '4', userId: 'U2' }, { destination: null });
      const own = async (userId: string) =>
        (await ledger.listTroubles({ team: 'T1', userId })).map((one) => one.own).sort();
      expect([await own('U1'), await own('U2')]).toEqual([
        [0, 0, 1],
        [1, 1, 1],
      ]);
      const theirs = { userId: 'U1', parkedToo: true, now: 5_000 };
      expect(await ledger.leaveTroubled(ref, theirs)).toBe(1);
      expect([await own('U1'), await own('U2')]).toEqual([
        [0, 0, 0],
        [1, 1, 1],
      ]);
      expect(await ledger.leaveTroubled(ref, { ...theirs, userId: 'U2' })).toBe(3);
      expect(await own('U2')).toEqual([]);
    });

    it('stays its sharer’s where somebody else saved it while it was on its way', async () => {
      await record({ ts: '1' });
      await record({ ts: '1' }, { origin: 'saved', savedBy: 'U2' });
      await ledger.markRefused(await hold({ token: 't1' }), { problem, now: 3_000 });
      const own = async (userId: string) =>
        (await ledger.listTroubles({ team: 'T1', userId })).map((one) => one.own);
      expect([await own('U1'), await own('U2')]).toEqual([[1], [0]]);
      const theirs = { userId: 'U1', parkedToo: true, now: 5_000 };
      expect(await ledger.leaveTroubled(ref, theirs)).toBe(1);
    });

    it('ends when it is left in Slack that it has no folder, but is filed if somebody asks', async () => {
      const { shareId } = await record({ ts: '1' }, { destination: null });
      const share = { ...ref, id: shareId };
      expect(await ledger.leaveTroubled(ref, { parkedToo: false, now: 5_000 })).toBe(0);
      expect(await ledger.listTroubles(asker)).toMatchObject([{ kind: 'parked' }]);
      expect(await ledger.leaveTroubled(ref, { parkedToo: true, now: 5_000 })).toBe(1);
      expect(await ledger.listTroubles(asker)).toEqual([]);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ leftInSlack: 1 }]);
      expect(await ledger.leaveTroubled(ref, { parkedToo: true, now: 6_000 })).toBe(0);
      const to = { destination, now: 6_000 };
      expect(await ledger.fileParked(ref, { ...to, since: 0 })).toBe(0);
      expect(await ledger.fileShare(share, to)).toBe(1);
      expect(await ledger.transfersOfShare(shareId)).toMatchObject([
        { state: 'recorded', leftInSlack: 0, destination },
      ]);
      expect(await ledger.fileShare(share, to)).toBe(0);
    });

    it('is left alone by leaveTroubled while a job holds its claim', async () => {
      const { shareId } = await record();
      const first = await hold();
      const put = { problem, dueAt: 4_000, failingSince: 1_000, now: 2_000 };
      await ledger.postpone(first, put);
      await claimNext({ ...claim, now: 4_000, until: 40_000, token: 't2' });
      expect(await ledger.leaveTroubled(ref, { parkedToo: true, now: 5_000 })).toBe(0);
      expect(await states(shareId)).toEqual(['recorded']);
    });

    it('starts over when it is parked and filed later', async () => {
      const shareId = await refused('1', 't1');
      await ledger.leaveTroubled(ref, { parkedToo: true, now: 5_000 });
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
      await ledger.leaveTroubled(ref, { parkedToo: true, now: 5_000 });
      await ledger.fileParked(ref, { destination, now: 6_000 });
      const again = await claimNext({ ...claim, now: 6_000, until: 40_000, token: 't2' });
      // A failure makes the worker ask Slack for the file's current data.
      expect(again).toMatchObject({ failures: 1, failingSince: null });
    });
  });

  describe('recentFiles', () => {
    const file = async (ts: string, userId: string, team = 'T1') => {
      await record({ ts, userId, team });
      const own = await hold({ token: ts });
      await ledger.markUploaded(own, upload);
      await announce(own, 2_000);
      await ledger.markFiled({ claim: own, recordId: Number(ts), now: 3_000 });
      await endFolder(own, 3_000);
    };
    const named = async (limit: number) =>
      (await ledger.recentFiles({ team: 'T1', userId: 'U1' }, limit)).map((one) => one.sharedAt);

    it('returns what a person shared and is filed, last ones first', async () => {
      for (const ts of ['1', '2', '3']) await file(ts, 'U1');
      await file('4', 'U2');
      await file('5', 'U1', 'T2');
      await record({ ts: '6', userId: 'U1' });
      expect(await named(9)).toEqual([3_000, 2_000, 1_000]);
      expect(await named(2)).toEqual([3_000, 2_000]);
      expect(await ledger.recentFiles({ team: 'T1', userId: 'U2' }, 1)).toEqual([
        { name: 'report.pdf', recordUrl: null, destination, sharedAt: 4_000 },
      ]);
    });
  });

  it('listLinks returns all links of one workspace', async () => {
    const link = folderLink({ folderName: 'Invoices' });
    await ledger.setLink(ref, link);
    await ledger.setLink({ team: 'T1', channel: 'C2' }, link);
    await ledger.setLink({ team: 'T2', channel: 'C3' }, link);
    await ledger.removeLink({ team: 'T1', channel: 'C2' });
    expect(await ledger.listLinks('T1')).toEqual(
      new Map([
        [
          'C1',
          {
            ...link,
            url: null,
            heldFor: null,
            holdNotified: false,
            lines: false,
            announces: false,
          },
        ],
      ]),
    );
  });
}

import { describe, expect, it } from 'vitest';
import { folderLink, share, sharedFile } from '../support/builders.ts';
import { claimReport, heldCatchUp } from '../support/claim-next.ts';
import { claim, destination, type LedgerUnderTest } from './ledger-under-test.ts';

/** Contract for every dialect: recording shares. */
export function describeRecordShare({ ledger, record, claimNext }: LedgerUnderTest): void {
  describe('recordShare', () => {
    it('records each file once, however often it is delivered', async () => {
      const files = [sharedFile(), sharedFile({ id: 'F2' })];
      expect((await record({ files })).transfers).toBe(2);
      expect((await record({ files })).transfers).toBe(0);
      expect((await record({ files: [...files, sharedFile({ id: 'F3' })] })).transfers).toBe(1);
    });

    it('puts files added to a share after its others, and makes its notification due', async () => {
      const added = (...ids: string[]) => ({ files: ids.map((id) => sharedFile({ id })) });
      const { shareId } = await record(added('F1', 'F2'));
      const lease = { now: 9_000, until: 30_000, token: 's' };
      await ledger.claimMessage(lease);
      const end = { token: 's', againAt: null, failed: false, now: 9_000 };
      await ledger.endMessage({ kind: 'share', about: shareId }, end);
      await record(added('F1'), { now: 10_000 });
      expect(await ledger.nextDue('message')).toBeNull();
      await record(added('F3'), { now: 10_000 });
      await record(added('F4', 'F5'), { now: 10_000 });
      expect(await ledger.nextDue('message')).toBe(11_000);
      const files = (await ledger.transfersOfShare(shareId)).map(({ file }) => file.id);
      expect(files).toEqual(['F1', 'F2', 'F3', 'F4', 'F5']);
    });

    it('counts the files that a share gets later in no report', async () => {
      const at = { ...{ team: 'T1', channel: 'C1' }, now: 1 };
      const missed = await ledger.createReport({ ...at, kind: 'catch-up' });
      const past = await ledger.createReport({ ...at, kind: 'backfill' });
      await record({ ts: '1' }, { origin: 'catch-up', reportId: missed });
      await record({ ts: '2' }, { origin: 'backfill', reportId: past });
      for (const ts of ['1', '2'])
        await record({ ts, files: [sharedFile({ id: 'F2' })] }, { now: 9_000 });
      expect((await ledger.filesOfReport(missed)).states).toEqual({ recorded: 1 });
      expect((await ledger.filesOfReport(past)).states).toEqual({ recorded: 1 });
    });

    it('records the same file in another message as another share', async () => {
      await record();
      expect((await record({ ts: '1700000001.000100' })).transfers).toBe(1);
      expect((await record({ channel: 'C2' })).transfers).toBe(1);
    });

    it('parks the files of an event only if its channel has no link by then', async () => {
      const [ref, other] = ['C1', 'C2'].map((channel) => ({ team: 'T1', channel }));
      if (ref) await ledger.setLink(ref, folderLink());
      const files = [sharedFile({ id: 'F8' }), sharedFile({ id: 'F9' })];
      const late = { destination: null, now: 5 };
      const [bound, parked, past] = await Promise.all([
        record({ files }, late),
        record({ ...other, files }, late),
        record({ ts: '1' }, { ...late, origin: 'backfill' }),
      ]);
      const [first] = await ledger.transfersOfShare(parked.shareId);
      expect([bound.firstParkedId, parked.firstParkedId]).toEqual([null, first?.id]);
      const states = async ({ shareId }: { shareId: number }) =>
        (await ledger.transfersOfShare(shareId)).map(({ state, destination: to }) => ({
          ...{ state, to },
        }));
      const due = { state: 'recorded', to: destination };
      const none = { state: 'parked', to: null };
      expect(await states(bound)).toEqual([due, due]);
      expect(await states(parked)).toEqual([none, none]);
      expect(await states(past)).toEqual([none]);
      const uploads: (number | undefined)[] = [];
      for (const token of ['a', 'b', 'c'])
        uploads.push((await claimNext({ ...claim, now: 5, token }))?.shareId);
      expect(uploads).toEqual([bound.shareId, bound.shareId, undefined]);
      expect(await ledger.findLink({ team: 'T1', channel: 'C2' })).toBeNull();
    });

    it('records one row when deliveries race', async () => {
      const results = await Promise.all([record(), record(), record()]);
      expect(results.map((r) => r.transfers).sort()).toEqual([0, 0, 1]);
    });

    it('keeps a hostile file name unchanged', async () => {
      const name = `'"); drop table shares; -- 📎 ${'x'.repeat(180)}.pdf`;
      const { shareId } = await record({ files: [sharedFile({ name })] });
      expect((await ledger.transfersOfShare(shareId))[0]?.file.name).toBe(name);
    });
  });

  describe('recordShare of extreme input', () => {
    it('records a share of 3,000 files, once', async () => {
      const files = Array.from({ length: 3_000 }, (_, n) => sharedFile({ id: `F${n}` }));
      const { shareId, transfers } = await record({ files });
      expect(transfers).toBe(3_000);
      const ids = (await ledger.transfersOfShare(shareId)).map(({ file }) => file.id);
      expect(ids).toEqual(files.map(({ id }) => id));
      expect(await record({ files })).toEqual({ shareId, transfers: 0, firstParkedId: null });
    });

    it('records text that no database stores as it is, once', async () => {
      const long = 'x'.repeat(50_000);
      const ids = ['F\0', 'F\ud800', `F${long}`, `F${long}y`];
      const files = ids.map((id) => sharedFile({ id, name: 'a\0b\ud800.pdf', title: '\0' }));
      const odd = { userId: 'U1\0', threadTs: '1\0', files };
      const { shareId, transfers } = await record(odd);
      expect(transfers).toBe(4);
      const recorded = await ledger.transfersOfShare(shareId);
      expect(recorded.map(({ file }) => file.id)).toEqual(ids);
      expect(recorded.map(({ userId }) => userId)).not.toContain('U1');
      expect(await record(odd)).toEqual({ shareId, transfers: 0, firstParkedId: null });
    });
  });

  describe('recordFound', () => {
    const one = share({ ts: '1700000001.000000' });
    const two = share({
      ts: '1700000002.000000',
      files: [sharedFile(), sharedFile({ id: 'F2' })],
    });
    const channel = { team: 'T1', channel: 'C1' };
    const missed = { channel, reportId: null, destination, now: 1_000 };
    const held = () => heldCatchUp(ledger, channel);
    const due = { now: 10_000, until: 20_000, token: 'r' };

    it('records shares with one report, which is due', async () => {
      await record({ ts: one.ts });
      expect(await ledger.recordFound(await held(), { ...missed, shares: [one, two] })).toEqual({
        files: 2,
        unrecordable: [],
      });
      const report = await claimReport(ledger, due);
      expect(report).toMatchObject({ kind: 'catch-up', channel: 'C1', startedBy: null });
      expect((await ledger.filesOfReport(report?.id ?? 0)).states).toEqual({ recorded: 2 });
    });

    it('records the others under one report if the database refuses a share, also beside other calls', async () => {
      const broken = share({ ts: JSON.parse('null') });
      const claim = await held();
      const given = { ...missed, shares: [one, broken, two] };
      const calls = [ledger.recordFound(claim, given), ledger.findLink(channel)] as const;
      expect((await Promise.all(calls))[0]).toEqual({
        files: 3,
        unrecordable: [
          { share: broken, error: expect.objectContaining({ code: 'LEDGER_UNRECORDABLE' }) },
        ],
      });
      const report = await claimReport(ledger, due);
      expect((await ledger.filesOfReport(report?.id ?? 0)).states).toEqual({ recorded: 3 });
    });

    it('records all of the shares or none', async () => {
      const broken = share({ files: [sharedFile({ id: JSON.parse('null') })] });
      const shares = [one, two, broken];
      const claim = await held();
      await expect(ledger.recordFound(claim, { ...missed, shares })).rejects.toMatchObject({
        name: 'LedgerError',
      });
      expect(await claimReport(ledger, due)).toBeUndefined();
      expect(await ledger.unknownFiles(channel, [one, two])).toEqual([one, two]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/base/index.ts';
import { folderNumber, KEY, SLACK_FILES } from '../../src/core/index.ts';
import type { Claim } from '../../src/ledger/index.ts';
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
const FOLDER = folderNumber(destination);

/** Contract for every dialect: holds. */
export function describeHolds(under: LedgerUnderTest): void {
  const { ledger, record, hold, claimEach, announce, endFolder, states, nextDueAt } = under;
  describe('a hold', () => {
    const ref = { team: 'T1', channel: 'C1' };
    const link = folderLink({ projectTitle: 'Accounts', folderName: 'Invoices' });

    const open = (
      own: Claim,
      { scope = FOLDER, code = 'DESTINATION_GONE' as ErrorCode, now = NOW } = {},
    ) => {
      const problem = { code, note: null };
      return ledger.openHold({ claim: own, scope, reason: code, problem, now, scale: 1 });
    };
    const openKey = (own: Claim, now = NOW) =>
      open(own, { scope: KEY, code: 'SERVICE_UNAUTHORIZED', now });
    const openSlack = (own: Claim, now = NOW) =>
      open(own, { scope: SLACK_FILES, code: 'SLACK_FILE_UNAUTHORIZED', now });

    /** Links the channel, records this many shares, and has the first open the folder's hold. */
    async function held(shares: number): Promise<Claim> {
      await ledger.setLink(ref, link);
      for (let n = 1; n <= shares; n += 1) await record({ ts: `${n}` }, { now: 1_000 * n });
      const own = await hold();
      expect(await open(own)).toEqual({ isNew: true });
      return own;
    }

    /** Links the channel, and has an open create, whose folder may not be looked into, open the hold. */
    async function heldUnseen(): Promise<void> {
      await ledger.setLink(ref, link);
      await record();
      const own = await hold();
      await ledger.markUploaded(own, { ...upload, now: 1_000 });
      await announce(own, 2_000);
      const unseen = { problem: { code: 'RECORD_UNSEEN' as const, note: null } };
      const refused = { ...unseen, scope: FOLDER, reason: 'SERVICE_FORBIDDEN' as const };
      await ledger.openHold({ ...refused, claim: own, now: NOW, scale: 1 });
      await endFolder(own, NOW);
    }

    const code = (problem: ErrorCode) => ({ state: 'creating', problem });
    const transfer = async (shareId: number) => (await ledger.transfersOfShare(shareId))[0];
    const claimed = (now: number, token = `t${now}`) =>
      ledger.claimFiling({ ...claim, now, until: now + MINUTE, token });
    /** Claims the probe of the folder's hold, which a list shows to stand. */
    const keepHold = async (now: number, { isGone }: { isGone: boolean }) => {
      expect(await claimed(now)).toMatchObject({ probe: { scope: FOLDER } });
      await ledger.keepHold({ token: `t${now}` }, { scope: FOLDER, isGone, now });
    };
    /** Claims all files that are due for their upload; returns their shares, in order. */
    async function claimAll(now: number): Promise<number[]> {
      const shares: number[] = [];
      for (let n = 0; ; n += 1) {
        const next = await claimed(now, `due-${n}`);
        if (next?.kind !== 'upload' || next.probe) return shares;
        shares.push(next.transfer.shareId);
      }
    }

    it('of a folder keeps its files, shows why, and gives them back in their order', async () => {
      await held(3);
      await record({ ts: '9', channel: 'C2' }, { destination: elsewhere, now: NOW });
      expect(await claimAll(NOW)).toEqual([4]);
      expect(await ledger.findLink(ref)).toMatchObject({ heldFor: 'DESTINATION_GONE' });
      for (const id of [1, 2, 3])
        expect(await transfer(id)).toMatchObject({
          ...{ problem: 'DESTINATION_GONE', nextTryAt: NOW + MINUTE, isClaimed: false },
        });
      expect(await ledger.endHold(FOLDER, NOW + 5)).toBe(true);
      expect(await ledger.endHold(FOLDER, NOW + 5)).toBe(false);
      expect(await ledger.findLink(ref)).toMatchObject({ heldFor: null });
      expect(await transfer(2)).toMatchObject({ problem: null, nextTryAt: null });
      expect(await claimAll(NOW + 5)).toEqual([2, 3, 1]);
    });

    it('keeps what is shared, tried again or moved into its folder meanwhile', async () => {
      await held(1);
      await record({ ts: '2' }, { now: NOW });
      expect(await transfer(2)).toMatchObject({ problem: 'DESTINATION_GONE' });
      await ledger.retryShare(2, { now: NOW + 1 });
      expect(await transfer(2)).toMatchObject({ problem: 'DESTINATION_GONE' });
      await record({ ts: '3', channel: 'C2' }, { destination: elsewhere, now: NOW });
      const move = { from: elsewhere, to: destination, now: NOW + 2 };
      await ledger.moveWaiting({ team: 'T1', channel: 'C2' }, move);
      expect(await transfer(3)).toMatchObject({ problem: 'DESTINATION_GONE', destination });
      expect(await claimed(NOW + 2)).toMatchObject({ probe: { scope: FOLDER } });
      expect(await claimAll(NOW + 3)).toEqual([]);
      await ledger.endHold(FOLDER, NOW + 4);
      expect((await claimAll(NOW + 4)).length).toBe(2);
    });

    it('leaves alone what is claimed, and keeps it once its claim ends', async () => {
      await ledger.setLink(ref, link);
      for (const ts of ['1', '2']) await record({ ts });
      const [inHand, own] = await claimEach(['a', claim.token]);
      await open(own ?? expect.unreachable());
      expect(await transfer(1)).toMatchObject({ problem: null, isClaimed: true });
      await ledger.release(inHand ?? expect.unreachable(), { dueAt: NOW });
      expect(await claimAll(NOW)).toEqual([]);
      await ledger.endHold(FOLDER, NOW + 5);
      expect((await claimAll(NOW + 5)).toSorted()).toEqual([1, 2]);
    });

    it('keeps the jobs whose lease ran out', async () => {
      await ledger.setLink(ref, link);
      for (const ts of ['1', '2']) await record({ ts });
      await hold({ token: 'dies' });
      await open(await hold());
      expect(await ledger.sweepLeases(['upload'], { now: NOW })).toBe(1);
      expect(await claimAll(NOW)).toEqual([]);
    });

    it('gives the job that its probe is back to it when its claim ends unused', async () => {
      await held(1);
      const at = NOW + MINUTE;
      expect(await claimed(at)).toMatchObject({ kind: 'upload', probe: { scope: FOLDER } });
      await ledger.endJob({ token: `t${at}` }, { dueAt: at, unused: true });
      expect(await claimed(at)).toBeNull();
      expect(await claimed(at + MINUTE)).toMatchObject({ probe: { scope: FOLDER } });
    });

    it('is probed by one job at a time, the longer it stands the less often', async () => {
      await held(3);
      expect(await nextDueAt()).toBe(NOW + MINUTE);
      expect(await claimed(NOW + MINUTE - 1)).toBeNull();
      const probed: number[] = [];
      for (const minutes of [1, 2, 4, 8, 16, 32, 64, 124]) {
        const at = NOW + minutes * MINUTE;
        const probe = await claimed(at);
        if (probe?.kind !== 'upload') return expect.unreachable();
        probed.push(probe.transfer.id);
        expect(await claimed(at, 'another')).toBeNull();
        await open({ id: probe.transfer.id, token: `t${at}` }, { now: at });
      }
      expect(new Set(probed.slice(0, 3))).toEqual(new Set([1, 2, 3]));
      expect(await nextDueAt()).toBe(NOW + 184 * MINUTE);
    });

    it('is probed at once when somebody asks, or links the channel to it again', async () => {
      await held(2);
      await ledger.retryShare(2, { now: NOW + 1 });
      expect(await nextDueAt()).toBe(NOW + 1);
      const probe = await claimed(NOW + 1);
      if (probe?.kind !== 'upload') return expect.unreachable();
      await open({ id: probe.transfer.id, token: `t${NOW + 1}` }, { now: NOW + 2 });
      await ledger.setLink(ref, { ...link, linkedAt: NOW + 3 });
      expect(await claimed(NOW + 3)).toMatchObject({ probe: { scope: FOLDER } });
    });

    it('counts what it keeps each time that somebody has it tried again', async () => {
      await held(1);
      for (const seconds of [1, 2])
        expect(await ledger.retryShare(1, { now: NOW + 1_000 * seconds })).toBe(1);
      const probe = await claimed(NOW + 2_000);
      expect(probe).toMatchObject({ probe: { scope: FOLDER } });
      expect(await ledger.retryShare(1, { now: NOW + 3_000 })).toBe(0);
    });

    it('counts an open create each time, which keeps its own problem', async () => {
      await heldUnseen();
      for (const seconds of [1, 2])
        expect(await ledger.retryShare(1, { now: NOW + 1_000 * seconds })).toBe(1);
      expect(await transfer(1)).toMatchObject({ state: 'creating', problem: 'RECORD_UNSEEN' });
    });

    it('is probed with an attachment rather than with an upload', async () => {
      await ledger.setLink(ref, link);
      for (const ts of ['1', '2']) await record({ ts });
      await ledger.markUploaded(await hold({ token: 'up' }), { ...upload, now: 1_000 });
      await open(await hold());
      expect(await claimed(NOW + MINUTE)).toMatchObject({ kind: 'folder', destination });
    });

    // Leaves one of three files open, of which no look could tell, due for another at this time.
    const leaveUnclear = async (dueAt: number) => {
      await record({ ts: '1' });
      const unclear = await hold({ token: 'up' });
      await ledger.markUploaded(unclear, { ...upload, now: 1_000 });
      await announce(unclear, 2_000);
      const problem = { code: 'RECORD_UNCLEAR' as const, note: null };
      const waits = { problem, dueAt, failingSince: NOW, now: NOW };
      await ledger.postpone(unclear, waits);
      await endFolder(unclear, waits.dueAt);
      for (const ts of ['2', '3']) await record({ ts });
    };

    it('is probed with an upload while nothing in its folder can be tried', async () => {
      await ledger.setLink(ref, link);
      await leaveUnclear(NOW + 60 * MINUTE);
      await openKey(await hold());
      expect(await claimed(NOW + 10_000)).toMatchObject({ kind: 'upload', probe: { scope: KEY } });
      await ledger.endHold(KEY, NOW + 10_001);
      await ledger.endJob({ token: `t${NOW + 10_000}` }, { dueAt: NOW + 10_002, unused: true });
      await open(await hold({ token: 'opens', now: NOW + 10_003, until: NOW + MINUTE }));
      expect(await claimed(NOW + MINUTE)).toMatchObject({
        kind: 'upload',
        probe: { scope: FOLDER },
      });
    });

    it('is probed with an upload rather than by a look that could not tell before', async () => {
      await ledger.setLink(ref, link);
      await leaveUnclear(NOW + 30_000);
      await open(await hold());
      expect(await claimed(NOW + MINUTE)).toMatchObject({
        kind: 'upload',
        probe: { scope: FOLDER },
      });
    });

    it('against uploads is probed with its folder while its files are looked for first', async () => {
      await ledger.setLink(ref, link);
      await record({ ts: '1' });
      await open(await hold(), { code: 'SERVICE_UPLOAD_FORBIDDEN' });
      await ledger.beginRun(1_000);
      await ledger.beginRun(NOW);
      expect(await ledger.unfiledIn(destination)).toMatchObject([{ earlier: 'look' }]);
      expect(await claimed(NOW + MINUTE)).toMatchObject({
        kind: 'folder',
        probe: { scope: FOLDER },
      });
    });

    it('opens once for several that find it together, and tells their shares once', async () => {
      await ledger.setLink(ref, link);
      for (const ts of ['1', '2', '3']) await record({ ts });
      const both = (await claimEach(['a', 'b'])).map((own) => open(own));
      expect(await Promise.all(both)).toEqual([{ isNew: true }, { isNew: false }]);
      expect(await ledger.listHolds()).toEqual([
        { scope: FOLDER, reason: 'DESTINATION_GONE', since: NOW },
      ]);
      for (const id of [1, 2, 3])
        expect(await transfer(id)).toMatchObject({ problem: 'DESTINATION_GONE' });
    });

    it('opens no more for a file that opened it, once others have passed', async () => {
      const { id } = await held(2);
      await ledger.endHold(FOLDER, NOW + 1);
      const at = { now: NOW + 1, until: NOW + MINUTE };
      await hold({ ...at, token: 'other' });
      const own = await hold({ ...at, token: 'own' });
      expect(own.id).toBe(id);
      expect(await open(own)).toBeNull();
      expect(await ledger.listHolds()).toEqual([]);
      expect(await openKey(own)).toEqual({ isNew: true });
    });

    it('opens again for a file that was sent to another folder', async () => {
      const { id } = await held(1);
      await ledger.setLink(ref, { ...link, ...elsewhere, linkedAt: NOW + 5 });
      expect(await transfer(1)).toMatchObject({ destination: elsewhere, problem: null });
      const own = await hold({ now: NOW + 5, until: NOW + MINUTE });
      expect(own.id).toBe(id);
      expect(await open(own, { scope: folderNumber(elsewhere) })).toEqual({ isNew: true });
    });

    it('rejects with LEASE_LOST for a lost claim, and opens nothing', async () => {
      await record();
      const lost = { ...(await hold()), token: 'another' };
      await expect(open(lost)).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(await ledger.listHolds()).toEqual([]);
    });

    it('of the key stops uploads and folders, but for its probe', async () => {
      for (const ts of ['1', '2', '3']) await record({ ts });
      await ledger.markUploaded(await hold({ token: 'up' }), { ...upload, now: 1_000 });
      await openKey(await hold());
      expect(await transfer(3)).toMatchObject({ problem: 'SERVICE_UNAUTHORIZED' });
      expect(await transfer(1)).toMatchObject({ problem: 'SERVICE_UNAUTHORIZED' });
      expect(await nextDueAt()).toBe(NOW + 10_000);
      expect(await claimed(NOW + 9_999)).toBeNull();
      expect(await claimed(NOW + 10_000)).toMatchObject({ kind: 'folder', probe: { scope: KEY } });
      await ledger.endHold(KEY, NOW + 10_001);
      expect((await claimAll(NOW + 10_001)).toSorted()).toEqual([2, 3]);
    });

    it('of Slack’s files stops uploads, and folders go on', async () => {
      for (const ts of ['1', '2']) await record({ ts });
      await ledger.markUploaded(await hold({ token: 'up' }), { ...upload, now: NOW });
      await openSlack(await hold());
      expect(await claimed(NOW)).toMatchObject({ kind: 'folder', probe: null });
      expect(await claimed(NOW)).toBeNull();
      expect(await claimed(NOW + 10_000)).toMatchObject({
        ...{ kind: 'upload', probe: { scope: SLACK_FILES } },
      });
    });

    it('ends when nothing is left to try it with', async () => {
      await held(1);
      await ledger.leaveTroubled(ref, { parkedToo: true, now: NOW });
      expect(await states(1)).toEqual(['parked']);
      expect(await claimed(NOW + MINUTE)).toBeNull();
      expect(await ledger.listHolds()).toEqual([]);
      expect(await nextDueAt()).toBeNull();
    });

    it('leaves no count of its probes for their crashes to be told by', async () => {
      await ledger.setLink(ref, link);
      for (const ts of ['1', '2']) await record({ ts });
      await openSlack(await hold());
      let now = NOW;
      for (let n = 0; n < 4; n += 1) {
        now += 10 * MINUTE;
        const probe = await claimed(now);
        if (probe?.kind !== 'upload') return expect.unreachable();
        await openSlack({ id: probe.transfer.id, token: `t${now}` }, now);
      }
      await ledger.endHold(SLACK_FILES, now);
      for (const token of ['a', 'b'])
        expect(await claimed(now, token)).toMatchObject({
          ...{ kind: 'upload', attempts: 1, transfer: { failures: 1 } },
        });
    });

    it('keeps an open create in its folder on a relink, and has its look probe at once', async () => {
      await heldUnseen();
      await ledger.setLink(ref, { ...link, ...elsewhere, linkedAt: NOW + 5 });
      expect(await transfer(1)).toMatchObject({
        state: 'creating',
        destination,
        nextTryAt: NOW + 5,
      });
      expect(await claimed(NOW + 5)).toMatchObject({ kind: 'folder', probe: { scope: FOLDER } });
    });

    it('is shown again after an outage, by each file that it keeps', async () => {
      const { shareId } = await record({ ts: '9' });
      const own = await hold({ token: 'open' });
      await ledger.markUploaded(own, upload);
      await announce(own, 2_000);
      await open(own);
      await endFolder(own, NOW);
      const job = await claimed(NOW + MINUTE);
      expect(job).toMatchObject({ kind: 'folder', probe: { scope: FOLDER } });
      const problem = { code: 'SERVICE_UNREACHABLE' as const, note: null };
      const later = { problem, dueAt: NOW + 2 * MINUTE, failingSince: NOW, now: NOW };
      const probing = { ...own, token: `t${NOW + MINUTE}` };
      await ledger.postpone(probing, later);
      await ledger.endJob(probing, { dueAt: later.dueAt });
      expect(await transfer(shareId)).toMatchObject(code('SERVICE_UNREACHABLE'));
      await keepHold(NOW + 30 * MINUTE, { isGone: false });
      expect(await transfer(shareId)).toMatchObject(code('DESTINATION_GONE'));
    });

    it('of a folder that is gone lets go of a channel’s files that is linked elsewhere by now', async () => {
      const other = { team: 'T1', channel: 'C2' };
      for (const one of [ref, other]) await ledger.setLink(one, link);
      for (const channel of ['C1', 'C2']) await record({ ts: '1', channel });
      const unanswered = await claimEach(['a', 'b']);
      await ledger.markUploaded(unanswered[0] ?? expect.unreachable(), upload);
      await ledger.markUploaded(unanswered[1] ?? expect.unreachable(), upload);
      await announce(unanswered[0] ?? expect.unreachable(), 2_000);
      await endFolder(unanswered[0] ?? expect.unreachable(), NOW);
      await record({ ts: '2' });
      await open(await hold());
      await ledger.setLink(ref, { ...link, ...elsewhere, linkedAt: NOW + 5 });
      await keepHold(NOW + 30 * MINUTE, { isGone: false });
      expect(await transfer(1)).toMatchObject({ state: 'creating', destination });
      const lost = { token: `t${NOW + 30 * MINUTE}` };
      await ledger.keepHold(lost, { scope: FOLDER, isGone: true, now: NOW + 31 * MINUTE });
      expect(await transfer(1)).toMatchObject({ state: 'creating', destination });
      await keepHold(NOW + 90 * MINUTE, { isGone: true });
      expect(await transfer(1)).toMatchObject({ state: 'recorded', destination: elsewhere });
      expect(await transfer(2)).toMatchObject({ destination, problem: 'DESTINATION_GONE' });
    });

    it('leaves a create that was just refused to its look', async () => {
      await ledger.setLink(ref, link);
      for (const ts of ['1', '2']) await record({ ts });
      const refused = await hold();
      await ledger.markUploaded(refused, upload);
      await announce(refused, 2_000);
      const refusal = { code: 'SERVICE_FORBIDDEN' as const, note: null };
      await ledger.markAnswered(refused, { answeredAt: NOW, serviceTime: null, refusal });
      await open(await hold({ token: 'other' }));
      expect(await transfer(1)).toMatchObject({ state: 'creating', problem: refusal.code });
      await ledger.setLink(ref, { ...link, ...elsewhere, linkedAt: NOW + 5 });
      expect(await transfer(1)).toMatchObject({ state: 'creating', destination });
      expect(await transfer(2)).toMatchObject({ state: 'recorded', destination: elsewhere });
    });

    it('is told once to each, until dropNotice says that nobody was told', async () => {
      await held(1);
      expect(await ledger.claimNotice(KEY, 'T1/C1')).toBe(false);
      const notices = [1, 2, 3].map(() => ledger.claimNotice(FOLDER, 'T1/C1'));
      expect((await Promise.all(notices)).filter(Boolean)).toHaveLength(1);
      expect(await ledger.findLink(ref)).toMatchObject({ holdNotified: true });
      const noticed = (names: string[]) => ledger.findNotice(destination, names);
      expect(await noticed(['operator', 'T1/C1'])).toEqual({ isNotified: true });
      expect(await noticed(['operator', 'T1/C'])).toEqual({ isNotified: false });
      expect(await ledger.findNotice(elsewhere, ['T1/C1'])).toBeNull();
      expect(await ledger.claimNotice(FOLDER, 'T1/C')).toBe(true);
      await ledger.dropNotice(FOLDER, 'T1/C1');
      expect(await ledger.findLink(ref)).toMatchObject({ holdNotified: false });
      expect(await ledger.claimNotice(FOLDER, 'T1/C1')).toBe(true);
      expect(await ledger.claimNotice(FOLDER, 'T1/C')).toBe(false);
    });

    it('knows who linked the channels whose files wait, each once, in order', async () => {
      for (const [name, linkedBy] of ['U9', 'U1', 'U9', ''].entries())
        await ledger.setLink({ team: 'T1', channel: `C${name}` }, folderLink({ linkedBy }));
      for (const channel of ['C0', 'C1', 'C2', 'C3', 'CNOT-LINKED']) await record({ channel });
      expect(await ledger.linkersWaiting()).toEqual(['U9', 'U1']);
      expect(await ledger.isLinked(destination)).toBe(true);
      expect(await ledger.isLinked(elsewhere)).toBe(false);
    });
  });
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/base/index.ts';
import type { Claim, Lease, Ledger, NotificationClaim } from '../../src/ledger/index.ts';
import { heldCatchUp } from '../support/held-catch-up.ts';
import { share, sharedFile } from '../support/shares.ts';

const destination = { projectId: 1, folderId: 2 };
interface Request extends Lease {
  afterQueue: string;
  largest: number | null;
}
const claim: Request = {
  now: 1_000,
  until: 31_000,
  token: 't1',
  afterQueue: '',
  largest: null,
};
/** So long ago that it goes before what is to be uploaded. */
const upload = { attachmentId: 7, byteSize: 10, serviceTime: 5_000, now: -9_000 };

/** What the ledger must do in every dialect; `open` opens an empty one. */
export function describeLedger(name: string, open: () => Promise<Ledger>): void {
  describe(`ledger on ${name}`, () => {
    let ledger: Ledger;
    beforeEach(async () => {
      ledger = await open();
    });
    afterEach(() => ledger.close());

    const record = (overrides = {}, rest = {}) =>
      ledger.recordShare({
        share: share(overrides),
        origin: 'event',
        destination,
        reportId: null,
        now: 1_000,
        ...rest,
      });

    /** Claims what is due next. */
    const claimNext = async (request: Request) =>
      (await ledger.claimFiling(request))?.transfers[0] ?? null;

    /** Claims so many transfers, each by itself. */
    const claimEach = async (tokens: string[]): Promise<Claim[]> => {
      const claims: Claim[] = [];
      for (const token of tokens)
        claims.push({ id: (await claimNext({ ...claim, token }))?.id ?? 0, token });
      return claims;
    };

    /** Claims uploads that are ready for their folder, under this token: their create is announced. */
    const announce = async (c: { token: string }, now: number) =>
      (await ledger.claimFiling({ ...claim, now, until: now + 30_000, token: c.token }))
        ?.transfers ?? [];

    /** Claims the looks that are due, under this token. */
    const claimLook = async (c: { token: string }, now: number) =>
      (await ledger.claimLook({ now, until: now + 30_000, token: c.token, afterQueue: '' }))
        ?.transfers ?? [];

    const nextDueAt = async () => (await ledger.nextFiling({ largest: null }))?.dueAt ?? null;

    describe('recording a share', () => {
      it('records each file once, however often it is delivered', async () => {
        const files = [sharedFile(), sharedFile({ id: 'F2' })];
        expect((await record({ files })).transfers).toBe(2);
        expect((await record({ files })).transfers).toBe(0);
        expect((await record({ files: [...files, sharedFile({ id: 'F3' })] })).transfers).toBe(1);
      });

      it('takes the same file in another message for another share', async () => {
        await record();
        expect((await record({ ts: '1700000001.000100' })).transfers).toBe(1);
        expect((await record({ channel: 'C2' })).transfers).toBe(1);
      });

      it('records one row when deliveries race', async () => {
        const results = await Promise.all([record(), record(), record()]);
        expect(results.map((r) => r.transfers).sort()).toEqual([0, 0, 1]);
      });

      it('keeps all of a hostile name', async () => {
        const name = `'"); drop table shares; -- 📎 ${'x'.repeat(180)}.pdf`;
        const { shareId } = await record({ files: [sharedFile({ name })] });
        expect((await ledger.transfersOfShare(shareId))[0]?.file.name).toBe(name);
      });
    });

    describe('claiming', () => {
      it('gives a transfer to one claim only, until its lease ends', async () => {
        await record();
        expect(await claimNext(claim)).toMatchObject({
          name: 'report.pdf',
          attempts: 1,
        });
        expect(await claimNext({ ...claim, token: 't2' })).toBeNull();
        const later = { ...claim, now: 31_000, until: 61_000, token: 't2' };
        expect(await claimNext(later)).toBeNull();
        expect(await ledger.sweepLeases('transfers', { now: 30_999 })).toBe(0);
        expect(await ledger.sweepLeases('transfers', { now: 31_000 })).toBe(1);
        expect(await claimNext(later)).toMatchObject({ attempts: 2, failures: 0 });
      });

      it('lets queues take turns', async () => {
        for (const ts of ['1', '2', '3']) await record({ ts });
        await record({ channel: 'C2', ts: '9' });
        const first = await claimNext({ ...claim, token: 'a' });
        const second = await claimNext({
          ...claim,
          token: 'b',
          afterQueue: first?.queue ?? '',
        });
        expect([first?.queue, second?.queue]).toEqual(['T1/C1', 'T1/C2']);
      });

      it('renews what it still holds and names it', async () => {
        await record();
        await claimNext(claim);
        expect(
          await ledger.renewLeases('transfers', { tokens: ['t1', 'gone'], until: 90_000 }),
        ).toEqual(new Set(['t1']));
        expect(await claimNext({ ...claim, now: 80_000, token: 't2' })).toBeNull();
      });

      it('hands back without counting the attempt', async () => {
        await record();
        const held = await claimNext(claim);
        await ledger.release('transfers', {
          claim: { id: held?.id ?? 0, token: 't1' },
          dueAt: 1_000,
        });
        expect(await claimNext({ ...claim, token: 't2' })).toMatchObject({
          attempts: 1,
        });
      });

      it('makes due what a clock that went back would put off for long', async () => {
        await record({}, { now: 10 ** 9 });
        await record({ ts: '2' }, { now: 2_000 });
        await ledger.bringForward('transfers', { now: 1_500, latest: 10 ** 6 });
        const due = await claimNext({ ...claim, now: 1_500 });
        expect(due).toMatchObject({ shareId: 1 });
        expect(await nextDueAt()).toBe(2_000);
      });

      it('knows when the next one comes due', async () => {
        expect(await nextDueAt()).toBeNull();
        await record();
        expect(await nextDueAt()).toBe(1_000);
      });
    });

    describe('claiming creates', () => {
      /** Records a share for each folder, and uploads all files. */
      const uploaded = async (...folders: [folderId: number, names: string[]][]) => {
        for (const [ts, [folderId, all]] of folders.entries()) {
          const files = all.map((name, nth) => sharedFile({ id: `F${nth}`, name }));
          await record({ ts: `${ts}`, files }, { destination: { projectId: 1, folderId } });
        }
        const count = folders.flatMap(([, all]) => all).length;
        const claims = await claimEach(Array.from({ length: count }, (_, nth) => `${nth}`));
        for (const one of claims) await ledger.markUploaded(one, upload);
      };
      const names = (transfers: { name: string }[]) => transfers.map(({ name }) => name);

      it('takes all that are ready for one folder, and writes the intent of each', async () => {
        await uploaded([2, ['a', 'b']], [3, ['c']], [2, ['d']]);
        const batches = [
          await announce({ token: 'x' }, 2_000),
          await announce({ token: 'y' }, 2_000),
        ].sort((one, other) => other.length - one.length);
        expect(batches.map(names)).toEqual([['a', 'b', 'd'], ['c']]);
        for (const one of batches.flat())
          expect(one).toMatchObject({ state: 'creating', creates: 1, creatingSince: 2_000 });
        expect(await announce({ token: 'z' }, 2_000)).toEqual([]);
      });

      it('takes a hundred at most', async () => {
        await uploaded([2, Array.from({ length: 130 }, (_, nth) => `f${nth}`)]);
        expect(await announce({ token: 'x' }, 2_000)).toHaveLength(100);
        expect(await announce({ token: 'y' }, 2_000)).toHaveLength(30);
      });

      it('takes no two of one name and size', async () => {
        await uploaded([2, ['a', 'b', 'a']]);
        expect(names(await announce({ token: 'x' }, 2_000))).toEqual(['a', 'b']);
      });

      it('takes one by itself that was refused with others', async () => {
        await uploaded([2, ['a', 'b', 'c']]);
        for (const { id } of await announce({ token: 'x' }, 2_000)) {
          const c = { id, token: 'x' };
          const alone = id === 3;
          await ledger.markAnswered(c, { answeredAt: 2_100, serviceTime: null, alone });
          await ledger.markAbsent(c, 2_200);
          await ledger.release('transfers', { claim: c, dueAt: 2_200 });
        }
        const batches = [
          names(await announce({ token: 'y' }, 3_000)),
          names(await announce({ token: 'z' }, 3_000)),
        ];
        expect(batches.sort((one, other) => one.length - other.length)).toEqual([
          ['c'],
          ['a', 'b'],
        ]);
      });

      it('waits a moment for others that are on their way to the folder, and no longer', async () => {
        const files = [sharedFile({ name: 'a' }), sharedFile({ id: 'F2', name: 'b' })];
        await record({ files });
        const first = await claimNext({ ...claim, token: 'a' });
        await claimNext({ ...claim, token: 'b' });
        const done = { ...upload, now: 1_500 };
        await ledger.markUploaded({ id: first?.id ?? 0, token: 'a' }, done);
        expect(await nextDueAt()).toBe(1_800);
        const second = (await ledger.transfersOfShare(1))[1];
        await ledger.markUploaded({ id: second?.id ?? 0, token: 'b' }, done);
        expect(await nextDueAt()).toBe(1_500);
        expect(names(await announce({ token: 'x' }, 1_500))).toEqual(['a', 'b']);
      });

      it('leaves large files until there is room, and nothing else', async () => {
        const files = [sharedFile({ size: 900 }), sharedFile({ id: 'F2', name: 'b', size: 10 })];
        await record({ files });
        expect(await claimNext({ ...claim, largest: 100 })).toMatchObject({ name: 'b' });
        expect(await ledger.nextFiling({ largest: 100 })).toMatchObject({ dueAt: 31_000 });
        expect(await ledger.nextFiling({ largest: null })).toMatchObject({
          dueAt: 1_000,
          slackSize: 900,
        });
        expect(await claimNext({ ...claim, token: 'y' })).toMatchObject({ slackSize: 900 });
      });
    });

    describe('claiming looks', () => {
      it('takes all open creates of a folder that are due, once', async () => {
        for (const [ts, folderId] of [
          ['1', 2],
          ['2', 2],
          ['3', 3],
        ] as const) {
          const files = [sharedFile({ name: ts })];
          await record({ ts, files }, { destination: { projectId: 1, folderId } });
          const transfer = await claimNext({ ...claim, token: ts });
          await ledger.markUploaded({ id: transfer?.id ?? 0, token: ts }, upload);
          const [own] = await announce({ token: ts }, 2_000);
          const c = { id: own?.id ?? 0, token: ts };
          await ledger.release('transfers', { claim: c, dueAt: 3_000 });
        }
        expect(await ledger.nextLook()).toBe(3_000);
        expect(await nextDueAt()).toBeNull();
        expect(await claimLook({ token: 'x' }, 2_999)).toEqual([]);
        const first = await claimLook({ token: 'x' }, 3_000);
        expect(first.map(({ name }) => name)).toEqual(['1', '2']);
        expect(await claimLook({ token: 'y' }, 3_000)).toMatchObject([{ name: '3' }]);
        expect(await ledger.nextLook()).toBe(33_000);
      });
    });

    describe('steps', () => {
      const held = async () => {
        const { shareId } = await record();
        const transfer = await claimNext(claim);
        return { shareId, claim: { id: transfer?.id ?? 0, token: 't1' } };
      };

      it('take times of this century, at an upload and at a crash', async () => {
        const { claim: c } = await held();
        const now = 1_800_000_000_000;
        await ledger.markUploaded(c, { ...upload, now });
        expect(await nextDueAt()).toBe(now);
        await announce({ token: 't2' }, now);
        expect(await ledger.sweepLeases('transfers', { now: now + 60_000 })).toBe(1);
        expect(await ledger.nextLook()).toBe(now + 60_000);
      });

      it('go from upload over intent to filed', async () => {
        const { shareId, claim: c } = await held();
        await ledger.markUploaded(c, upload);
        await announce(c, 2_000);
        await ledger.markFiled(c, { recordId: 70, now: 3_000 });
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'filed', recordId: 70, attachmentId: 7, dueAt: null, leaseToken: null },
        ]);
        expect(await claimNext({ ...claim, now: 10 ** 12, token: 't9' })).toBeNull();
      });

      it('refuse a claim that was lost', async () => {
        const { claim: c } = await held();
        await ledger.sweepLeases('transfers', { now: 31_000 });
        await claimNext({ ...claim, now: 31_000, until: 61_000, token: 't2' });
        const lost = { code: 'LEASE_LOST' };
        await expect(ledger.markUploaded(c, upload)).rejects.toMatchObject(lost);
        const problem = { code: 'SERVICE_FAILED' as const, note: null };
        await expect(
          ledger.postpone(c, { problem, dueAt: 5, failingSince: 3, now: 3 }),
        ).rejects.toMatchObject(lost);
        await expect(ledger.markRefused(c, { problem, now: 3 })).rejects.toMatchObject(lost);
      });

      it('refuse a step that is not legal', async () => {
        const { claim: c } = await held();
        await expect(ledger.markFiled(c, { recordId: 1, now: 1 })).rejects.toMatchObject({
          code: 'LEASE_LOST',
        });
      });

      it('never give one record to two transfers', async () => {
        await record();
        await record({ ts: '2', files: [sharedFile({ name: 'b.pdf' })] });
        for (const token of ['a', 'b']) {
          const transfer = await claimNext({ ...claim, token });
          const c = { id: transfer?.id ?? 0, token };
          await ledger.markUploaded(c, upload);
          await announce(c, 2_000);
          const filed = ledger.markFiled(c, { recordId: 70, now: 3_000 });
          if (token === 'a') await filed;
          else await expect(filed).rejects.toThrow();
        }
        const { claimed } = await ledger.holdingsIn(destination, [70, 71]);
        expect(claimed).toEqual(new Set([70]));
      });

      it('tell which records of a folder a channel shared, and no other channel’s', async () => {
        const { claim: c } = await held();
        await ledger.markUploaded(c, upload);
        await announce(c, 2_000);
        const of = (channel: string) =>
          ledger.recordsOfChannel({ team: 'T1', channel }, destination);
        expect(await of('C1')).toEqual(new Set());
        await ledger.markFiled(c, { recordId: 70, now: 3_000 });
        expect(await of('C1')).toEqual(new Set([70]));
        expect(await of('C2')).toEqual(new Set());
        const elsewhere = { ...destination, folderId: destination.folderId + 1 };
        const channel = { team: 'T1', channel: 'C1' };
        expect(await ledger.recordsOfChannel(channel, elsewhere)).toEqual(new Set());
      });

      it('return a refused transfer to the state it was refused in', async () => {
        const { shareId, claim: c } = await held();
        await ledger.markUploaded(c, upload);
        await announce(c, 2_000);
        const problem = { code: 'SERVICE_FORBIDDEN' as const, note: 'no' };
        await ledger.markRefused(c, { problem, now: 3_000 });
        expect(await nextDueAt()).toBeNull();
        expect(await ledger.retryShare(shareId, 4_000)).toBe(1);
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'creating', problem: null, dueAt: 4_000 },
        ]);
      });

      /** Takes the next transfer up to its open create, and gives it up for this reason. */
      const refuseCreating = async (token: string, code: ErrorCode) => {
        const transfer = await claimNext({ ...claim, token });
        const c = { id: transfer?.id ?? 0, token };
        await ledger.markUploaded(c, upload);
        await announce(c, 2_000);
        await ledger.markRefused(c, { problem: { code, note: null }, now: 3_000 });
      };
      const states = async (shareId: number) =>
        (await ledger.transfersOfShare(shareId)).map((transfer) => transfer.state);

      it('do not create again what is in the folder with another size', async () => {
        const files = [sharedFile(), sharedFile({ id: 'F2', name: 'b.pdf' })];
        const { shareId } = await record({ files });
        await refuseCreating('a', 'RECORD_SIZE_MISMATCH');
        await refuseCreating('b', 'SERVICE_FORBIDDEN');
        expect(await ledger.retryShare(shareId, 4_000)).toBe(1);
        expect(await states(shareId)).toEqual(['refused', 'creating']);
      });

      it('keep a twin back while one that was refused may be in the folder', async () => {
        const first = await record();
        const second = await record({ ts: '2' });
        await refuseCreating('a', 'SERVICE_FORBIDDEN');
        const twin = await claimNext({ ...claim, token: 'b' });
        const c = { id: twin?.id ?? 0, token: 'b' };
        await ledger.markUploaded(c, upload);
        expect(await announce(c, 4_000)).toMatchObject([{ id: c.id, state: 'uploaded' }]);
        const problem = { code: 'LEDGER_CONFLICT' as const, note: null };
        await ledger.postpone(c, { problem, dueAt: 9_000, failingSince: 4_000, now: 4_000 });
        expect(await ledger.retryShare(second.shareId, 5_000)).toBe(2);
        expect(await states(first.shareId)).toEqual(['creating']);
        expect(await states(second.shareId)).toEqual(['uploaded']);
      });

      it('let a twin pass one that the service has answered with another size', async () => {
        await record();
        const { shareId } = await record({ ts: '2' });
        await refuseCreating('a', 'RECORD_SIZE_MISMATCH');
        await refuseCreating('b', 'SERVICE_FORBIDDEN');
        expect(await states(shareId)).toEqual(['refused']);
      });

      const elsewhere = { projectId: 1, folderId: 3 };

      it.each(['DESTINATION_GONE', 'RECORD_UNSEEN'] as const)(
        'begin anew in another folder, when the first shows nothing of an open create (%s)',
        async (code) => {
          const { shareId } = await record();
          await refuseCreating('a', code);
          await ledger.redirectShare(shareId, elsewhere);
          expect(await ledger.retryShare(shareId, 4_000)).toBe(1);
          expect(await ledger.transfersOfShare(shareId)).toMatchObject([
            {
              state: 'recorded',
              attachmentId: null,
              creatingSince: null,
              destination: elsewhere,
            },
          ]);
        },
      );

      it('stay with the folder that can still be looked into', async () => {
        const { shareId } = await record();
        await refuseCreating('a', 'ATTEMPTS_EXHAUSTED');
        await ledger.redirectShare(shareId, elsewhere);
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'refused', refusedIn: 'creating', destination },
        ]);
      });

      it('are left to who holds the claim, when their share is retried or redirected', async () => {
        const { shareId, claim: c } = await held();
        const before = await ledger.transfersOfShare(shareId);
        await ledger.redirectShare(shareId, elsewhere);
        expect(await ledger.retryShare(shareId, 4_000)).toBe(0);
        expect(await ledger.transfersOfShare(shareId)).toEqual(before);
        expect(await claimNext({ ...claim, now: 5_000, token: 't2' })).toBeNull();
        await ledger.release('transfers', { claim: c, dueAt: 9_000 });
        expect(await ledger.retryShare(shareId, 4_000)).toBe(1);
        expect(await claimNext({ ...claim, now: 5_000, token: 't2' })).not.toBeNull();
      });

      it('upload anew for another folder, and only then', async () => {
        const { shareId, claim: c } = await held();
        await ledger.markUploaded(c, upload);
        await ledger.release('transfers', { claim: c, dueAt: 1_000 });
        await ledger.redirectShare(shareId, destination);
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'uploaded' }]);
        const to = { projectId: 1, folderId: 3 };
        await ledger.redirectShare(shareId, to);
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'uploaded' }]);
        const channel = { team: 'T1', channel: 'C1' };
        expect(await ledger.moveWaiting(channel, { from: to, to: destination, now: 2 })).toBe(0);
        expect(await ledger.moveWaiting(channel, { from: destination, to, now: 2 })).toBe(1);
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'recorded', attachmentId: null, destination: to },
        ]);
      });

      /** Two shares of the same file, both uploaded. */
      const uploadedTwins = async () => {
        await record({ ts: '1' });
        await record({ ts: '2' });
        for (const one of await claimEach(['a', 'b'])) await ledger.markUploaded(one, upload);
      };

      it('keep twins from being on their way at the same time', async () => {
        await uploadedTwins();
        const [first] = await announce({ token: 'a' }, 2_000);
        expect(first).toMatchObject({ state: 'creating' });
        const [second] = await announce({ token: 'b' }, 2_000);
        expect(second).toMatchObject({ state: 'uploaded' });
        const claimed = { id: second?.id ?? 0, token: 'b' };
        await ledger.release('transfers', { claim: claimed, dueAt: 90_000 });
        expect(await announce({ token: 'b' }, 2_500)).toEqual([]);
        await ledger.markFiled({ id: first?.id ?? 0, token: 'a' }, { recordId: 70, now: 3_000 });
        expect(await announce({ token: 'b' }, 3_000)).toMatchObject([
          { id: claimed.id, state: 'creating' },
        ]);
      });

      it.each([
        ['never left', (c: Claim) => ledger.markNotCreated(c, 3_000)],
        ['left nothing', (c: Claim) => ledger.markAbsent(c, 3_000)],
        [
          'was found by another',
          (c: Claim) => ledger.markFound(c.id, { recordId: 70, now: 3_000 }),
        ],
      ])('make a twin due at once when the create before it %s', async (_how, leave) => {
        await uploadedTwins();
        const [first] = await announce({ token: 'a' }, 2_000);
        const [second] = await announce({ token: 'b' }, 2_000);
        const claimed = { id: second?.id ?? 0, token: 'b' };
        await ledger.release('transfers', { claim: claimed, dueAt: 90_000 });
        await leave({ id: first?.id ?? 0, token: 'a' });
        const twin = (await ledger.transfersOfShare(2))[0];
        expect(twin).toMatchObject({ id: claimed.id, dueAt: 3_000 });
      });

      it('settle an open create by its record, whoever holds it', async () => {
        const { shareId, claim: c } = await held();
        await ledger.markUploaded(c, upload);
        expect(await ledger.openCreates(destination)).toEqual([]);
        await announce(c, 2_000);
        expect(await ledger.openCreates(elsewhere)).toEqual([]);
        expect(await ledger.openCreates(destination)).toMatchObject([{ id: c.id }]);
        await ledger.markFound(c.id, { recordId: 70, now: 3_000 });
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'filed', recordId: 70, dueAt: null, leaseToken: null },
        ]);
        const late = ledger.markFiled(c, { recordId: 71, now: 4_000 });
        await expect(late).rejects.toMatchObject({ code: 'LEASE_LOST' });
      });

      it('lead from an answer of success to filed, with a record or without, and nowhere else', async () => {
        for (const recordId of [70, null]) {
          const { shareId } = await record({ ts: `${recordId}` });
          const transfer = await claimNext(claim);
          const c = { id: transfer?.id ?? 0, token: 't1' };
          await ledger.markUploaded(c, upload);
          await announce(c, 2_000);
          await ledger.markCreated(c, 2_500);
          const lost = { code: 'LEASE_LOST' };
          expect(await announce(c, 3_000)).toEqual([]);
          await expect(ledger.markAbsent(c, 3_000)).rejects.toMatchObject(lost);
          await expect(ledger.markNotCreated(c, 3_000)).rejects.toMatchObject(lost);
          const refusal = { answeredAt: 3_000, serviceTime: null };
          await expect(ledger.markAnswered(c, refusal)).rejects.toMatchObject(lost);
          await expect(ledger.markOpen(c, 3_000)).rejects.toMatchObject(lost);
          await expect(ledger.markNotUploaded(c, 3_000)).rejects.toMatchObject(lost);
          expect(await claimLook(c, 3_000)).toMatchObject([{ state: 'created' }]);
          await ledger.markFiled(c, { recordId, now: 4_000 });
          expect(await ledger.transfersOfShare(shareId)).toMatchObject([
            { state: 'filed', recordId, dueAt: null },
          ]);
        }
      });

      it('keep a twin back while the record of one that was created is looked for', async () => {
        await uploadedTwins();
        const [first] = await announce({ token: 'a' }, 2_000);
        await ledger.markCreated({ id: first?.id ?? 0, token: 'a' }, 2_500);
        expect(await announce({ token: 'b' }, 3_000)).toMatchObject([{ state: 'uploaded' }]);
        expect(await ledger.openCreates(destination)).toMatchObject([{ state: 'created' }]);
      });

      it('count the creates that may have had an effect, and no others', async () => {
        const { shareId, claim: c } = await held();
        const again = () => ledger.release('transfers', { claim: c, dueAt: 2_000 });
        const counted = async () => (await ledger.transfersOfShare(shareId))[0]?.creates;
        await ledger.markUploaded(c, upload);
        expect(await announce(c, 2_000)).toMatchObject([{ creates: 1 }]);
        await ledger.markNotCreated(c, 2_000);
        expect(await counted()).toBe(0);
        await again();
        await announce(c, 2_200);
        const answered = { answeredAt: 2_300, serviceTime: 9_000 };
        expect(await ledger.markAnswered(c, answered)).toMatchObject({
          ...answered,
          state: 'creating',
          creates: 0,
        });
        await ledger.markAbsent(c, 2_400);
        for (const creates of [1, 2, 3]) {
          await again();
          expect(await announce(c, 3_000)).toMatchObject([{ creates, answeredAt: null }]);
          await ledger.markAbsent(c, 3_000);
        }
        await ledger.markOpen(c, 4_000);
        const problem = { code: 'RECORD_UNCONFIRMED' as const, note: null };
        await ledger.markRefused(c, { problem, now: 5_000 });
        expect(await counted()).toBe(3);
        await ledger.retryShare(shareId, 6_000);
        expect(await counted()).toBe(2);
      });

      it('note which records were there before the first create, and keep to that', async () => {
        await record();
        const first = await claimNext({ ...claim, token: 'a' });
        const a = { id: first?.id ?? 0, token: 'a' };
        await ledger.markUploaded(a, upload);
        expect(await announce(a, 2_000)).toMatchObject([{ lastRecord: 0 }]);
        await ledger.markFiled(a, { recordId: 70, now: 2_000 });
        await record({ ts: '2', files: [sharedFile({ name: 'b.pdf' }), sharedFile({ id: 'F2' })] });
        for (const one of await claimEach(['b', 'c'])) await ledger.markUploaded(one, upload);
        const batch = await announce({ token: 'd' }, 3_000);
        expect(batch).toMatchObject([{ lastRecord: 70 }, { lastRecord: 70 }]);
        const [b, c] = batch.map(({ id }) => ({ id, token: 'd' })) as [Claim, Claim];
        await ledger.markFiled(c, { recordId: 71, now: 4_000 });
        await ledger.markAbsent(b, 4_000);
        await ledger.release('transfers', { claim: b, dueAt: 4_000 });
        expect(await announce(b, 5_000)).toMatchObject([{ lastRecord: 70 }]);
      });

      it('tell what is held in a folder, as of one moment', async () => {
        const { claim: c } = await held();
        await ledger.markUploaded(c, upload);
        await announce(c, 2_000);
        const { open, claimed } = await ledger.holdingsIn(destination, [70, 71]);
        expect([open.map(({ id }) => id), [...claimed]]).toEqual([[c.id], []]);
        await ledger.markFiled(c, { recordId: 70, now: 3_000 });
        expect(await ledger.holdingsIn(destination, [70, 71])).toEqual({
          open: [],
          claimed: new Set([70]),
        });
        expect(await ledger.holdingsIn(elsewhere, [70])).toEqual({ open: [], claimed: new Set() });
        expect((await ledger.holdingsIn(destination, [])).open).toEqual([]);
      });

      it('tell what is filed in a folder, and nobody knows as which record', async () => {
        const { claim: c } = await held();
        await ledger.markUploaded(c, upload);
        await announce(c, 2_000);
        await ledger.markCreated(c, 2_500);
        await claimLook(c, 2_500);
        await ledger.markFiled(c, { recordId: null, now: 3_000 });
        for (const asked of [[], [70]])
          expect((await ledger.holdingsIn(destination, asked)).open).toMatchObject([
            { id: c.id, state: 'filed', recordId: null },
          ]);
        expect((await ledger.holdingsIn(elsewhere, [])).open).toEqual([]);
        expect(await ledger.openCreates(destination)).toEqual([]);
      });

      it('settle one that was given up unseen, and no other', async () => {
        const { shareId } = await record();
        await refuseCreating('a', 'SERVICE_FORBIDDEN');
        const [refused] = await ledger.openCreates(destination);
        for (const recordId of [70, 71])
          await ledger.markFound(refused?.id ?? 0, { recordId, now: 4_000 });
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'filed', recordId: 70, refusedIn: null, problem: null },
        ]);
      });

      it('that go well let failures and crashes be forgotten', async () => {
        const { shareId, claim: c } = await held();
        const problem = { code: 'SERVICE_FAILED' as const, note: '503' };
        await ledger.postpone(c, { problem, dueAt: 2_000, failingSince: 1_000, now: 1_000 });
        for (const now of [2_000, 3_000]) {
          await ledger.sweepLeases('transfers', { now });
          await claimNext({ ...claim, now, until: now + 1, token: `t${now}` });
        }
        const before = { failures: 1, attempts: 3, failingSince: 1_000, problem: 'SERVICE_FAILED' };
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([before]);
        await ledger.markUploaded({ ...c, token: 't3000' }, upload);
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { failures: 0, failingSince: null, problem: null, problemNote: null },
        ]);
      });

      it('count patience anew when somebody asks for another try of what was given up', async () => {
        const { shareId, claim: c } = await held();
        const problem = { code: 'SERVICE_FAILED' as const, note: '503' };
        await ledger.postpone(c, { problem, dueAt: 2_000, failingSince: 1_000, now: 1_000 });
        await claimNext({ ...claim, now: 2_000, token: 't2' });
        await ledger.markRefused({ ...c, token: 't2' }, { problem, now: 3_000 });
        expect(await ledger.retryShare(shareId, 4_000)).toBe(1);
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'recorded', failures: 0, failingSince: null, dueAt: 4_000 },
        ]);
      });

      it('are due at once for somebody who asks for another try', async () => {
        const { shareId, claim: c } = await held();
        const problem = { code: 'SERVICE_FAILED' as const, note: '503' };
        await ledger.postpone(c, { problem, dueAt: 90_000, failingSince: 3_000, now: 3_000 });
        expect(await ledger.retryShare(shareId, 4_000)).toBe(1);
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'recorded', dueAt: 4_000, failures: 1, failingSince: 3_000 },
        ]);
      });

      it('stay with their folder once a create may have reached it', async () => {
        const { shareId, claim: c } = await held();
        await ledger.markUploaded(c, upload);
        await announce(c, 2_000);
        await ledger.release('transfers', { claim: c, dueAt: 3_000 });
        await ledger.redirectShare(shareId, { projectId: 1, folderId: 3 });
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          { state: 'creating', destination },
        ]);
      });

      it('postpone with the reason and since when', async () => {
        const { shareId, claim: c } = await held();
        const problem = { code: 'SERVICE_FAILED' as const, note: '503' };
        await ledger.postpone(c, { problem, dueAt: 9_000, failingSince: 3_000, now: 3_000 });
        expect(await ledger.transfersOfShare(shareId)).toMatchObject([
          {
            state: 'recorded',
            failures: 1,
            failingSince: 3_000,
            problem: 'SERVICE_FAILED',
            dueAt: 9_000,
          },
        ]);
      });
    });

    describe('notifications', () => {
      const lease = { now: 2_000, until: 61_000, token: 'x' };
      const said = { fingerprint: 'text', againAt: null, failed: false, now: 3_000 };

      it('is due when a share is recorded, and claimed once', async () => {
        const { shareId } = await record();
        expect(await ledger.claimShare(lease)).toMatchObject({ id: shareId, replyBegun: 0 });
        expect(await ledger.claimShare({ ...lease, token: 'y' })).toBeUndefined();
      });

      it('is nothing that who has lost the claim can begin, or end', async () => {
        const { shareId } = await record();
        await ledger.claimShare(lease);
        await ledger.sweepLeases('shares', { now: 61_000 });
        await ledger.claimShare({ now: 61_000, until: 121_000, token: 'y' });
        const [lost, kept] = ['x', 'y'].map((token) => ({
          table: 'shares' as const,
          id: shareId,
          token,
        })) as [NotificationClaim, NotificationClaim];
        expect(await ledger.beginReply(lost)).toBe(false);
        await ledger.finishNotification(lost, { ...said, version: 0 });
        expect(await ledger.findShareById(shareId)).toMatchObject({
          replyBegun: 0,
          fingerprint: null,
          leaseToken: 'y',
        });
        expect(await ledger.beginReply(kept)).toBe(true);
        await ledger.cancelReply(lost);
        expect(await ledger.findShareById(shareId)).toMatchObject({ replyBegun: 1 });
      });

      it('comes again for a change that came meanwhile', async () => {
        const { shareId } = await record();
        const row = await ledger.claimShare(lease);
        await ledger.shareChanged(shareId, 1_500);
        expect(await ledger.claimShare({ ...lease, now: 2_100, token: 'y' })).toBeUndefined();
        const version = row?.version ?? -1;
        await ledger.finishNotification(
          { table: 'shares', id: shareId, token: 'x' },
          { ...said, version },
        );
        expect(await ledger.nextNotification('shares')).toBe(3_000);
      });

      it('ends when all is said', async () => {
        const { shareId } = await record();
        const row = await ledger.claimShare(lease);
        const version = row?.version ?? -1;
        await ledger.finishNotification(
          { table: 'shares', id: shareId, token: 'x' },
          { ...said, version },
        );
        expect(await ledger.nextNotification('shares')).toBeNull();
      });

      it('counts the failures to say what is so now, not those to say what was before', async () => {
        const { shareId } = await record();
        const { version = -1 } = (await ledger.claimShare(lease)) ?? {};
        const claim = { table: 'shares' as const, id: shareId, token: 'x' };
        const failed = { fingerprint: null, againAt: 9_000, failed: true, now: 3_000 };
        await ledger.finishNotification(claim, { ...failed, version });
        expect(await ledger.findShareById(shareId)).toMatchObject({ failures: 1 });
        await ledger.shareChanged(shareId, 4_000);
        expect(await ledger.findShareById(shareId)).toMatchObject({ failures: 0, dueAt: 4_000 });
      });

      it('is of the shares that nothing else speaks for first', async () => {
        const input = { team: 'T1', channel: 'C1', kind: 'catch-up' as const, startedBy: null };
        const reportId = await ledger.createReport({ ...input, now: 1 });
        const spoken = await record({ ts: '1' }, { reportId, now: 100 });
        const own = await record({ ts: '2' }, { now: 200 });
        expect(await ledger.nextNotification('shares')).toBe(1_100);
        expect(await ledger.claimShare(lease)).toMatchObject({ id: own.shareId });
        const rest = { ...lease, token: 'y' };
        expect(await ledger.claimShare(rest)).toMatchObject({ id: spoken.shareId });
        expect(await ledger.claimShare({ ...lease, token: 'z' })).toBeUndefined();
      });

      it('of a report is not for each change, but at once when somebody waits', async () => {
        const input = { team: 'T1', channel: 'C1', kind: 'backfill' as const, startedBy: null };
        const id = await ledger.createReport({ ...input, now: 1 });
        await ledger.reportChanged(id, 2_000);
        expect(await ledger.nextNotification('reports')).toBe(2_000);
        const row = await ledger.claimReport(lease);
        await ledger.reportChanged(id, 2_500);
        const claimed = { table: 'reports' as const, id, token: 'x' };
        const version = row?.version ?? -1;
        await ledger.finishNotification(claimed, { ...said, version, againAt: 8_000 });
        await ledger.reportChanged(id, 4_000);
        expect(await ledger.nextNotification('reports')).toBe(8_000);
        const report = await ledger.findReport(id);
        if (report) await ledger.stopReport(report, 4_500);
        expect(await ledger.nextNotification('reports')).toBe(4_500);
      });

      it('of a report comes again for a change that came while all seemed said', async () => {
        const input = { team: 'T1', channel: 'C1', kind: 'backfill' as const, startedBy: null };
        const id = await ledger.createReport({ ...input, now: 1 });
        await ledger.reportChanged(id, 2_000);
        const row = await ledger.claimReport(lease);
        await ledger.reportChanged(id, 2_500);
        const version = row?.version ?? -1;
        await ledger.finishNotification({ table: 'reports', id, token: 'x' }, { ...said, version });
        expect(await ledger.nextNotification('reports')).toBe(3_000);
      });

      it('take times of this century, at a change, at an end and at a crash', async () => {
        const now = 1_800_000_000_000;
        const { shareId } = await record({}, { now });
        const begun = { now: now + 2_000, until: now + 60_000, token: 'x' };
        const row = await ledger.claimShare(begun);
        await ledger.shareChanged(shareId, now + 3_000);
        const claimed = { table: 'shares' as const, id: shareId, token: 'x' };
        await ledger.finishNotification(claimed, { ...said, version: row?.version ?? -1, now });
        expect(await ledger.nextNotification('shares')).toBe(now);
        await ledger.claimShare(begun);
        expect(await ledger.sweepLeases('shares', { now: now + 60_000 })).toBe(1);
        expect(await ledger.nextNotification('shares')).toBe(now + 60_000);
      });

      it('is not due for a share that is parked', async () => {
        await record({}, { destination: null });
        expect(await ledger.nextNotification('shares')).toBeNull();
      });
    });

    describe('channels', () => {
      const ref = { team: 'T1', channel: 'C1' };
      const link = { ...destination, folderName: 'Invoices', linkedBy: 'U1', linkedAt: 5 };

      it('are linked, linked anew and unlinked', async () => {
        expect(await ledger.findLink(ref)).toBeNull();
        await ledger.setLink(ref, link);
        await ledger.setLink(ref, { ...link, folderId: 3 });
        expect(await ledger.findLink(ref)).toEqual({ ...link, folderId: 3 });
        await ledger.removeLink(ref);
        expect(await ledger.findLink(ref)).toBeNull();
      });

      it('keep the furthest confirmed message', async () => {
        expect(await ledger.confirmUpTo(ref, '1700000002.000000')).toBe(true);
        expect(await ledger.confirmUpTo(ref, '1700000002.000000')).toBe(false);
        expect(await ledger.confirmUpTo(ref, '1700000001.000000')).toBe(false);
        expect(await ledger.listChannels()).toEqual([
          { ...ref, linked: false, confirmedTs: '1700000002.000000' },
        ]);
        expect(await ledger.findConfirmed(ref)).toBe('1700000002.000000');
        expect(await ledger.findConfirmed({ ...ref, channel: 'C2' })).toBeNull();
      });

      it('keep the message that their history counts from', async () => {
        await ledger.setLink(ref, link);
        await ledger.removeLink(ref);
        await ledger.confirmFirst(ref, '1700000001.000000');
        await ledger.confirmFirst(ref, '1700000002.000000');
        expect(await ledger.listChannels()).toMatchObject([{ confirmedTs: '1700000001.000000' }]);
      });

      it('know who shares there for the first time without a folder', async () => {
        const parked = async (ts: string, userId: string) => {
          const input = { share: share({ ts, userId }), origin: 'event' as const };
          const row = { ...input, destination: null, reportId: null, now: 1 };
          return (await ledger.recordShare(row)).shareId;
        };
        const isFirst = async (ts: string, userId: string) =>
          ledger.isFirstParked(ref, { shareId: await parked(ts, userId), userId });
        expect(await isFirst('1', 'U1')).toBe(true);
        expect(await isFirst('2', 'U1')).toBe(false);
        expect(await isFirst('3', 'U2')).toBe(true);
        await ledger.fileParked(ref, { destination: { projectId: 1, folderId: 2 }, now: 2 });
        expect(await isFirst('4', 'U1')).toBe(true);
      });

      it('park files until somebody files them', async () => {
        await record({}, { destination: null });
        expect(await claimNext(claim)).toBeNull();
        expect(await ledger.countParked(ref)).toBe(1);
        expect(await ledger.fileParked(ref, { destination, now: 1_000 })).toBe(1);
        expect(await ledger.countParked(ref)).toBe(0);
        expect(await claimNext(claim)).toMatchObject({ destination });
      });

      it('file the parked files of one share alone', async () => {
        const { shareId } = await record({}, { destination: null });
        await record({ ts: '2' }, { destination: null });
        await ledger.fileParkedShare(shareId, { destination, now: 1_000 });
        expect(await ledger.countParked(ref)).toBe(1);
        expect(await claimNext(claim)).toMatchObject({ shareId, destination });
        expect(await ledger.nextNotification('shares')).toBe(1_000);
      });
    });

    describe('reports', () => {
      it('count their transfers and stop what has not begun', async () => {
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
        await claimNext(claim);
        const report = await ledger.findReport(reportId);
        if (report) await ledger.stopReport(report, 2_000);
        expect(await ledger.countReport(reportId)).toEqual({ recorded: 1, parked: 2 });
        expect(await ledger.claimReport({ now: 2_000, until: 3_000, token: 'r' })).toMatchObject({
          id: reportId,
          stopped: 1,
        });
      });
    });

    it('gives of refused files the first few of each code, and how many there are', async () => {
      const input = { team: 'T1', channel: 'C1', kind: 'backfill' as const, startedBy: 'U1' };
      const reportId = await ledger.createReport({ ...input, now: 1 });
      const codes = ['SLACK_FILE_EXTERNAL', 'SLACK_FILE_DELETED'] as const;
      for (let nth = 0; nth < 24; nth += 1) {
        await record({ ts: String(nth) }, { origin: 'backfill', reportId });
        const held = await claimNext({ ...claim, token: `t${nth}` });
        const problem = { code: codes[nth < 22 ? 0 : 1], note: `F${nth}` };
        await ledger.markRefused({ id: held?.id ?? 0, token: `t${nth}` }, { problem, now: 2 });
      }
      const refusals = await ledger.refusalsOfReport(reportId);
      expect(refusals).toHaveLength(22);
      expect(refusals.at(0)).toMatchObject({ problem: 'SLACK_FILE_EXTERNAL', alike: 22 });
      expect(refusals.at(-1)).toMatchObject({ problem: 'SLACK_FILE_DELETED', alike: 2 });
    });

    describe('what waits for the key', () => {
      const channel = { team: 'T1', channel: 'C2' };
      const link = { ...destination, folderName: null, linkedBy: 'U9', linkedAt: 1 };

      /** Records a share and puts it off for this reason. */
      async function putOff(code: ErrorCode, overrides = {}, token = 't'): Promise<void> {
        await record(overrides);
        const held = await claimNext({ ...claim, token });
        const put = { problem: { code, note: null }, dueAt: 9_000, failingSince: 1, now: 1_000 };
        await ledger.postpone({ id: held?.id ?? 0, token }, put);
      }

      it('is found, of a channel that somebody linked if there is one', async () => {
        await putOff('SERVICE_FAILED', { channel: 'C3' });
        expect(await ledger.firstWaitingForKey()).toBeNull();
        await putOff('SERVICE_UNAUTHORIZED');
        expect(await ledger.firstWaitingForKey()).toEqual({ destination, linkedBy: null });
        await ledger.setLink(channel, link);
        await putOff('SERVICE_UNAUTHORIZED', channel);
        expect(await ledger.firstWaitingForKey()).toEqual({ destination, linkedBy: 'U9' });
      });

      it('is made due, and nothing else', async () => {
        await putOff('SERVICE_UNAUTHORIZED');
        await putOff('SERVICE_FAILED', channel);
        expect(await ledger.hurryWaitingForKey(2_000)).toBe(1);
        expect(await nextDueAt()).toBe(2_000);
        expect(await ledger.hurryWaitingForKey(2_000)).toBe(0);
      });

      it('is left to who holds it', async () => {
        await putOff('SERVICE_UNAUTHORIZED');
        await claimNext({ ...claim, now: 9_000, until: 39_000 });
        expect(await ledger.hurryWaitingForKey(10_000)).toBe(0);
      });

      it('is told of by one, until that is dropped', async () => {
        expect(await ledger.claimKeyNotice(1_000)).toBe(false);
        await ledger.beginRun(1_000);
        const claims = [1, 2, 3].map(() => ledger.claimKeyNotice(1_000));
        expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
        await ledger.dropKeyNotice();
        expect(await ledger.claimKeyNotice(2_000)).toBe(true);
      });
    });

    describe('a backfill', () => {
      const ref = { team: 'T1', channel: 'C1' };
      const read = { now: 2_000, until: 62_000, token: 'r1' };
      const claimReading = (given: Partial<typeof read> = {}) =>
        ledger.claimReading('backfill', { ...read, ...given });
      const begun = async () => {
        await ledger.beginBackfill(ref, { startedBy: 'U1', now: 1_000 });
        const reading = await claimReading();
        const report = await ledger.findReport(reading?.reportId ?? 0);
        if (!reading || !report) throw new Error('no backfill is due');
        return { report, claim: { id: reading.id, token: 'r1' } };
      };
      const past = (ts: string, reportId: number) =>
        record({ ts }, { origin: 'backfill', reportId, destination: null });

      it('is begun once while its history is being read', async () => {
        const { report } = await begun();
        await ledger.beginBackfill(ref, { startedBy: 'U2', now: 3_000 });
        expect(await claimReading({ now: 4_000, token: 'r2' })).toBeUndefined();
        await ledger.beginBackfill({ ...ref, channel: 'C2' }, { startedBy: 'U2', now: 3_000 });
        const other = await claimReading({ now: 4_000, token: 'r2' });
        expect(other).toMatchObject({ channel: 'C2' });
        expect(await ledger.findReport(other?.reportId ?? 0)).toMatchObject({ startedBy: 'U2' });
        expect(await ledger.findReport(report.id)).toMatchObject({ startedBy: 'U1' });
        expect(await ledger.nextReading('catch-up')).toBeNull();
      });

      it('is read on from where it was, when who read it is gone', async () => {
        const { claim: c } = await begun();
        expect(await ledger.markReadTo(c, { readTo: '17.5', now: 3_000 })).toBe(true);
        const renew = (tokens: string[], until: number) =>
          ledger.renewLeases('readings', { tokens, until });
        expect(await renew(['r1'], 90_000)).toEqual(new Set(['r1']));
        await ledger.sweepLeases('readings', { now: 80_000 });
        expect(await claimReading({ now: 80_000, token: 'r2' })).toBeUndefined();
        await ledger.sweepLeases('readings', { now: 90_000 });
        const later = { now: 90_000, until: 150_000, token: 'r2' };
        expect(await claimReading(later)).toMatchObject({ readTo: '17.5' });
        expect(await renew(['r1', 'r2'], 200_000)).toEqual(new Set(['r2']));
        expect(await ledger.markReadTo(c, { readTo: '16.0', now: 95_000 })).toBe(false);
        expect(await ledger.fileBackfill(c, { destination, now: 95_000 })).toBe(false);
      });

      it('files nothing before all is read, then the oldest first', async () => {
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

      it('that is stopped while it is read files nothing, until another takes it up', async () => {
        const { report, claim: c } = await begun();
        await past('1', report.id);
        await ledger.stopReport(report, 3_000);
        expect(await ledger.fileBackfill(c, { destination, now: 4_000 })).toBe(false);
        expect(await ledger.markReadTo(c, { readTo: '1', now: 4_000 })).toBe(false);
        const renewed = await ledger.renewLeases('readings', { tokens: ['r1'], until: 90_000 });
        expect(renewed).toEqual(new Set());
        expect(await claimNext({ ...claim, now: 10 ** 12 })).toBeNull();
        expect(await ledger.countParkedPast(ref)).toBe(1);
        const second = await begun();
        expect(await ledger.fileBackfill(second.claim, { destination, now: 5_000 })).toBe(true);
        expect(await ledger.countReport(second.report.id)).toEqual({ recorded: 1 });
        expect(await ledger.countParkedPast(ref)).toBe(0);
      });

      it('counts its failures until a page is read, and is due again as was said', async () => {
        const { claim: c, report } = await begun();
        const failed = { dueAt: 9_000, problem: 'internal_error', now: 3_000 };
        await ledger.failReading(c, failed);
        await ledger.failReading(c, failed);
        expect(await claimReading({ now: 8_000, token: 'r2' })).toBeUndefined();
        expect(await ledger.nextReading('backfill')).toBe(9_000);
        const again = await claimReading({ now: 9_000, token: 'r2' });
        expect(again).toMatchObject({ failures: 1, problem: 'internal_error' });
        await ledger.markReadTo({ ...c, token: 'r2' }, { readTo: '1', now: 9_500 });
        const after = await ledger.findReading(report.id);
        expect(after).toMatchObject({ failures: 0, problem: null });
      });

      it('ends for a reason when it cannot go on, unless the claim is lost', async () => {
        const { claim: c, report } = await begun();
        const reason = { problem: 'missing_scope', dueAt: null, now: 3_000 };
        await ledger.failReading({ ...c, token: 'another' }, reason);
        expect(await ledger.findReport(report.id)).toMatchObject({ stopped: 0 });
        await ledger.failReading(c, reason);
        expect(await ledger.findReport(report.id)).toMatchObject({ stopped: 1 });
        const ended = { dueAt: null, leaseToken: null, problem: 'missing_scope' };
        expect(await ledger.findReading(report.id)).toMatchObject(ended);
        const due = { now: 3_000, until: 4_000, token: 'x' };
        expect(await ledger.claimReport(due)).toMatchObject({ id: report.id });
      });

      it('is due again after a claim that was given back', async () => {
        const { claim: c } = await begun();
        await ledger.release('readings', { claim: c, dueAt: 9_000 });
        expect(await claimReading({ now: 8_000, token: 'r2' })).toBeUndefined();
        expect(await claimReading({ now: 9_000, token: 'r2' })).toBeDefined();
      });
    });

    it('knows until when the process before may have sent requests', async () => {
      expect(await ledger.beginRun(1_000)).toBeNull();
      expect(await ledger.beginRun(2_000)).toBe(2_000);
      await ledger.endRun(2_000, 3_000);
      expect(await ledger.beginRun(9_000)).toBe(3_000);
    });

    it('knows that the process goes on that began before another one ended', async () => {
      await ledger.beginRun(1_000);
      await ledger.beginRun(2_000);
      await ledger.endRun(1_000, 3_000);
      expect(await ledger.beginRun(9_000)).toBe(9_000);
    });

    describe('catching up', () => {
      const asked = { team: 'T1', channels: ['C1'], all: true, begunTs: '1700000000.000000' };
      const NEW = { team: 'T1', channel: 'C9' };
      const lease = { now: 2_000, until: 62_000, token: 'r1' };
      const claimReading = (given: Partial<typeof lease> = {}) =>
        ledger.claimReading('catch-up', { ...lease, ...given });
      beforeEach(async () => {
        await ledger.beginRun(1_000);
      });

      it('begins nowhere before the first listing', async () => {
        expect(await ledger.catchUpSince(NEW)).toBeNull();
      });

      it('begins with the first listing: what a channel held before is left alone', async () => {
        await ledger.confirmUpTo({ team: 'T1', channel: 'C2' }, '1600000000.000000');
        await ledger.requestCatchUp({ ...asked, channels: ['C1', 'C2'], now: 1_000 });
        expect(await claimReading()).toMatchObject({ channel: 'C2' });
        expect(await claimReading({ token: 'r2' })).toBeUndefined();
      });

      it('begins with a listing that was cut off', async () => {
        await ledger.beginCatchUps(asked.begunTs);
        await ledger.requestCatchUp({ ...asked, begunTs: '1700000100.000000', now: 1_000 });
        expect(await claimReading()).toMatchObject({ channel: 'C1', since: asked.begunTs });
      });

      it('reads a channel from the listing that it was new to, and a newer one from the one before', async () => {
        await ledger.requestCatchUp({ ...asked, now: 1_000 });
        expect(await ledger.catchUpSince(NEW)).toBe(asked.begunTs);
        await ledger.beginRun(2_000);
        const later = { ...asked, channels: ['C1', 'C2'], begunTs: '1700000100.000000' };
        await ledger.requestCatchUp({ ...later, now: 2_000 });
        await ledger.requestCatchUp({ ...later, begunTs: '1700000200.000000', now: 2_000 });
        const readings = [await claimReading(), await claimReading({ token: 'r2' })];
        expect(readings).toMatchObject([
          { channel: 'C1' },
          { channel: 'C2', since: asked.begunTs },
        ]);
        expect(await ledger.findConfirmed({ team: 'T1', channel: 'C1' })).toBe(asked.begunTs);
        expect(await ledger.findConfirmed({ team: 'T1', channel: 'C2' })).toBeNull();
        expect(await ledger.catchUpSince(NEW)).toBe('1700000200.000000');
        expect(await ledger.catchUpSince({ team: 'T1', channel: 'C2' })).toBe(asked.begunTs);
      });

      it('takes a listing of the linked channels alone for none of the others', async () => {
        await ledger.requestCatchUp({ ...asked, now: 1_000 });
        const linked = { ...asked, all: false, begunTs: '1700000100.000000' };
        await ledger.requestCatchUp({ ...linked, now: 2_000 });
        expect(await ledger.catchUpSince(NEW)).toBe(asked.begunTs);
      });

      it('is for one at a time, and again for what was asked for since it began', async () => {
        await ledger.requestCatchUp({ ...asked, now: 1_000 });
        await ledger.requestCatchUp({ ...asked, now: 1_500 });
        const reading = await claimReading();
        await ledger.requestCatchUp({ ...asked, now: 3_000 });
        expect(await claimReading({ now: 3_000, token: 'r2' })).toBeUndefined();
        await ledger.finishCatchUp({ id: reading?.id ?? 0, token: 'r1' }, 2_000);
        expect(await ledger.nextReading('catch-up')).toBe(3_000);
        const again = await claimReading({ now: 3_000, token: 'r2' });
        await ledger.finishCatchUp({ id: again?.id ?? 0, token: 'r2' }, 3_000);
        expect(await ledger.nextReading('catch-up')).toBeNull();
      });

      it('goes to another when the lease has run out, and the first one can record nothing', async () => {
        await ledger.requestCatchUp({ ...asked, now: 1_000 });
        await ledger.requestCatchUp({ ...asked, now: 1_000 });
        const claim = { id: (await claimReading())?.id ?? 0, token: 'r1' };
        await ledger.sweepLeases('readings', { now: 62_000 });
        expect(await claimReading({ now: 62_000, token: 'r2' })).toBeDefined();
        const missed = { team: 'T1', channel: 'C1', shares: [share()], destination, now: 62_000 };
        await expect(ledger.recordMissed(claim, missed)).rejects.toMatchObject({
          code: 'LEASE_LOST',
        });
        await ledger.finishCatchUp(claim, 2_000);
        expect(await ledger.nextReading('catch-up')).not.toBeNull();
      });

      it('takes times of this century, of a lease and of what was asked for since', async () => {
        const now = 1_800_000_000_000;
        await ledger.requestCatchUp({ ...asked, now });
        await ledger.requestCatchUp({ ...asked, now });
        const reading = await claimReading({ now, until: now + 60_000 });
        await ledger.requestCatchUp({ ...asked, now: now + 5 });
        await ledger.finishCatchUp({ id: reading?.id ?? 0, token: 'r1' }, now);
        expect(await ledger.nextReading('catch-up')).toBe(now + 5);
      });
    });

    describe('what hardly fits', () => {
      it('is recorded, and once: a share of 3,000 files', async () => {
        const files = Array.from({ length: 3_000 }, (_, n) => sharedFile({ id: `F${n}` }));
        const { shareId, transfers } = await record({ files });
        expect(transfers).toBe(3_000);
        const ids = (await ledger.transfersOfShare(shareId)).map(({ file }) => file.id);
        expect(ids).toEqual(files.map(({ id }) => id));
        expect(await record({ files })).toEqual({ shareId, transfers: 0 });
      });

      it('is recorded, and once: text that no database takes as it is', async () => {
        const long = 'x'.repeat(50_000);
        const ids = ['F\0', 'F\ud800', `F${long}`, `F${long}y`];
        const files = ids.map((id) => sharedFile({ id, name: 'a\0b\ud800.pdf', title: '\0' }));
        const odd = { userId: 'U1\0', threadTs: '1\0', files };
        const { shareId, transfers } = await record(odd);
        expect(transfers).toBe(4);
        const recorded = await ledger.transfersOfShare(shareId);
        expect(recorded.map(({ file }) => file.id)).toEqual(ids);
        expect(recorded.map(({ userId }) => userId)).not.toContain('U1');
        expect(await record(odd)).toEqual({ shareId, transfers: 0 });
      });
    });

    describe('what no event brought', () => {
      const one = share({ ts: '1700000001.000000' });
      const two = share({
        ts: '1700000002.000000',
        files: [sharedFile(), sharedFile({ id: 'F2' })],
      });
      const missed = { team: 'T1', channel: 'C1', destination, now: 1_000 };
      const held = () => heldCatchUp(ledger, missed);
      const due = { now: 10_000, until: 20_000, token: 'r' };

      it('is recorded with one report, which is due', async () => {
        await record({ ts: one.ts });
        expect(await ledger.recordMissed(await held(), { ...missed, shares: [one, two] })).toEqual({
          files: 2,
          unrecordable: [],
        });
        const report = await ledger.claimReport(due);
        expect(report).toMatchObject({ kind: 'catch-up', channel: 'C1', startedBy: null });
        expect(await ledger.countReport(report?.id ?? 0)).toEqual({ recorded: 2 });
      });

      it('is recorded whole or not at all', async () => {
        const broken = share({ files: [sharedFile({ id: JSON.parse('null') })] });
        const shares = [one, two, broken];
        const claim = await held();
        await expect(ledger.recordMissed(claim, { ...missed, shares })).rejects.toMatchObject({
          name: 'LedgerError',
        });
        expect(await ledger.claimReport(due)).toBeUndefined();
        expect(await ledger.knownShares(missed, [one.ts, two.ts])).toEqual(new Set());
      });
    });

    it('says whether it can be written', async () => {
      await expect(ledger.check()).resolves.toBeUndefined();
    });
  });
}

import { folderNumber } from '../../src/core/index.ts';
import type { Claim, Ledger } from '../../src/ledger/index.ts';
import {
  DESTINATION as destination,
  fileRecord,
  folderLink,
  recording,
  share,
  sharedFile,
} from '../support/builders.ts';
import { claimFiles, claimNext, createNext } from '../support/claim-next.ts';

/**
 * Runs one path on an empty ledger to its end; rejects if it stops early. Statements within `aside`
 * set up the path and do not count.
 */
export type HotPath = (ledger: Ledger, aside: Aside) => Promise<unknown>;
export type Aside = <T>(make: () => Promise<T>) => Promise<T>;

const elsewhere = { projectId: 1, folderId: 3 };
const channel = { team: 'T1', channel: 'C1' };
const lease = { now: 1, until: 2, token: 't' };
const due = { ...lease, afterQueue: '', largest: null };
/** Long past, so that its create is claimed before any upload. */
const upload = {
  ...{ projectId: destination.projectId, attachmentId: 1, byteSize: 1 },
  ...{ serviceTime: 1, now: -90_000 },
};
const gone = { code: 'DESTINATION_GONE', note: null } as const;

/** Resolves as `made` does; rejects when that is null, undefined, false or 0. */
async function done<T>(made: Promise<T>): Promise<NonNullable<T>> {
  const outcome = await made;
  const isNothing = outcome === false || outcome === 0;
  if (outcome === null || outcome === undefined || isNothing) throw new Error('Nothing was done');
  return outcome;
}

const record = (ledger: Ledger, ts = '1') =>
  ledger.recordShare(recording({ ts, userId: 'U1' }, { now: 1 }));

async function held(ledger: Ledger): Promise<Claim> {
  await record(ledger);
  return { id: (await done(claimNext(ledger, lease))).id, token: lease.token };
}

async function uploaded(ledger: Ledger): Promise<Claim> {
  const claim = await held(ledger);
  await ledger.markUploaded(claim, upload);
  return claim;
}

async function creating(ledger: Ledger): Promise<Claim> {
  await record(ledger);
  return createNext(ledger, lease);
}

/** Has one file open its folder's hold while another waits. */
async function opened(ledger: Ledger): Promise<void> {
  await ledger.setLink(channel, folderLink());
  await record(ledger, '2');
  const claim = await held(ledger);
  const refused = { scope: folderNumber(destination), problem: gone, reason: gone.code };
  await ledger.openHold({ ...refused, claim, now: 1, scale: 1 });
}

export const hotPaths: Record<string, HotPath> = {
  'record a share': (ledger) => record(ledger),
  'record it again': async (ledger, aside) => {
    await aside(() => record(ledger));
    await record(ledger);
  },
  'record a share in a channel without a folder': (ledger) =>
    ledger.recordShare(recording({ ts: '1' }, { destination: null, now: 1 })),
  'read a folder': async (ledger) => {
    const { id, counter: asked } = await ledger.beginReading(destination, 1);
    await ledger.applyListed(id, { records: [fileRecord({ id: 7 })], asked });
    await ledger.liveNumbers(id, { after: 0, limit: 9 });
    await ledger.markMissing(id, { numbers: [7], asked, now: 1 });
    await ledger.noteDeleted(destination, { number: 7, now: 1 });
  },
  'show a folder': async (ledger, aside) => {
    const { id } = await aside(() => ledger.beginReading(destination, 1));
    const after = { id: 7, createdAt: 1 };
    await ledger.newestRecords(id, { limit: 9, offset: 9, after, words: ['plan'] });
    await ledger.countRecords(id);
    await ledger.countRecords(id, { below: 7 });
    await ledger.recordsNumbered(id, [7]);
    await ledger.recordsSeenAfter(id, 7);
  },
  'record what was deleted': async (ledger, aside) => {
    await aside(() => record(ledger, '7'));
    await ledger.recordDeletions([{ team: 'T1', fileId: 'F7' }], 1);
    await ledger.recordDeletions([{ team: 'T1', channel: 'C1', ts: '7' }], 1);
  },
  'see to what was deleted': async (ledger, aside) => {
    await aside(() => ledger.recordDeletions([{ team: 'T1', fileId: 'F7' }], -9_000));
    await done(ledger.claimRow('deletion', lease));
    await ledger.nextDue('deletion');
    await ledger.deletedFiles({ team: 'T1', what: 'F7' });
    await ledger.deletedFiles({ team: 'T1', what: 'C1/7' });
  },
  claim: async (ledger, aside) => {
    await aside(() => record(ledger));
    await done(ledger.claimFiling(due));
  },
  'claim with a large file': async (ledger, aside) => {
    await aside(() =>
      ledger.recordShare(recording({ files: [sharedFile({ size: 1 })] }, { now: 1 })),
    );
    await done(ledger.claimFiling({ ...due, largest: 1 }));
  },
  'announce creates': async (ledger, aside) => {
    await aside(() => uploaded(ledger));
    await done(claimFiles(ledger, due).then(({ length }) => length));
  },
  'claim a look': async (ledger, aside) => {
    const claim = await aside(() => creating(ledger));
    await ledger.endJob(claim, { dueAt: 1 });
    await done(claimFiles(ledger, due).then(({ length }) => length));
  },
  'next filing': (ledger) => ledger.nextFiling({ largest: null }),
  'next of each kind': async (ledger) => {
    for (const kind of ['folder', 'message', 'catch-up', 'backfill'] as const)
      await ledger.nextDue(kind);
  },
  'claim a catch-up': (ledger) => ledger.claimRow('catch-up', lease),
  'claim a backfill': (ledger) => ledger.claimRow('backfill', lease),
  'count active': (ledger) => ledger.countActive(),
  'count refused': (ledger) => ledger.countRefused(),
  'renew leases': (ledger) => ledger.renewLeases({ tokens: ['t'], until: 9 }),
  'sweep leases': (ledger) => ledger.sweepLeases(['upload', 'folder'], { now: 1 }),
  'mark uploaded': async (ledger, aside) => {
    const claim = await aside(() => held(ledger));
    await ledger.markUploaded(claim, upload);
  },
  'mark absent': async (ledger, aside) => {
    const claim = await aside(() => creating(ledger));
    await ledger.markAbsent(claim);
  },
  'mark filed': async (ledger, aside) => {
    const claim = await aside(() => creating(ledger));
    await ledger.markFiled({ claim, recordId: 1, now: 1 });
  },
  'mark created': async (ledger, aside) => {
    const claim = await aside(() => creating(ledger));
    await ledger.markCreated(claim, 1);
  },
  'records of channels': (ledger) =>
    ledger.recordsOfChannels({ team: 'T1', channels: ['C1', 'C2'] }, destination),
  'filed records': (ledger) => ledger.everFiledAs(destination, [1, 2]),
  'begin a delete': (ledger) => ledger.beginDelete(1, { deletedBy: 'U1', now: 1 }),
  'begun deletes': (ledger) => ledger.begunDeletes(destination, 1),
  'open creates': (ledger) => ledger.openCreates(destination),
  'records of open creates': async (ledger, aside) => {
    const { id } = await aside(() => ledger.beginReading(destination, 1));
    const sent = { creatingSince: 1, uploadedAt: 1, answeredAt: null, serviceTime: null };
    const open = [{ ...sent, name: 'a', byteSize: 1, lastRecord: 7 }];
    await ledger.unheldRecords(destination, { id, open });
  },
  'free a record': (ledger) =>
    ledger.freeRecord(destination, {
      ...{ record: { id: 1, name: 'a', byteSize: 1 }, own: { name: 'a', byteSize: 1 }, now: 1 },
    }),
  'known creators': (ledger) => ledger.knownCreators(),
  'claim a message': (ledger) => ledger.claimMessage(lease),
  'find a message': (ledger) => ledger.findMessage({ kind: 'share', about: 1 }),
  'open lines': (ledger) => ledger.makeOpenLinesDue(1),
  'files of a share': (ledger) => ledger.transfersOfShare(1),
  'first parked': (ledger) => ledger.isFirstParked(channel, { transferId: 9, userId: 'U1' }),
  'parked files': (ledger) => ledger.countParked(channel),
  'parked files of the past': (ledger) => ledger.countParked(channel, 'past'),
  'waiting files': (ledger) => ledger.countWaiting(channel, destination),
  'retry elsewhere': async (ledger, aside) => {
    await aside(async () => ledger.markRefused(await held(ledger), { problem: gone, now: 1 }));
    const [share] = await ledger.sharesRefusedFor(channel, destination);
    await done(ledger.retryShare(share?.id ?? 0, { to: elsewhere, now: 1 }));
    await done(ledger.countWaiting(channel, elsewhere));
  },
  'move waiting': async (ledger, aside) => {
    await aside(() => record(ledger));
    await done(ledger.moveWaiting(channel, { from: destination, to: elsewhere, now: 1 }));
  },
  'record a share under a hold': async (ledger, aside) => {
    await aside(() => opened(ledger));
    await record(ledger, '3');
  },
  'link of a channel': (ledger) => ledger.findLink(channel),
  'settings of a channel': async (ledger) => {
    await ledger.setLink(channel, folderLink());
    await ledger.wantsLines(channel);
    await done(ledger.setLines(channel, true));
    await ledger.findBookmark(channel);
    await done(ledger.noteBookmark(channel, { was: null, bookmarkId: 'Bk1' }));
  },
  'forget a deletion of a file': (ledger) =>
    ledger.withdrawDeletion({ token: 't' }, { team: 'T1', what: 'F1' }),
  'forget a deletion of a message': (ledger) =>
    ledger.withdrawDeletion({ token: 't' }, { team: 'T1', what: 'C1/1' }),
  'what needs attention': (ledger) => ledger.listTroubles({ team: 'T1', userId: 'U1' }),
  'what needs attention in some channels': (ledger) =>
    ledger.listTroubles({ team: 'T1', userId: 'U1' }, ['C1', 'C2']),
  'files in hand': (ledger) => ledger.countInHand('T1'),
  'what needs attention in a channel': (ledger) => ledger.troubledShares(channel),
  'leave what needs attention': async (ledger, aside) => {
    await aside(async () => ledger.markRefused(await held(ledger), { problem: gone, now: 1 }));
    await done(ledger.leaveTroubled(channel, { parkedToo: true, now: 1 }));
  },
  'file what was left of a share': async (ledger, aside) => {
    const { shareId: id } = await aside(() =>
      ledger.recordShare(recording({ ts: '1' }, { destination: null, now: 1 })),
    );
    await done(ledger.fileShare({ ...channel, id }, { destination, now: 1 }));
  },
  'recent files of a person': (ledger) => ledger.recentFiles({ team: 'T1', userId: 'U1' }, 10),
  'look for what others add': async (ledger) => {
    await done(ledger.setWatched(channel, { on: true, now: 0 }));
    await ledger.nextDue('watch');
    await done(ledger.claimRow('watch', lease));
    await ledger.takeAnnounceRequest({ now: 1, everyMs: 1 });
    await ledger.unidentifiedIn(destination);
  },
  'shares of a message': (ledger) => ledger.sharesOf({ ...channel, ts: '1' }),
  'last saved to': (ledger) => ledger.lastSavedTo({ team: 'T1', userId: 'U1' }),
  'saved folders': (ledger) => ledger.savedFolders('T1', ['C1', 'C2']),
  'known files': (ledger) => ledger.unknownFiles(channel, [share({ ts: '1' }), share({ ts: '2' })]),
};

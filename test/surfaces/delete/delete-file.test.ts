import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger, systemRandom } from '../../../src/base/index.ts';
import type { Claim, Ledger, ShareRow, Transfer } from '../../../src/ledger/index.ts';
import { notSent } from '../../../src/service/errors.ts';
import { type CallOptions, type FileRecord, ServiceError } from '../../../src/service/index.ts';
import { settleOpenCreates } from '../../../src/surfaces/delete/delete-file.ts';
import { deleteCopies, keepCopies } from '../../../src/surfaces/deleted-in-slack/choose-copies.ts';
import type { Asked } from '../../../src/surfaces/kit/answer.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { fileRecord, recording } from '../../support/builders.ts';
import { createNext } from '../../support/claim-next.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { foldersInMemory } from '../../support/folders-in-memory.ts';
import { openEmptyLedger } from '../../support/open-empty-ledger.ts';

const clock = createFakeClock();
const destination = { projectId: 1, folderId: 2 };
const record = fileRecord({ id: 70, createdAt: clock.now(), creatorId: 7 });

let ledger: Ledger;
let shareId: number;
let open: Claim;
/** Settles open creates before a record is deleted that its folder shows, beside others. */
const settle = async (
  changes: Partial<FileRecord>,
  { creators = new Set([7]), others = [] as FileRecord[] } = {},
) => {
  const own = { ...record, ...changes };
  const { id, counter } = await ledger.beginReading(destination, clock.now());
  await ledger.applyListed(id, { records: [own, ...others], asked: counter });
  const reading = { folder: id, complete: true, unreadable: 0, serviceTime: null, fetchedAt: 0 };
  const folders: Partial<SurfaceContext['folders']> = { read: async () => reading };
  const context = { ...contextOf({ creators }), folders, wake: () => {} };
  return settleOpenCreates(
    asked,
    { folder: destination, record: own },
    context as Partial<SurfaceContext> as SurfaceContext,
  );
};
const contextOf = (service: Partial<SurfaceContext['service']>) =>
  ({ ledger, service, clock, logger: silentLogger }) as Partial<SurfaceContext> as SurfaceContext;

describe('a create without an answer', () => {
  beforeEach(async () => {
    const now = clock.now();
    ledger = await openEmptyLedger(now);
    shareId = (await ledger.recordShare(recording({}, { now }))).shareId;
    open = await createNext(ledger, { now, token: 't' });
  });
  afterEach(() => ledger.close());

  it('is marked as filed with the record that it left', async () => {
    await settle({});
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([
      { state: 'filed', recordId: 70 },
    ]);
  });

  it('stays open when its own record is another one', async () => {
    await settle({ id: 71 }, { others: [record] });
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'creating' }]);
    await settle({}, { others: [{ ...record, id: 71 }] });
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([
      { state: 'filed', recordId: 70 },
    ]);
  });

  it('is settled only by a record of a creator that the client or the ledger knows', async () => {
    const now = clock.now();
    const other = recording(
      { ts: '1700000001.000100' },
      { now, destination: { ...destination, folderId: 3 } },
    );
    await ledger.recordShare(other);
    const claim = await createNext(ledger, { now, token: 'u' });
    await ledger.markFiled({ claim, recordId: 71, recordCreator: 7, now });
    await settle({ creatorId: 8 }, { creators: new Set() });
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'creating' }]);
    // The key may belong to another user by now: the client names creator 9, the ledger still 7.
    await settle({}, { creators: new Set([9]) });
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'filed' }]);
  });

  it.each<[string, Partial<FileRecord>]>([
    ['another name', { name: 'file-70.pdf' }],
    ['a creation time before the create', { createdAt: clock.now() - 10 * 60_000 }],
  ])('is refused as RECORD_UNCLEAR before a record with %s is deleted', async (_what, changes) => {
    await settle(changes);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([
      { state: 'refused', refusedIn: 'creating', problem: 'RECORD_UNCLEAR' },
    ]);
  });

  it('is refused as RECORD_UNCLEAR if a filed transfer of its name and size has no known record', async () => {
    const now = clock.now();
    await ledger.markFiled({ claim: open, recordId: null, now });
    const later = await ledger.recordShare(recording({ ts: '1700000001.000100' }, { now }));
    await createNext(ledger, { now, token: 'u' });
    await settle({});
    expect(await ledger.transfersOfShare(later.shareId)).toMatchObject([
      { state: 'refused', refusedIn: 'creating', problem: 'RECORD_UNCLEAR' },
    ]);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'filed' }]);
  });

  it.each<[string, Partial<FileRecord>]>([
    ['another size', { byteSize: 11 }],
    ['another creator', { creatorId: 8 }],
  ])('stays open when a record with %s is deleted', async (_what, changes) => {
    await settle(changes);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'creating' }]);
  });
});

const asked: Asked = {
  ...{ team: 'T1', channel: 'C1', userId: 'U1', role: 'member', linkBy: 'admins' },
  call: { lane: 'interactive' },
};
/** The shares of one message: its own, one that its sharer U1 saved, and one that U9 saved. */
const SHARES = [null, 'U1', 'U9'].map(
  (savedBy, nth) =>
    ({
      ...{ id: nth + 1, team: 'T1', channel: 'C1', userId: 'U1', savedBy },
    }) as Partial<ShareRow> as ShareRow,
);

const copy = (name: string, given: Partial<Transfer> = {}): Transfer =>
  ({
    ...{
      name,
      slackFileId: name,
      shareId: 1,
      userId: 'U1',
      state: 'filed',
      askedAt: 5,
      recordId: 1,
      byteSize: 10,
    },
    destination: { projectId: 1, folderId: 2 },
    ...given,
  }) as Partial<Transfer> as Transfer;

const names: Partial<SurfaceContext['names']> = {
  nameFolder: async (folder) => ({ projectTitle: null, folderName: null, ...folder }),
};

/** Presses Keep for the first share, with `elsewhere` as the channel in its value. */
async function pressKeep(
  copies: readonly Transfer[],
  press: Partial<Asked> = {},
  elsewhere?: string,
): Promise<string> {
  const ledger: Partial<SurfaceContext['ledger']> = {
    findShareById: async (id) => SHARES.find((share) => share.id === id),
    sharesOf: async () => SHARES,
    transfersOfShare: async (id) => copies.filter(({ shareId }) => shareId === id),
    findLink: async () => null,
  };
  const context = { ledger, names } as Partial<SurfaceContext> as SurfaceContext;
  const claim = { shareId: 1, askedAt: 5, channel: elsewhere };
  return (await keepCopies({ ...asked, ...press }, claim, context)).text;
}

it.each<[string, Partial<Transfer>, boolean]>([
  ['covers a copy in another folder that was asked about at the same time', { shareId: 2 }, true],
  ['leaves out a copy that another person saved', { shareId: 3 }, false],
  ['leaves out a copy that was asked about at another time', { shareId: 2, askedAt: 9 }, false],
  [
    'leaves out another file of the share that was asked about at another time',
    { askedAt: 9 },
    false,
  ],
  ['leaves out a copy that nobody was asked about', { shareId: 2, askedAt: null }, false],
  ['leaves out a copy of another sharer', { shareId: 2, userId: 'U2' }, false],
  ['leaves out a copy that is deleted', { shareId: 2, state: 'deleted' }, false],
])('Keep %s', async (_what, given, isCovered) => {
  const said = await pressKeep([copy('own.pdf'), copy('other.pdf', given)]);
  expect(said).toContain('own.pdf');
  expect(said.includes('other.pdf')).toBe(isCovered);
});

it.each<[string, Partial<Asked>, string | undefined, boolean]>([
  ['accepts the sharer if its value names the channel of the share', {}, 'C1', true],
  ['refuses the sharer if its value names no channel', {}, undefined, false],
  ['refuses the sharer if its value names another channel', {}, 'C2', false],
  ['refuses another person', { userId: 'U2' }, 'C1', false],
])('Keep in a direct message %s', async (_who, by, channel, isAccepted) => {
  const said = await pressKeep([copy('own.pdf')], { ...by, channel: 'D1' }, channel);
  expect(said.includes('own.pdf')).toBe(isAccepted);
});

/** What the ledger knows of a filed copy, beside its transfer. */
const FILED = {
  ...{ team: 'T1', channel: 'C1', ts: '1', threadTs: null, slackFileId: 'F1', userId: 'U1' },
  ...{
    shareId: 1,
    savedBy: null,
    name: '',
    byteSize: 10,
    state: 'filed' as const,
    recordCreator: null,
  },
};

type Begun = [transfer: number, by: string | null, at: number];

/**
 * Presses Delete for these copies; `refuse` returns why the nth is not deleted, null if it is.
 * `begun` gets who is recorded as having begun to delete each, and when.
 */
async function pressDelete(
  files: readonly string[],
  refuse: (nth: number, call: CallOptions) => ServiceError | null | Promise<ServiceError | null>,
  begun: Begun[] = [],
): Promise<string> {
  const copies = files.map((name, nth) => copy(name, { recordId: nth }));
  const ledger: Partial<SurfaceContext['ledger']> = {
    findShareById: async () => SHARES[0],
    sharesOf: async () => SHARES.slice(0, 1),
    transfersOfShare: async () => copies,
    everFiledAs: async () => new Map(),
    filedRecords: async (_folder, [one]) =>
      new Map(one ? [[one.id, { ...FILED, transferId: one.id }]] : []),
    markDeleted: async () => undefined,
    beginDelete: async (id, { deletedBy, now }) => void begun.push([id, deletedBy, now]),
    findLink: async () => null,
  };
  const records = files.map((name, id) => fileRecord({ id, name }));
  const list = { complete: true, unreadable: 0, serviceTime: null, fetchedAt: clock.now() };
  const { folders, mirror } = foldersInMemory(async () => ({ ...list, files: records }));
  const service: Partial<SurfaceContext['service']> = {
    deleteFile: async (_folder, nth, call) => {
      const error = await refuse(nth, call);
      if (error) throw error;
      return 'deleted';
    },
  };
  const context = {
    ...{ ledger: { ...ledger, ...mirror }, service, folders, names, clock },
    ...{ logger: silentLogger, random: systemRandom },
    wakeNotifier: () => {},
    operator: null,
    linkBy: 'admins',
  } as Partial<SurfaceContext> as SurfaceContext;
  return (await deleteCopies(asked, { shareId: 1, askedAt: 5 }, context)).text;
}

it('Delete is not left half done when others take the slots of people', async () => {
  const noSlot = (nth: number, { lane }: CallOptions) =>
    nth > 0 && lane === 'interactive' ? notSent('SERVICE_RATE_LIMITED', 'no slot', 0) : null;
  expect(await pressDelete(['a.pdf', 'b.pdf', 'c.pdf'], noSlot)).toMatch(
    /^Deleted a\.pdf, b\.pdf, c\.pdf from /,
  );
});

it.each<[string, ServiceError['code'], ServiceError['retry'], string | null]>([
  ['is forgotten once the service has refused it', 'SERVICE_FORBIDDEN', 'never', null],
  ['is recorded anew when it has no answer', 'SERVICE_TIMEOUT', 'later', 'U1'],
])('Who presses Delete %s', async (_what, code, retry, deletedBy) => {
  const begun: Begun[] = [];
  const begunAt = clock.now();
  const refuse = async () => {
    await clock.advance(20_000);
    return new ServiceError(code, 'no', { retry, sent: 'yes' });
  };
  await pressDelete(['a.pdf'], refuse, begun).catch(() => undefined);
  expect(begun).toEqual([
    [0, 'U1', begunAt],
    [0, deletedBy, begunAt + 20_000],
  ]);
});

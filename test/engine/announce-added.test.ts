import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { announcing, findAdded } from '../../src/engine/announce-added.ts';
import { type EngineContext, JobLoop } from '../../src/engine/index.ts';
import { type Ledger, type Report, readAdded } from '../../src/ledger/index.ts';
import { createFolderReader, type FileRecord, ServiceError } from '../../src/service/index.ts';
import { createPaging } from '../../src/service/list.ts';
import { DESTINATION, fileRecord, recording, sharedFile } from '../support/builders.ts';
import { claimReport, endFolder, holdMessage, holdNext } from '../support/claim-next.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { contextOf, type GivenContext } from './context-of.ts';

const MINUTE = 60_000;
const RATE = { requests: 25, windowMs: 10_000 };
const LEASE_MS = 60_000;
const folder = { projectId: 1, folderId: 2 };
const channel = (nth = 1) => ({ team: 'T1', channel: `C${nth}` });

let ledger: Ledger;
let clock: FakeClock;
let loops: JobLoop[];
/** The files in each folder, by the folder's id. */
let folders: Map<number, FileRecord[]>;
let requests: { at: number; folderId: number }[];
let failure: Error | null;
let complete: boolean;
/** Whether the bot is in the channels. */
let isIn: boolean;
beforeEach(async () => {
  clock = createFakeClock();
  ledger = await openEmptyLedger(clock.now());
  await ledger.beginRun(clock.now());
  [loops, folders, requests, failure, complete] = [[], new Map(), [], null, true];
  isIn = true;
});
afterEach(async () => {
  await Promise.all(loops.map((loop) => loop.stop(0)));
  await ledger.close();
});

const file = (id: number, given: Partial<FileRecord> = {}): FileRecord =>
  fileRecord({ id, name: `${id}.pdf`, byteSize: 1_000 + id, ...given });

/** Lists a folder with one request for each hundred files. */
const pagesOf: EngineContext['service']['pagesOf'] = ({ folderId }, options) => ({
  paging: createPaging(),
  readPage: async (start) => {
    await options.turn?.(options.signal);
    requests.push({ at: clock.now(), folderId });
    if (failure) throw failure;
    const entries = (folders.get(folderId) ?? []).slice(start ?? 0, (start ?? 0) + 100);
    return { entries, whole: complete, serviceTime: null, askedAt: clock.now() };
  },
});

const people = { records: [{ id: 9, name: 'Maya Chen' }], complete: true };

function contextWith(others: GivenContext = {}): EngineContext {
  const names = { isFolderListed: async () => true };
  const logger = silentLogger;
  return contextOf({
    ...{ ledger, clock, rateLimit: RATE },
    folders: createFolderReader({ mirror: ledger, pagesOf, names, clock, logger }),
    workspace: { isIn: async () => isIn },
    names: {
      people: async () => ({ list: people, fetchedAt: clock.now() }),
      folders: async () => ({ list: null, fetchedAt: clock.now() }),
    },
    findDestination: async (ref) => {
      const link = await ledger.findLink(ref);
      return link && { ...link, isDefault: false };
    },
    ...others,
  });
}

async function watch(nth = 1, folderId = folder.folderId, files: FileRecord[] = []): Promise<void> {
  folders.set(folderId, files);
  const names = { projectTitle: null, folderName: 'Logos' };
  const link = { projectId: 1, folderId, ...names, linkedBy: 'U1' };
  await ledger.setLink(channel(nth), { ...link, linkedAt: clock.now() });
  await ledger.setWatched(channel(nth), { on: true, now: clock.now() });
}

const { id: ids } = seededRandom(1);
function start(others: GivenContext = {}): void {
  const random = { fraction: () => 0.5, id: ids };
  const context = { ledger, clock, random, logger: silentLogger, leaseMs: LEASE_MS, pollMs: 5_000 };
  const loop = new JobLoop(context, [announcing(contextWith(others))]);
  loops.push(loop);
  loop.start();
}

/** Adds files to the folder as others would, and lets ten minutes pass. */
async function add(...files: FileRecord[]): Promise<void> {
  folders.get(folder.folderId)?.push(...files);
  await clock.advance(10 * MINUTE + 30_000);
}

let token = 0;
async function nextReport({ aheadMs = 0 } = {}): Promise<Report | undefined> {
  token += 1;
  const lease = { now: clock.now(), until: clock.now() + LEASE_MS, token: `r${token}` };
  const row = await claimReport(ledger, lease);
  if (!row) return undefined;
  const message = { kind: 'report', about: row.id } as const;
  await ledger.beginPost(message, row.token);
  const done = { ts: `${(clock.now() + aheadMs) / 1_000}`, fingerprint: 'x' };
  const said = { token: row.token, againAt: null, failed: false };
  await ledger.endMessage(message, { ...said, now: clock.now(), done });
  return row;
}

/** Returns the announcements in order, and marks each as posted. */
async function told() {
  const all: (ReturnType<typeof readAdded> & { channel: string })[] = [];
  for (let row = await nextReport(); row; row = await nextReport()) {
    const added = readAdded(row);
    if (added) all.push({ ...added, channel: row.channel });
  }
  return all;
}

const namesAnnounced = async () => (await told()).map(({ files }) => files.map(({ name }) => name));

describe('announcing files that others added', () => {
  it('announces each file once, and none that the first look found', async () => {
    await watch(1, 2, [file(1), file(2)]);
    start();
    await clock.advance(MINUTE);
    expect(await told()).toEqual([]);
    await add(file(3, { url: 'https://acme.example/3' }), file(4));
    const files = [
      { name: '3.pdf', url: 'https://acme.example/3' },
      { name: '4.pdf', url: null },
    ];
    const common = { channel: 'C1', count: 2, by: null, folder };
    expect(await told()).toEqual([{ ...common, files }]);
    await add();
    expect(await told()).toEqual([]);
  });

  it('names at most ten files, and the person if one person added them all', async () => {
    await watch();
    start();
    await clock.advance(MINUTE);
    const many = Array.from({ length: 3_000 }, (_, index) => file(index + 1, { creatorId: 9 }));
    await add(...many);
    await clock.advance(5 * MINUTE);
    const [first] = await told();
    expect(first).toMatchObject({ count: 3_000, by: 'Maya Chen' });
    expect(first?.files).toHaveLength(10);
    folders.set(folder.folderId, []);
    await add(file(9_000, { creatorId: 9 }), file(9_001, { creatorId: 8 }));
    expect(await told()).toMatchObject([{ count: 2, by: null }]);
    await add(file(9_002, { creatorId: 7 }));
    expect(await told()).toMatchObject([{ count: 1, by: null }]);
  });

  it('announces the files without a person when people cannot be listed', async () => {
    await watch();
    const { names } = contextWith();
    start({ names: { ...names, people: () => Promise.reject(new Error('down')) } });
    await clock.advance(MINUTE);
    await add(file(1, { creatorId: 9 }));
    expect(await told()).toMatchObject([{ count: 1, by: null }]);
  });

  it('leaves out files that Pigeonhole filed or may have filed', async () => {
    await watch();
    start();
    await clock.advance(MINUTE);
    const hold = () => {
      const lease = { now: clock.now() + 99_000, until: clock.now() + 999_000 };
      return holdNext(ledger, { ...lease, token: `${++token}` });
    };
    let isHeld = false;
    const make = async (nth: number) => {
      const files = [sharedFile({ id: `F${nth}`, name: `ours ${nth}.pdf` })];
      await ledger.recordShare(recording({ ts: `${nth}`, files }, { now: clock.now() }));
      const { projectId } = DESTINATION;
      const upload = { projectId, attachmentId: nth, byteSize: nth, serviceTime: null };
      await ledger.markUploaded(await hold(), { ...upload, now: clock.now() - 99_000 });
      if (isHeld) await endFolder(ledger, clock.now());
      isHeld = true;
      return hold();
    };
    const now = clock.now();
    await ledger.markFiled({ claim: await make(1), recordId: 501, now });
    await ledger.markFiled({ claim: await make(2), recordId: null, now });
    for (const [nth, recordId] of [
      [5, 506],
      [6, 507],
      [7, 508],
    ] as const)
      await ledger.markFiled({ claim: await make(nth), recordId, recordCreator: 1, now });
    const [gone] = await ledger.transfersOfShare(3);
    await ledger.markDeleted(gone?.id ?? 0, { deletedBy: 'U1', now });
    const refused = await make(4);
    const problem = { code: 'RECORD_SIZE_MISMATCH' as const, note: null };
    await ledger.markRefused(refused, { problem, now });
    await make(3);
    const ours = [
      file(501, { name: 'ours 1.pdf' }),
      file(502, { name: 'ours 2 (1).pdf', byteSize: null }),
      file(503, { name: 'renamed.pdf', byteSize: 3 }),
      file(504, { name: 'ours 4.pdf', byteSize: 77 }),
    ];
    // A record's number may come back for another file, once its own is deleted.
    const again = [
      file(506, { name: 'theirs too.pdf', byteSize: 5, creatorId: 1 }),
      file(507, { name: 'theirs as well.pdf', byteSize: 6, creatorId: 9 }),
    ];
    const renamed = file(508, { name: 'renamed too.pdf', byteSize: 7, creatorId: 1 });
    await add(...ours, file(505, { name: 'theirs.pdf' }), ...again, renamed);
    expect((await namesAnnounced()).flat().toSorted()).toEqual([
      'theirs as well.pdf',
      'theirs too.pdf',
      'theirs.pdf',
    ]);
  });

  it('waits for a complete list, so that files missing from a partial one are not announced', async () => {
    await watch(1, 2, [file(2)]);
    complete = false;
    start();
    await clock.advance(MINUTE);
    complete = true;
    await add(file(1), file(3));
    await add();
    expect(await told()).toEqual([]);
    complete = false;
    await add(file(4));
    expect(await told()).toEqual([]);
    complete = true;
    await add();
    await add();
    expect(await namesAnnounced()).toEqual([['4.pdf']]);
  });

  it('announces the files once the service answers again, and asks less often the longer it fails', async () => {
    await watch();
    start();
    await clock.advance(MINUTE);
    failure = new ServiceError('SERVICE_FAILED', 'down', { retry: 'later', sent: 'yes' });
    const before = requests.length;
    await add(file(1));
    await clock.advance(2 * 60 * MINUTE);
    // After 10, 30 and 70 minutes.
    expect(requests.length - before).toBe(3);
    failure = null;
    await clock.advance(2 * 60 * MINUTE);
    expect(await namesAnnounced()).toEqual([['1.pdf']]);
  });

  it('announces nothing for a folder that is gone, whatever the account lists instead', async () => {
    await watch();
    let there = true;
    const { names } = contextWith();
    const folders = async () => {
      const records = there
        ? [{ id: 2, name: 'Logos', level: 1, parentId: null, projectId: 1 }]
        : [];
      return { list: { records, complete: true }, fetchedAt: clock.now() };
    };
    start({ names: { ...names, folders } });
    await clock.advance(MINUTE);
    await add(file(1));
    expect(await namesAnnounced()).toEqual([['1.pdf']]);
    there = false;
    await add(file(2));
    expect(await told()).toEqual([]);
    there = true;
    await clock.advance(30 * MINUTE);
    expect(await namesAnnounced()).toEqual([['2.pdf']]);
  });

  it('announces nothing for the default folder, which holds other channels’ files', async () => {
    await watch();
    const names = { projectTitle: null, folderName: null };
    const findDestination = async () => ({ ...folder, ...names, isDefault: true });
    start({ findDestination });
    await clock.advance(MINUTE);
    await add(file(1));
    expect(requests).toEqual([]);
  });

  it('waits until ten minutes after the previous announcement was posted, however late that was', async () => {
    await watch();
    start();
    await clock.advance(MINUTE);
    await add(file(1));
    await add(file(2));
    // The first announcement is not posted yet, so no look is due for a second.
    await clock.advance(5 * MINUTE);
    expect(await namesAnnounced()).toEqual([['1.pdf']]);
    await clock.advance(9 * MINUTE);
    expect(await told()).toEqual([]);
    await clock.advance(2 * MINUTE);
    expect(await namesAnnounced()).toEqual([['2.pdf']]);
  });

  it('announces files also where our clock is far behind Slack’s', async () => {
    await watch();
    start();
    await clock.advance(MINUTE);
    await add(file(1));
    await nextReport({ aheadMs: 24 * 60 * MINUTE });
    await add(file(2));
    expect(await namesAnnounced()).toEqual([['2.pdf']]);
  });

  it('announces later files after an announcement that could never be posted', async () => {
    await watch();
    start();
    await clock.advance(MINUTE);
    await add(file(1));
    const lease = { now: clock.now(), until: clock.now() + LEASE_MS, token: 'given up' };
    const { kind, about } = await holdMessage(ledger, lease);
    const givenUp = { token: lease.token, againAt: null, failed: true };
    await ledger.endMessage({ kind, about }, { ...givenUp, now: clock.now() });
    await add(file(2));
    expect(await namesAnnounced()).toEqual([['2.pdf']]);
  });

  it('looks no further while the bot is not in the channel, and announces once it is', async () => {
    isIn = false;
    await watch(1, 2, [file(1)]);
    start();
    await clock.advance(MINUTE);
    await add(file(2));
    await add(file(3));
    expect(requests).toHaveLength(1);
    expect(await told()).toEqual([]);
    isIn = true;
    await add(file(4));
    expect(await namesAnnounced()).toEqual([['2.pdf', '3.pdf', '4.pdf']]);
  });

  it('announces a file once to each watching channel when two instances run', async () => {
    await watch(1);
    await watch(2);
    start();
    start();
    await clock.advance(MINUTE);
    await add(file(1));
    const all = await told();
    expect(all.map((one) => one.channel).sort()).toEqual(['C1', 'C2']);
  });
});

/** Returns the largest number of requests in any window of the rate limit. */
function mostInWindow(): number {
  const within = requests.map(
    ({ at: from }) => requests.filter(({ at }) => at >= from && at < from + RATE.windowMs).length,
  );
  return Math.max(...within);
}

describe('the requests for announcements', () => {
  it('use at most a twentieth of the limit in any window for forty channels', async () => {
    for (let nth = 1; nth <= 40; nth += 1) await watch(nth, 100 + nth, [file(nth)]);
    start();
    start();
    await clock.advance(10 * MINUTE - 1);
    expect(requests).toHaveLength(40);
    await clock.advance(10 * MINUTE);
    expect(requests.length).toBeGreaterThanOrEqual(75);
    expect(mostInWindow() / RATE.requests).toBeLessThanOrEqual(1 / 20);
  });

  it('stay one per window for a folder of 4,000 files, and delay no other channel', async () => {
    await watch(
      1,
      101,
      Array.from({ length: 4_000 }, (_, index) => file(index + 1)),
    );
    start();
    await clock.advance(MINUTE);
    await watch(2, 102, [file(1)]);
    await clock.advance(MINUTE);
    const of = (id: number) => requests.filter(({ folderId }) => folderId === id).length;
    expect([of(101), of(102)]).toEqual([expect.toSatisfy((count) => count < 40), 1]);
    await clock.advance(6 * MINUTE);
    expect([of(101), of(102)]).toEqual([42, 1]);
    expect(mostInWindow()).toBe(1);
  });

  it('delay no other channel for six folders of 4,000 files', async () => {
    const many = Array.from({ length: 4_000 }, (_, index) => file(index + 1));
    for (let nth = 1; nth <= 6; nth += 1) await watch(nth, 100 + nth, many);
    start();
    await clock.advance(MINUTE);
    await watch(9, 200, [file(1)]);
    await clock.advance(3 * MINUTE);
    expect(requests.filter(({ folderId }) => folderId === 200)).toHaveLength(1);
  });

  it('alternate between two large folders', async () => {
    const many = Array.from({ length: 4_000 }, (_, index) => file(index + 1));
    await watch(1, 101, many);
    await watch(2, 102, many);
    start();
    await clock.advance(4 * MINUTE);
    const of = (id: number) => requests.filter(({ folderId }) => folderId === id).length;
    expect(of(101) + of(102)).toBeGreaterThan(20);
    expect(Math.abs(of(101) - of(102))).toBeLessThanOrEqual(2);
  });

  it('continue after a look that waited for its turn has lost its lease', async () => {
    await watch(1, 101);
    await ledger.recordShare(recording({}, { now: clock.now() }));
    start();
    await clock.advance(MINUTE);
    await watch(1, 102);
    await clock.advance(LEASE_MS);
    expect(requests).toEqual([]);
    await holdNext(ledger, { now: clock.now(), until: clock.now() + 9 * MINUTE, token: 'f' });
    await clock.advance(MINUTE);
    expect(requests.map(({ folderId }) => folderId)).toEqual([102]);
  });

  it('wait while files wait to be filed', async () => {
    await watch();
    await ledger.recordShare(recording({}, { now: clock.now() }));
    start();
    await clock.advance(MINUTE);
    expect(requests).toEqual([]);
    await holdNext(ledger, { now: clock.now(), until: clock.now() + 9 * MINUTE, token: 'f' });
    await clock.advance(MINUTE);
    expect(requests).toHaveLength(1);
  });

  it('end when the process stops, and the look is due again at once', async () => {
    await watch();
    await ledger.recordShare(recording({}, { now: clock.now() }));
    start();
    await clock.advance(MINUTE);
    await loops.pop()?.stop(0);
    expect(await ledger.nextDue('watch')).toBeLessThanOrEqual(clock.now());
    expect(
      await ledger.claimRow('watch', { now: clock.now(), until: 0, token: 'x' }),
    ).toBeDefined();
  });
});

const FOLDER = { projectId: 1, folderId: 2 };
const filesUpTo = (count: number): FileRecord[] =>
  Array.from({ length: count }, (_, nth) => fileRecord({ id: nth + 1, name: `${nth + 1}.pdf` }));

interface Account {
  /** The files in the folder. */
  listed: FileRecord[];
  ledger?: Partial<Ledger>;
  /** Called when the folder is listed. */
  onList?: () => void;
  /** Whether the folder still exists; the folder cache has it in any case. */
  isThere?: boolean;
  /** Whether the account's list of folders can be read to its end. */
  complete?: boolean;
}

const SEEN = { firstSeen: 1, changedIn: 1, goneSince: null };

function find({ listed, ledger = {}, onList, isThere = true, complete = true }: Account) {
  const folder = { id: 2, name: 'Logos', level: 1, parentId: null, projectId: 1 };
  const context = contextOf({
    ledger: {
      everFiledAs: async () => new Map(),
      unidentifiedIn: async () => [],
      findFolder: async () => ({ written: 1 }) as Awaited<ReturnType<Ledger['findFolder']>>,
      recordsSeenAfter: async () => listed.map((one) => ({ ...one, ...SEEN })),
      ...ledger,
    },
    folders: {
      read: async () => {
        onList?.();
        const reading = { complete: true, unreadable: 0, serviceTime: null, fetchedAt: 0 };
        return { ...reading, folder: 1 };
      },
    },
    names: {
      people: async () => ({ list: null, fetchedAt: 0 }),
      folders: async (_project, { maxAgeMs = 1 }) => {
        const records = isThere || maxAgeMs > 0 ? [folder] : [];
        return { list: { records, complete }, fetchedAt: 0 };
      },
    },
  });
  return findAdded({ ...FOLDER, before: 0 }, { lane: 'bulk' }, context);
}

describe('findAdded', () => {
  it('ignores the files listed for a folder that no longer exists', async () => {
    expect(await find({ listed: filesUpTo(1) })).toMatchObject({ added: { count: 1 } });
    expect(await find({ listed: filesUpTo(1), isThere: false })).toBeNull();
  });

  it('returns the files of a folder that may be missing only because its record cannot be read', async () => {
    const found = await find({ listed: filesUpTo(1), isThere: false, complete: false });
    expect(found).toMatchObject({ added: { count: 1 } });
  });

  it('recognizes a file of ours whose create began while the folder was listed', async () => {
    const begun: { name: string; byteSize: number }[] = [];
    const onList = () => void begun.push({ name: '1.pdf', byteSize: 1 });
    const unidentifiedIn = async () => [...begun];
    const found = await find({ listed: filesUpTo(1), onList, ledger: { unidentifiedIn } });
    expect(found).toMatchObject({ added: null });
  });
});

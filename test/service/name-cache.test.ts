import { expect, test } from 'vitest';
import { unlessAborted } from '../../src/base/index.ts';
import type { AccountList, AccountLists, Folder } from '../../src/service/account-lists.ts';
import type { CallOptions } from '../../src/service/call.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { createNameCache, type NameCache } from '../../src/service/name-cache.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const INTERACTIVE = { lane: 'interactive' } as const;
const BULK = { lane: 'bulk' } as const;
const DESTINATION = { projectId: 7, folderId: 42, projectTitle: 'Accounts', folderName: null };
const FOLDER = { id: 42, name: 'Invoices', level: 1, parentId: null, projectId: null };
const FOLDERS = { records: [FOLDER], complete: true };

async function nameOf(names: NameCache, options: CallOptions): Promise<string | null> {
  return (await names.nameFolder(DESTINATION, options)).folderName;
}

const unused = () => Promise.reject(new Error('not asked for'));

function start(
  listFolders: ServiceClient['listFolders'],
  listProjects: AccountLists['listProjects'] = unused,
) {
  const clock = createFakeClock();
  const calls: number[] = [];
  const service: Pick<ServiceClient, 'listProjects' | 'listFolders' | 'listPeople'> = {
    listProjects,
    listPeople: unused,
    listFolders: (projectId, options) => {
      calls.push(projectId);
      return listFolders(projectId, options);
    },
  };
  return { clock, calls, names: createNameCache({ service, clock }) };
}

test('NameCache.folders returns a cached list that is young enough, and its request time', async () => {
  const { clock, calls, names } = start(async () => FOLDERS);
  const began = clock.now();
  await names.folders(7, { ...INTERACTIVE, maxAgeMs: 0 });
  await clock.advance(5_000);
  const asked = (maxAgeMs: number) => names.folders(7, { ...INTERACTIVE, maxAgeMs });
  const at = (time: number) => ({ list: FOLDERS, fetchedAt: time, readAt: time });
  expect(await asked(5_000)).toEqual(at(began));
  expect(await asked(4_999)).toEqual(at(began + 5_000));
  expect(calls).toEqual([7, 7]);
});

test('NameCache.folders with maxAgeMs 0 returns no list that was requested before', async () => {
  const older = Promise.withResolvers<AccountList<Folder>>();
  const answers: Promise<AccountList<Folder>>[] = [older.promise, Promise.resolve(FOLDERS)];
  const { clock, names } = start(async () => (await answers.shift()) ?? null);
  const ask = () => names.folders(7, { ...INTERACTIVE, maxAgeMs: 0 });
  const first = ask();
  await clock.advance(1);
  // A folder could have been created in between.
  expect(await ask()).toMatchObject({ list: FOLDERS, fetchedAt: clock.now() });
  older.resolve({ records: [], complete: true });
  expect((await first).list?.records).toEqual([]);
  // Nor does the older request, though it ends later, replace the newer one's list.
  expect(await nameOf(names, INTERACTIVE)).toBe('Invoices');
});

test('NameCache.folders reads a slow list once, and counts its age from its arrival', async () => {
  const long = Promise.withResolvers<AccountList<Folder>>();
  const { clock, calls, names } = start(() => long.promise);
  const ask = () => names.folders(7, { ...INTERACTIVE, maxAgeMs: 10_000 });
  const early = ask();
  await clock.advance(11 * 60_000);
  const late = ask();
  long.resolve(FOLDERS);
  expect((await early).list).toBe(FOLDERS);
  expect((await late).list).toBe(FOLDERS);
  await clock.advance(10_000);
  expect((await ask()).list).toBe(FOLDERS);
  expect(calls).toEqual([7]);
  await clock.advance(1);
  await ask();
  expect(calls).toEqual([7, 7]);
});

test('NameCache.folders keeps 200,000 records at most, of the lists that were read last', async () => {
  const many = { records: Array.from({ length: 99_990 }, () => FOLDER), complete: true };
  const { calls, names } = start(async () => many);
  const ask = (projectId: number) => names.folders(projectId, { ...INTERACTIVE, maxAgeMs: 60_000 });
  for (const projectId of [1, 2, 1, 3, 3, 2, 1]) await ask(projectId);
  expect(calls).toEqual([1, 2, 3, 1]);
});

test('NameCache.nameFolder returns a cached name after nothing could be sent', async () => {
  const used = new ServiceError('SERVICE_LIMIT_AWAY', 'away', { retry: 'later', sent: 'no' });
  const answers = [async () => FOLDERS, () => Promise.reject(used)];
  const { names } = start(async () => answers.shift()?.() ?? null);
  expect(await nameOf(names, INTERACTIVE)).toBe('Invoices');
  await expect(names.folders(7, { ...INTERACTIVE, maxAgeMs: -1 })).rejects.toBe(used);
  expect(await nameOf(names, INTERACTIVE)).toBe('Invoices');
});

test('NameCache.folders shares a list in flight only within its lane, so people never wait for bulk', async () => {
  const lanes: string[] = [];
  const { names } = start(async (_projectId, { lane }) => {
    lanes.push(lane);
    return FOLDERS;
  });
  const ask = (call: typeof INTERACTIVE | typeof BULK) =>
    names.folders(7, { ...call, maxAgeMs: 60_000 });
  await Promise.all([ask(INTERACTIVE), ask(INTERACTIVE), ask(BULK)]);
  expect(lanes).toEqual(['interactive', 'bulk']);
});

test('NameCache.folders goes on for its other callers when the first of them aborts', async () => {
  const asked = Promise.withResolvers<typeof FOLDERS>();
  const { names } = start((_projectId, { signal }) => unlessAborted(asked.promise, signal));
  const stop = new AbortController();
  const first = names.folders(7, { ...BULK, maxAgeMs: 1, signal: stop.signal });
  const second = names.folders(7, { ...BULK, maxAgeMs: 1 });
  stop.abort(new Error('lease lost'));
  await expect(first).rejects.toThrow('lease lost');
  asked.resolve(FOLDERS);
  expect((await second).list).toBe(FOLDERS);
});

test('NameCache.nameFolder does not wait for a list whose requests wait for turns', async () => {
  const waiting = Promise.withResolvers<typeof FOLDERS>();
  const { clock, calls, names } = start((_projectId, { turn }) =>
    turn ? waiting.promise : Promise.resolve(FOLDERS),
  );
  const inTurns = { ...BULK, maxAgeMs: 0, turn: () => Promise.resolve() };
  const both = [names.folders(7, inTurns), names.folders(7, inTurns)];
  const named = nameOf(names, BULK);
  await clock.advance(0);
  await clock.advance(2_000);
  expect(await named).toBe('Invoices');
  waiting.resolve(FOLDERS);
  await Promise.all(both);
  expect(calls).toEqual([7, 7]);
});

test('NameCache.folders does not cache a list that failed', async () => {
  const answers = [() => Promise.reject(new Error('down')), async () => FOLDERS];
  const { names } = start(async () => answers.shift()?.() ?? null);
  const ask = () => names.folders(7, { ...INTERACTIVE, maxAgeMs: 60_000 });
  await expect(ask()).rejects.toThrow('down');
  expect((await ask()).list).toBe(FOLDERS);
});

test('NameCache.folders keeps no list for more than ten minutes', async () => {
  const { clock, calls, names } = start(async () => FOLDERS);
  const ask = () => names.folders(7, { ...INTERACTIVE, maxAgeMs: 3_600_000 });
  await ask();
  await clock.advance(600_001);
  await ask();
  expect(calls).toEqual([7, 7]);
});

test('NameCache.nameFolder requests a name once in ten minutes', async () => {
  const { clock, calls, names } = start(async () => FOLDERS);
  const asked = [1, 2, 3].map(() => nameOf(names, INTERACTIVE));
  expect(await Promise.all(asked)).toEqual(['Invoices', 'Invoices', 'Invoices']);
  await clock.advance(599_000);
  await nameOf(names, INTERACTIVE);
  expect(calls).toEqual([7]);
  await clock.advance(2_000);
  await nameOf(names, INTERACTIVE);
  expect(calls).toEqual([7, 7]);
});

test.each([INTERACTIVE, BULK])(
  'NameCache.nameFolder waits at most two seconds for a name in the lane $lane',
  async (options) => {
    const late = Promise.withResolvers<typeof FOLDERS>();
    const { clock, calls, names } = start(() => late.promise);
    const asked = nameOf(names, options);
    await clock.advance(2_000);
    expect(await asked).toBeNull();
    late.resolve(FOLDERS);
    expect(await nameOf(names, options)).toBe('Invoices');
    expect(calls).toEqual([7]);
    expect(clock.sleepers()).toBe(0);
  },
);

test('NameCache.nameFolder waits for a slow name once, not again for each caller', async () => {
  const { clock, names } = start(() => new Promise(() => undefined));
  const first = nameOf(names, BULK);
  await clock.advance(2_000);
  expect(await first).toBeNull();
  const second = nameOf(names, BULK);
  await clock.advance(0);
  expect(await second).toBeNull();
});

test('NameCache.nameFolder returns no name for half a minute after a failure', async () => {
  const failed = new ServiceError('SERVICE_FAILED', 'down', { retry: 'later', sent: 'yes' });
  const { clock, calls, names } = start(() => Promise.reject(failed));
  expect(await nameOf(names, INTERACTIVE)).toBeNull();
  expect(await nameOf(names, INTERACTIVE)).toBeNull();
  expect(calls).toEqual([7]);
  await clock.advance(31_000);
  expect(await nameOf(names, INTERACTIVE)).toBeNull();
  expect(calls).toEqual([7, 7]);
});

test('NameCache.nameFolder asks again after a failure when the clock is set back', async () => {
  const failed = new ServiceError('SERVICE_FAILED', 'down', { retry: 'later', sent: 'yes' });
  const fake = createFakeClock();
  let behind = 0;
  const clock = { ...fake, now: () => fake.now() - behind };
  const answers = [Promise.reject(failed), Promise.resolve(FOLDERS)];
  const service = {
    ...{ listProjects: unused, listPeople: unused },
    listFolders: () => answers.shift() ?? unused(),
  };
  const names = createNameCache({ service, clock });
  expect(await nameOf(names, INTERACTIVE)).toBeNull();
  behind = 3_600_000;
  expect(await nameOf(names, INTERACTIVE)).toBe('Invoices');
});

test('NameCache.nameFolder adds the names that a folder lacks and keeps the others', async () => {
  const titles: AccountLists['listProjects'] = async () => ({
    records: [{ id: 7, title: 'Website relaunch', archived: false }],
    complete: true,
  });
  const { names, calls } = start(async () => FOLDERS, titles);
  const bare = { projectId: 7, folderId: 42, projectTitle: null, folderName: null, url: null };
  const whole = { projectTitle: 'Website relaunch', folderName: 'Invoices' };
  expect(await names.nameFolder(bare, BULK)).toEqual({ ...bare, ...whole });
  const kept = { ...bare, folderName: 'As it was' };
  expect(await names.nameFolder(kept, BULK)).toEqual({
    ...whole,
    ...kept,
    projectTitle: 'Website relaunch',
  });
  const linked = { ...kept, projectTitle: 'As that was' };
  expect(await names.nameFolder(linked, BULK)).toEqual(linked);
  expect(calls).toEqual([7]);
  const unlisted = { ...bare, projectId: 8 };
  expect(await names.nameFolder(unlisted, BULK)).toMatchObject({ projectTitle: null });
});

const manyFolders = Array.from({ length: 101 }, (_, nth) => ({ ...FOLDER, id: nth + 1 }));

test.each([
  ['a short list is asked for anew', FOLDERS.records, 43, 2],
  ['a long list that shows it may be a minute old', manyFolders, 42, 1],
  ['a long list that does not show it is asked for anew', manyFolders, 142, 2],
] as const)(
  'NameCache.isFolderListed requests or reuses a list as it should: %s',
  async (_title, records, folderId, times) => {
    const { clock, calls, names } = start(async () => ({ records: [...records], complete: true }));
    const ask = () =>
      names.isFolderListed({ projectId: 7, folderId }, { ...INTERACTIVE, maxAgeMs: 1 });
    await ask();
    await clock.advance(59_000);
    const before = calls.length;
    expect(await ask()).toBe(folderId === 42);
    expect(calls.length - before).toBe(times - 1);
  },
);

test('NameCache.isFolderListed asks an account without folder lists at most once a minute', async () => {
  const { clock, calls, names } = start(async () => null);
  const ask = () => names.isFolderListed(DESTINATION, { ...INTERACTIVE, maxAgeMs: 1 });
  expect(await ask()).toBeNull();
  await clock.advance(59_000);
  expect(await ask()).toBeNull();
  expect(calls).toEqual([7]);
});

test.each([
  ['as long as asked for a folder that it listed in the last minute', 42, 400],
  ['2 s for one that it did not', 43, 2_000],
] as const)('NameCache.isFolderListed waits at most %s', async (_title, folderId, patienceMs) => {
  const patience = { ...INTERACTIVE, maxAgeMs: 1, confirmMs: 400 };
  let late = false;
  const never = new Promise<null>(() => undefined);
  const { clock, names } = start(() => (late ? never : Promise.resolve(FOLDERS)));
  const ask = () => names.isFolderListed({ projectId: 7, folderId }, patience);
  await ask();
  await clock.advance(30_000);
  late = true;
  let answer: boolean | null | undefined;
  void ask().then((listed) => {
    answer = listed;
  });
  await clock.advance(0);
  await clock.advance(patienceMs - 1);
  expect(answer).toBeUndefined();
  await clock.advance(1);
  expect(answer).toBeNull();
});

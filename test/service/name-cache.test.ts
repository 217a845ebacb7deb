import { expect, test } from 'vitest';
import type { ServiceClient } from '../../src/service/client.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { createNameCache } from '../../src/service/name-cache.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const INTERACTIVE = { lane: 'interactive' } as const;
const BULK = { lane: 'bulk' } as const;
const DESTINATION = { projectId: 7, folderId: 42 };
const FOLDER = { id: 42, name: 'Invoices', level: 1, parentId: null, projectId: null };
const FOLDERS = { records: [FOLDER], complete: true };

function start(listFolders: ServiceClient['listFolders']) {
  const clock = createFakeClock();
  const calls: number[] = [];
  const unused = () => Promise.reject(new Error('not asked for'));
  const service: Pick<ServiceClient, 'listProjects' | 'listFolders' | 'listPeople'> = {
    listProjects: unused,
    listPeople: unused,
    listFolders: (projectId, options) => {
      calls.push(projectId);
      return listFolders(projectId, options);
    },
  };
  return { clock, calls, names: createNameCache({ service, clock }) };
}

test('a list is a copy that is young enough, and says when it was asked for', async () => {
  const { clock, calls, names } = start(async () => FOLDERS);
  const began = clock.now();
  await names.folders(7, { ...INTERACTIVE, maxAgeMs: 0 });
  await clock.advance(5_000);
  const asked = (maxAgeMs: number) => names.folders(7, { ...INTERACTIVE, maxAgeMs });
  expect(await asked(5_000)).toEqual({ list: FOLDERS, fetchedAt: began });
  expect(await asked(4_999)).toEqual({ list: FOLDERS, fetchedAt: began + 5_000 });
  expect(calls).toEqual([7, 7]);
});

test('a list under way is shared in its lane: a person never waits for a bulk call', async () => {
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

test('a list that fails is no copy', async () => {
  const answers = [() => Promise.reject(new Error('down')), async () => FOLDERS];
  const { names } = start(async () => answers.shift()?.() ?? null);
  const ask = () => names.folders(7, { ...INTERACTIVE, maxAgeMs: 60_000 });
  await expect(ask()).rejects.toThrow('down');
  expect((await ask()).list).toBe(FOLDERS);
});

test('no list is kept for more than ten minutes', async () => {
  const { clock, calls, names } = start(async () => FOLDERS);
  const ask = () => names.folders(7, { ...INTERACTIVE, maxAgeMs: 3_600_000 });
  await ask();
  await clock.advance(600_001);
  await ask();
  expect(calls).toEqual([7, 7]);
});

test('a name is asked for once in ten minutes', async () => {
  const { clock, calls, names } = start(async () => FOLDERS);
  const asked = [1, 2, 3].map(() => names.folderName(DESTINATION, INTERACTIVE));
  expect(await Promise.all(asked)).toEqual(['Invoices', 'Invoices', 'Invoices']);
  await clock.advance(599_000);
  await names.folderName(DESTINATION, INTERACTIVE);
  expect(calls).toEqual([7]);
  await clock.advance(2_000);
  await names.folderName(DESTINATION, INTERACTIVE);
  expect(calls).toEqual([7, 7]);
});

test.each([INTERACTIVE, BULK])('nobody is kept waiting for a name: $lane', async (options) => {
  const late = Promise.withResolvers<typeof FOLDERS>();
  const { clock, calls, names } = start(() => late.promise);
  const asked = names.folderName(DESTINATION, options);
  await clock.advance(2_000);
  expect(await asked).toBeNull();
  late.resolve(FOLDERS);
  expect(await names.folderName(DESTINATION, options)).toBe('Invoices');
  expect(calls).toEqual([7]);
  expect(clock.sleepers()).toBe(0);
});

test('a name that is long in coming is waited for once, not by each who asks', async () => {
  const { clock, names } = start(() => new Promise(() => undefined));
  const first = names.folderName(DESTINATION, BULK);
  await clock.advance(2_000);
  expect(await first).toBeNull();
  const second = names.folderName(DESTINATION, BULK);
  await clock.advance(0);
  expect(await second).toBeNull();
});

test('a failure is no name, for half a minute', async () => {
  const failed = new ServiceError('SERVICE_FAILED', 'down', { retry: 'later', sent: 'yes' });
  const { clock, calls, names } = start(() => Promise.reject(failed));
  expect(await names.folderName(DESTINATION, INTERACTIVE)).toBeNull();
  expect(await names.folderName(DESTINATION, INTERACTIVE)).toBeNull();
  expect(calls).toEqual([7]);
  await clock.advance(31_000);
  expect(await names.folderName(DESTINATION, INTERACTIVE)).toBeNull();
  expect(calls).toEqual([7, 7]);
});

import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../../src/base/index.ts';
import type { FolderRef } from '../../../src/core/index.ts';
import { type FileList, ServiceError } from '../../../src/service/index.ts';
import { filterByName } from '../../../src/surfaces/files/search-folder.ts';
import { showFiles } from '../../../src/surfaces/files/show-files.ts';
import type { Asked } from '../../../src/surfaces/kit/answer.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { fileRecord } from '../../support/builders.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { foldersInMemory } from '../../support/folders-in-memory.ts';
import { listedNames, shownView } from '../../support/shown-view.ts';
import { watchLoop } from '../../support/watch-loop.ts';

const clock = createFakeClock();
const FILES = [
  { id: 1, name: 'R&amp;D plan.pdf', byteSize: 5 },
  { id: 2, name: 'Q&amp;A.txt', byteSize: 5 },
  { id: 3, name: 'a&amp;b.txt', byteSize: 5 },
];
const shared = {
  ...{ shareId: 1, transferId: 1, slackFileId: 'F1', userId: 'U0BEN' },
  ...{ team: 'T1', channel: 'C9', ts: '1', threadTs: null },
  ...{ state: 'filed' as const, byteSize: 10, recordCreator: null },
};
/** The files that we filed, with the names that we gave them; somebody else added file 2. */
const FILED = new Map([
  [1, { ...shared, name: 'R&D plan.pdf', savedBy: null }],
  [3, { ...shared, name: 'a&amp;b.txt', savedBy: 'U0CLEO' }],
]);

const WHOLE = { unreadable: 0, complete: true, serviceTime: null };
const listed = (files: FileList['files']): FileList => ({
  ...{ ...WHOLE, files, fetchedAt: clock.now() },
});
const read = foldersInMemory(async () => listed(FILES.map(fileRecord)));

const context = {
  clock,
  random: systemRandom,
  findDestination: async () => ({
    projectId: 7,
    folderId: 42,
    projectTitle: null,
    folderName: 'X',
    isDefault: false,
  }),
  isBusy: () => false,
  ledger: {
    ...read.mirror,
    filedRecords: async () => FILED,
    begunDeletes: async () => [],
    countWaiting: async () => 60,
  } as Partial<SurfaceContext['ledger']>,
  names: { nameFolder: async (folder: FolderRef) => folder } as Partial<SurfaceContext['names']>,
  folders: read.folders,
} as Partial<SurfaceContext> as SurfaceContext;

const ASKED: Asked = {
  ...{ linkBy: 'admins', team: 'T1', channel: 'C1', userId: 'U0ADA', role: 'admin' },
  call: { lane: 'interactive' },
};

async function shownTo(userId: string, filter: string | null = null): Promise<string> {
  const role = userId === 'U0ADA' ? 'admin' : 'member';
  return shownView(await showFiles({ ...ASKED, userId, role }, { page: 1, filter }, context));
}

async function namesOf(filter: string | null): Promise<string[]> {
  return listedNames(await shownTo('U0ADA', filter));
}

it.each([
  ['an admin', 'U0ADA', ['a&amp;b.txt', 'Q&amp;A.txt', 'R&D plan.pdf']],
  ['the sharer, who does not own what another person saved', 'U0BEN', ['R&D plan.pdf']],
  ['a person who saved one of them by hand', 'U0CLEO', ['a&amp;b.txt']],
  ['another member', 'U0DAN', []],
])('a list has Delete for %s: %s', async (_who, userId, names) => {
  const shown = await shownTo(userId);
  expect([...shown.matchAll(/Delete ([^/]+)…/g)].map(([, one]) => one)).toEqual(names);
});

it('a list without matches says how many files are on their way', async () => {
  expect(await shownTo('U0BEN', 'bulk')).toMatch(
    /\| No matches for `bulk` among \d files\.\n\| 60 files shared here are on their way\.\n/,
  );
  expect(await shownTo('U0BEN', 'plan')).not.toContain('on their way');
});

it.each([
  ['while files wait for the service', true, 'As of 1 s ago: the file service is busy.\n'],
  ['while nothing waits', false, 'As of 1 s ago.\n'],
])('a list read for somebody else says how old it is, %s', async (_case, isBusy, said) => {
  const early = async () => ({ ...listed([]), fetchedAt: clock.now() - 1_000 });
  const { folders, mirror } = foldersInMemory(early);
  const ledger = { ...context.ledger, ...mirror };
  const workspace = { isIn: async () => true } as Partial<SurfaceContext['workspace']>;
  const given = { ...context, folders, ledger, workspace, isBusy: () => isBusy };
  const page = { page: 1, filter: null };
  expect(shownView(await showFiles(ASKED, page, given as SurfaceContext))).toContain(said);
});

describe('showFiles for a paused link', () => {
  const shown = (list: () => Promise<FileList>) => {
    const link = { projectId: 7, folderId: 42, projectTitle: null, folderName: 'X' };
    const paused = { ...link, isDefault: false, heldFor: 'DESTINATION_GONE' as const };
    const { folders, mirror } = foldersInMemory(list);
    const ledger = { ...context.ledger, ...mirror };
    const workspace = { isIn: async () => true } as Partial<SurfaceContext['workspace']>;
    return showFiles(
      { ...ASKED, role: 'member' },
      { page: 1, filter: null },
      {
        ...{ ...context, folders, ledger, findDestination: async () => paused },
        workspace: workspace as SurfaceContext['workspace'],
      },
    );
  };
  const failed = (code: ServiceError['code']) =>
    new ServiceError(code, code, { retry: 'later', sent: 'yes' });

  it.each(['SERVICE_NOT_FOUND', 'SERVICE_FORBIDDEN'] as const)(
    'says that the link is paused if the service refuses the folder with %s',
    async (code) => {
      const { text } = await shown(() => Promise.reject(failed(code)));
      expect(text).toContain('This channel’s files wait');
    },
  );

  it('promises of an empty folder no filing of what is shared now', async () => {
    const seen = shownView(await shown(async () => listed([])));
    expect(seen).toContain('This channel’s files wait');
    expect(seen).toContain('Nothing here yet.');
    expect(seen).not.toContain('it’ll be filed here');
    expect(seen).not.toContain('on their way');
  });

  it('rejects with the error if the service fails', async () => {
    const down = failed('SERVICE_FAILED');
    await expect(shown(() => Promise.reject(down))).rejects.toBe(down);
  });
});

describe('a Delete whose outcome was never recorded', () => {
  const pages = Array.from({ length: 25 }, (_, nth) =>
    fileRecord({ id: 100 - nth, name: `${nth}`, byteSize: 5, createdAt: 100 - nth }),
  );
  /** Shows a list so long after the tries; returns the records marked as deleted, and as not begun. */
  async function settled(
    list: Partial<FileList>,
    request: { page: number; filter: string | null } = { page: 1, filter: null },
    afterMs = 60_000,
  ): Promise<[recordId: number, deletedBy: string | null][]> {
    const marked: [number, string | null][] = [];
    const at = { deletedBy: 'U9', deletedAt: clock.now() - afterMs };
    const begun = [101, 95, 70].map((id) => ({ id, recordId: id, ...at }));
    const ledger = {
      ...context.ledger,
      begunDeletes: async (_folder, least) => begun.filter(({ id }) => id >= least),
      markDeleted: async (id, { deletedBy }) => void marked.push([id, deletedBy]),
      beginDelete: async (id, { deletedBy }) => void marked.push([id, deletedBy]),
    } as Partial<SurfaceContext['ledger']>;
    const { folders, mirror } = foldersInMemory(async () => ({ ...listed(pages), ...list }));
    await showFiles(ASKED, request, {
      ...context,
      folders,
      ledger: { ...ledger, ...mirror } as SurfaceContext['ledger'],
      wakeNotifier: () => undefined,
    });
    return marked;
  }

  it('is marked as done by a list that lacks the record, once that would be shown', async () => {
    expect(await settled({})).toEqual([[101, 'U9']]);
    expect(await settled({}, { page: 9, filter: null })).toEqual([
      [101, 'U9'],
      [70, 'U9'],
    ]);
  });

  it('is taken back by a list that shows the record, once no request may still arrive', async () => {
    expect(await settled({}, { page: 9, filter: null }, 60_001)).toEqual([
      [101, 'U9'],
      [70, 'U9'],
      [95, null],
    ]);
  });

  it.each<[string, Partial<FileList>, string | null]>([
    ['an incomplete list', { complete: false }, null],
    ['a list with entries that cannot be read', { unreadable: 1 }, null],
    ['an earlier copy of the list', { fetchedAt: clock.now() - 1 }, null],
    ['a search', {}, '1'],
  ])('stays as it is in %s', async (_what, list, filter) => {
    expect(await settled(list, { page: 9, filter }, 60_001)).toEqual([]);
  });
});

describe('names that the service sends with HTML escapes', () => {
  it('are decoded if we filed the file by its decoded name, else unchanged', async () => {
    expect(await namesOf(null)).toEqual(['a&amp;b.txt', 'Q&amp;A.txt', 'R&D plan.pdf']);
  });

  it.each(['r&d', 'R&amp;D'])('are found by %j', async (filter) => {
    expect(await namesOf(filter)).toEqual(['R&D plan.pdf']);
  });
});

it('filterByName lets other work run while it searches 20,000 names', async () => {
  const files = Array.from({ length: 20_000 }, (_, id) =>
    fileRecord({ id, name: `file ${id}.pdf`, byteSize: 5 }),
  );
  const { value, turns } = await watchLoop(() => filterByName(files, '19999'));
  expect(value.map(({ id }) => id)).toEqual([19_999]);
  expect(turns).toBeGreaterThan(50);
});

it('filterByName lets other work run while it searches 100 names of 4,096 characters', async () => {
  const files = Array.from({ length: 100 }, (_, id) =>
    fileRecord({ id, name: '\uFDFA'.repeat(4_096), byteSize: 5 }),
  );
  const { turns } = await watchLoop(() => filterByName(files, 'plan'));
  expect(turns).toBeGreaterThanOrEqual(100);
});

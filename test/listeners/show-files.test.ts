import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../src/base/index.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';
import { filterByName, showFiles } from '../../src/listeners/show-files.ts';
import { ServiceError } from '../../src/service/index.ts';
import type { FolderRef } from '../../src/transfers/index.ts';
import { fileRecord } from '../support/builders.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { listedNames, shownView } from '../support/shown-view.ts';
import { watchLoop } from '../support/watch-loop.ts';

const clock = createFakeClock();
const FILES = [
  { id: 1, name: 'R&amp;D plan.pdf', byteSize: 5 },
  { id: 2, name: 'Q&amp;A.txt', byteSize: 5 },
  { id: 3, name: 'a&amp;b.txt', byteSize: 5 },
];
const shared = {
  ...{ transferId: 1, slackFileId: 'F1', userId: 'U0BEN' },
  ...{ team: 'T1', channel: 'C9', ts: '1', threadTs: null },
};
/** The files that we filed, with the names that we gave them; somebody else added file 2. */
const FILED = new Map([
  [1, { ...shared, name: 'R&D plan.pdf', savedBy: null }],
  [3, { ...shared, name: 'a&amp;b.txt', savedBy: 'U0CLEO' }],
]);

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
  isAlone: true,
  ledger: { filedRecords: async () => FILED } as Partial<ListenerContext['ledger']>,
  names: { nameFolder: async (folder: FolderRef) => folder } as Partial<ListenerContext['names']>,
  service: {
    glimpseFiles: async () => ({
      list: {
        files: FILES.map(fileRecord),
        unreadable: 0,
        complete: true,
        serviceTime: null,
        fetchedAt: clock.now(),
      },
      readRest: null,
    }),
  } as Partial<ListenerContext['service']>,
} as Partial<ListenerContext> as ListenerContext;

async function shownTo(userId: string, filter: string | null = null): Promise<string> {
  const call = { lane: 'interactive' as const };
  const role = userId === 'U0ADA' ? ('admin' as const) : ('member' as const);
  const asked = { linkBy: 'admins' as const, team: 'T1', channel: 'C1', userId, role, call };
  return shownView(await showFiles(asked, { page: 1, filter }, context));
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
  expect(
    [...shown.matchAll(/(\S+(?: plan\.pdf)?) will be deleted/g)].map(([, one]) => one),
  ).toEqual(names);
});

describe('showFiles for a paused link', () => {
  const shown = (glimpseFiles: ListenerContext['service']['glimpseFiles']) => {
    const link = { projectId: 7, folderId: 42, projectTitle: null, folderName: 'X' };
    const paused = { ...link, isDefault: false, pausedFor: 'DESTINATION_GONE' as const };
    const asked = {
      ...{
        team: 'T1',
        channel: 'C1',
        userId: 'U0ADA',
        role: 'member' as const,
        linkBy: 'admins' as const,
      },
      call: { lane: 'interactive' as const },
    };
    const service = { ...context.service, glimpseFiles };
    const workspace = { isIn: async () => true } as Partial<ListenerContext['workspace']>;
    return showFiles(
      asked,
      { page: 1, filter: null },
      {
        ...{ ...context, service, findDestination: async () => paused },
        workspace: workspace as ListenerContext['workspace'],
      },
    );
  };
  const failed = (code: ServiceError['code']) =>
    new ServiceError(code, code, { retry: 'later', sent: 'yes' });

  it.each(['SERVICE_NOT_FOUND', 'SERVICE_FORBIDDEN'] as const)(
    'says that the link is paused if the service refuses the folder with %s',
    async (code) => {
      const { text } = await shown(() => Promise.reject(failed(code)));
      expect(text).toContain('This channel’s link is paused');
    },
  );

  it('promises of an empty folder no filing of what is shared now', async () => {
    const list = { files: [], unreadable: 0, complete: true, serviceTime: null };
    const seen = shownView(
      await shown(async () => ({ list: { ...list, fetchedAt: clock.now() }, readRest: null })),
    );
    expect(seen).toContain('This channel’s link is paused');
    expect(seen).toContain('Nothing here yet.');
    expect(seen).not.toContain('it’ll be filed here');
  });

  it('rejects with the error if the service fails', async () => {
    const down = failed('SERVICE_FAILED');
    await expect(shown(() => Promise.reject(down))).rejects.toBe(down);
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

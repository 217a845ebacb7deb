import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/service/index.ts';
import type { Asked } from '../../../src/surfaces/kit/answer.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { findUsable, resolveFolder, tryFolder } from '../../../src/surfaces/link/resolve-folder.ts';
import { countedNames } from '../../support/counted-names.ts';

const PROJECTS = [
  { id: 1, title: 'Office move', archived: false },
  { id: 2, title: 'Twins', archived: false },
  { id: 3, title: 'TWINS', archived: false },
  { id: 4, title: '2025', archived: false },
];
const FOLDERS = [
  { id: 10, name: 'Floor plans', level: 1, parentId: null, projectId: null },
  { id: 11, name: 'a/b', level: 1, parentId: null, projectId: null },
  { id: 12, name: 'Same', level: 1, parentId: null, projectId: null },
  { id: 13, name: 'same', level: 2, parentId: 10, projectId: null },
  { id: 14, name: 'R&D', level: 1, parentId: null, projectId: null },
  { id: 15, name: '2024', level: 1, parentId: null, projectId: null },
  { id: 16, name: '10', level: 1, parentId: null, projectId: null },
  { id: 17, name: 'Paid', level: 2, parentId: 15, projectId: null },
  { id: 18, name: 'Now › then', level: 1, parentId: null, projectId: null },
  { id: 19, name: 'חשבונות', level: 1, parentId: null, projectId: null },
  { id: 20, name: "Owners'", level: 1, parentId: null, projectId: null },
  { id: 21, name: '🚀 Launch', level: 1, parentId: null, projectId: null },
  { id: 22, name: 'Launch', level: 1, parentId: null, projectId: null },
  { id: 23, name: '👩🏽‍🚀👍🏽', level: 1, parentId: null, projectId: null },
  { id: 24, name: '🎉 Party 2025', level: 1, parentId: null, projectId: null },
  { id: 25, name: '🎂 party 2025', level: 1, parentId: null, projectId: null },
  { id: 26, name: 'Client:Acme:Plans', level: 1, parentId: null, projectId: null },
  { id: 27, name: 'Client:Globex:Plans', level: 1, parentId: null, projectId: null },
];

const service = {
  listProjects: async () => ({ records: PROJECTS, complete: true }),
  listFolders: async () => ({ records: FOLDERS, complete: true }),
};
const incomplete = {
  ...service,
  listFolders: async () => ({ records: FOLDERS, complete: false }),
};
const emptyBesides = (project: number) => ({
  ...service,
  listFolders: async (id: number) => ({ records: id === project ? FOLDERS : [], complete: true }),
});
const noLists = { listProjects: async () => null, listFolders: async () => null };

const ASKED: Asked = {
  ...{ team: 'T1', channel: 'C1', userId: 'U1', role: 'member', linkBy: 'members' },
  call: { lane: 'interactive' },
};

const FROM = { accountUrl: 'https://acme.example', projectId: null };

const NO_NAMES = { projectTitle: null, folderName: null };

const found = (projectId: number, folderId: number, name: string | null) => ({
  destination: { projectId, folderId },

  isKnown: name !== null,
});

describe('resolveFolder', () => {
  it.each([
    ['1/10', found(1, 10, 'Floor plans')],
    [' 1 / 10 ', found(1, 10, 'Floor plans')],
    ['office MOVE/floor plans', found(1, 10, 'Floor plans')],
    ['“Office move”/"Floor plans"', found(1, 10, 'Floor plans')],
    ['Office move/a/b', found(1, 11, 'a/b')],
    ['Office move/10', found(1, 10, 'Floor plans')],
    ['1/r&d', found(1, 14, 'R&D')],
    ['1/R&amp;D', found(1, 14, 'R&D')],
    ['1/10/', found(1, 10, 'Floor plans')],
    ['#1/10', found(1, 10, 'Floor plans')],
    ['<https://acme.example/app/#/projects/1/folders/10>', found(1, 10, 'Floor plans')],
    [
      'https://acme.example/bapplications/#project-1/folder-10/files/999',
      found(1, 10, 'Floor plans'),
    ],
    ['https://acme.example/files?p=1&f=10', found(1, 10, 'Floor plans')],
    ['Office move/Floor plans/same', found(1, 13, 'same')],
    ['1/ Floor plans / “same” ', found(1, 13, 'same')],
    ['Office move/2024', found(1, 15, '2024')],
    ['"Office move/2024"', found(1, 15, '2024')],
    ['2025/Floor plans', found(4, 10, 'Floor plans')],
    ['“2025”/"2024"', found(4, 15, '2024')],
    ['1/"10"', found(1, 16, '10')],
    ['"1/10"', found(1, 10, 'Floor plans')],
    ['Office move › Floor plans', found(1, 10, 'Floor plans')],
    ['Office move›Floor plans›same', found(1, 13, 'same')],
    ['1 › a / b', found(1, 11, 'a/b')],
    ['Office move › Now › then', found(1, 18, 'Now › then')],
    ['1/now›then', found(1, 18, 'Now › then')],
    ['Office move > Floor plans', found(1, 10, 'Floor plans')],
    ['1 > now>then', found(1, 18, 'Now › then')],
    ['<Office move>/<Floor plans>', found(1, 10, 'Floor plans')],
    ['<1>/<10>', found(1, 10, 'Floor plans')],
    ['Office move › \u2068חשבונות\u2069', found(1, 19, 'חשבונות')],
    ['‘Office move’/‘Floor plans’', found(1, 10, 'Floor plans')],
    ['„Office move“/„2024“', found(1, 15, '2024')],
    ['«Office move/Floor plans»', found(1, 10, 'Floor plans')],
    ['1/‘10’', found(1, 16, '10')],
    ["1/Owners'", found(1, 20, "Owners'")],
    ['1/"Owners\'"', found(1, 20, "Owners'")],
    ['1/🚀 Launch', found(1, 21, '🚀 Launch')],
    ['1/:rocket: launch', found(1, 21, '🚀 Launch')],
    ['1/launch', found(1, 22, 'Launch')],
    ['1/:female-astronaut::skin-tone-4::+1::skin-tone-4:', found(1, 23, '👩🏽‍🚀👍🏽')],
    ['1/🎂 Party 2025', found(1, 25, '🎂 party 2025')],
    ['1/client:acme:plans', found(1, 26, 'Client:Acme:Plans')],
  ])('finds %j', async (target, folder) => {
    expect(await resolveFolder(target, { ...service, ...FROM })).toEqual(folder);
  });

  it.each([
    ['', 'unreadable-target'],
    ['10', 'unreadable-target'],
    ['1/', 'unreadable-target'],
    ['/10', 'unreadable-target'],
    ['""/10', 'unreadable-target'],
    ['Nowhere/10', 'no-such-folder'],
    ['1/Nowhere', 'no-such-folder'],
    ['1/999', 'no-such-folder'],
    ['Twins/10', 'ambiguous-name'],
    ['1/Same', 'ambiguous-name'],
    ['1/9999999999999999999', 'no-such-folder'],
    ['https://acme.example/projects/1', 'unreadable-target'],
    ['"1"/10', 'no-such-folder'],
    ['https://acme.example/projects/1/folders/2024', 'no-such-folder'],
    ['https://acme.example/projects/2025/folders/999', 'no-such-folder'],
    ['https://acme.example/1/10/7', 'unreadable-target'],
    ['https://elsewhere.example/projects/1/folders/10', 'other-address'],
    ['https://[', 'other-address'],
    ['Floor plans', 'ambiguous-name'],
    ['1/:tada: Party 2025', 'ambiguous-name'],
    ['1/12:30:45', 'no-such-folder'],
    ['1/Client:Initech:Plans', 'no-such-folder'],
  ])('refuses %j as %s', async (target, refusal) => {
    expect(await resolveFolder(target, { ...service, ...FROM })).toEqual({ refusal });
  });

  it.each([
    ['an address', `https://acme.example/projects/1/folders/10?${'x'.repeat(2_000)}`],
    ['an address of 200,000 characters', `<${'|'.repeat(200_000)}`],
    ['a path of thousands of names', `1/${'a&/'.repeat(5_000)}`],
  ])('refuses %s as too long', async (_what, target) => {
    expect(await resolveFolder(target, { ...service, ...FROM })).toEqual({ refusal: 'too-long' });
  });

  it('finds a folder of a project whose names have 255 characters each', async () => {
    const [title, name] = ['p'.repeat(255), 'f'.repeat(255)];
    const lists = {
      listProjects: async () => ({ records: [{ ...PROJECTS[0], id: 1, title }], complete: true }),
      listFolders: async () => ({ records: [{ ...FOLDERS[0], id: 10, name }], complete: true }),
    };
    const from = { ...(lists as typeof service), ...FROM };
    expect(await resolveFolder(`${title}/${name}`, from)).toEqual(found(1, 10, name));
  });

  it('finds a name or path in the channel’s project, and a name in others', async () => {
    const here = { ...FROM, projectId: 4 };
    expect(await resolveFolder('floor plans', { ...service, ...here })).toEqual(
      found(4, 10, 'Floor plans'),
    );
    expect(await resolveFolder('Floor plans/same', { ...service, ...here })).toEqual(
      found(4, 13, 'same'),
    );
    expect(await resolveFolder('2024/paid', { ...emptyBesides(4), ...here })).toEqual(
      found(4, 17, 'Paid'),
    );
    const one = emptyBesides(2);
    expect(await resolveFolder('R&D', { ...one, ...here })).toEqual(found(2, 14, 'R&D'));
    expect(await resolveFolder('Nowhere', { ...one, ...here })).toEqual({
      refusal: 'no-such-folder',
    });
  });

  it('asks which project is meant if there are too many to search for a name', async () => {
    const listProjects = async () => ({
      records: Array.from({ length: 9 }, (_, id) => ({ ...PROJECTS[0], id, title: `${id}` })),
      complete: true,
    });
    const many = { ...service, listProjects } as typeof service;
    expect(await resolveFolder('R&D', { ...many, ...FROM })).toEqual({ refusal: 'which-project' });
    expect(await resolveFolder('“8”', { ...many, ...FROM })).toEqual({ refusal: 'only-a-project' });
  });

  it('says that a name is only a project’s, unless a folder has it too', async () => {
    const project = { refusal: 'only-a-project' };
    for (const projectId of [null, 1, 4])
      expect(await resolveFolder('office move', { ...service, ...FROM, projectId })).toEqual(
        project,
      );
    const listProjects = async () => ({
      records: [{ id: 1, title: 'R&D', archived: false }],
      complete: true,
    });
    const both = { ...service, listProjects, ...FROM };
    expect(await resolveFolder('R&D', both)).toEqual(found(1, 14, 'R&D'));
  });

  it('accepts a number that is not listed if the list of folders is incomplete', async () => {
    expect(await resolveFolder('1/999', { ...incomplete, ...FROM })).toEqual(found(1, 999, null));
    expect(await resolveFolder('1/10', { ...incomplete, ...FROM })).toEqual(
      found(1, 10, 'Floor plans'),
    );
  });

  it('finds a name of digits that an incomplete list has, before it accepts a number', async () => {
    const listProjects = async () => ({ records: PROJECTS, complete: false });
    const lists = { ...incomplete, listProjects, ...FROM };
    expect(await resolveFolder('1/2024', lists)).toEqual(found(1, 15, '2024'));
    const withoutFolders = { ...emptyBesides(4), listProjects, ...FROM };
    expect(await resolveFolder('2025/2024', withoutFolders)).toEqual(found(4, 15, '2024'));
    expect(await resolveFolder('9/10', lists)).toEqual(found(9, 10, 'Floor plans'));
  });

  it('finds one of 4,000 folders while it reads fewer than 20 identifiers per folder', async () => {
    let steps = 0;
    const records = Array.from({ length: 4_000 }, (_, at) => ({
      get id() {
        steps += 1;
        return at + 1;
      },
      ...{ name: `Folder ${at + 1}`, level: 1, projectId: null },
      parentId: at % 200 === 0 ? null : at - (at % 200) + 1,
    }));
    const listFolders = async () => ({ records, complete: true });
    const target = await resolveFolder('1/Folder 201/folder 399', {
      ...service,
      listFolders,
      ...FROM,
    });
    expect(target).toEqual(found(1, 399, 'Folder 399'));
    expect(steps).toBeLessThan(20 * records.length);
  });

  it('reads each name of the account once, whatever is typed', async () => {
    const inside = { level: 2, parentId: 10, projectId: null };
    const many = Array.from({ length: 500 }, (_, at) => ({
      id: at + 100,
      name: `${at}`,
      ...inside,
    }));
    const folders = countedNames([...FOLDERS, ...many], 'name');
    const projects = countedNames(PROJECTS, 'title');
    const lists = {
      listProjects: async () => ({ records: projects.records, complete: true }),
      listFolders: async () => ({ records: folders.records, complete: true }),
      ...FROM,
    };
    for (const typed of ['Office move/', '1/'].flatMap((project) =>
      [':a'.repeat(900), 'a/'.repeat(900), ':a:b'.repeat(400)].map((rest) => project + rest),
    ))
      expect(await resolveFolder(typed, lists)).toEqual({ refusal: 'no-such-folder' });
    expect(folders.reads()).toBe(folders.records.length);
    expect(projects.reads()).toBe(projects.records.length);
  });

  it('refuses an unknown name as not-all-read if a list is incomplete', async () => {
    const [cut, here] = [{ refusal: 'not-all-read' }, { ...FROM, projectId: 4 }];
    for (const target of ['1/Nowhere', 'Office move/Nowhere', 'Nowhere'])
      expect(await resolveFolder(target, { ...incomplete, ...FROM })).toEqual(cut);
    expect(await resolveFolder('Nowhere/at all', { ...incomplete, ...here })).toEqual(cut);
    expect(await resolveFolder('Floor plans/same', { ...incomplete, ...here })).toEqual(
      found(4, 13, 'same'),
    );
    const listProjects = async () => ({ records: PROJECTS, complete: false });
    const projects = { ...service, listProjects, ...FROM };
    expect(await resolveFolder('Nowhere/10', projects)).toEqual(cut);
    expect(await resolveFolder('Nowhere/at all', { ...projects, projectId: 4 })).toEqual(cut);
    expect(await resolveFolder('Nowhere', projects)).toEqual(cut);
  });

  it('accepts numbers and refuses names if the account lists nothing', async () => {
    expect(await resolveFolder('1/10', { ...noLists, ...FROM })).toEqual(found(1, 10, null));
    for (const target of ['Office move/10', '1/Floor plans'])
      expect(await resolveFolder(target, { ...noLists, ...FROM })).toEqual({ refusal: 'no-names' });
  });
});

const readable: Partial<SurfaceContext['service']> = {
  peekFiles: async () => ({ entries: [], whole: true, askedAt: 0, serviceTime: null }),
};

describe('findUsable', () => {
  const tryWith = (code: 'SERVICE_BAD_ANSWER' | 'SERVICE_FAILED') => {
    const failing = async () => {
      throw new ServiceError(code, code, { retry: 'later', sent: 'yes' });
    };
    const names: Partial<SurfaceContext['names']> = {
      ...{ projects: failing, folders: failing },
      nameFolder: async ({ projectId, folderId }) => ({ ...NO_NAMES, projectId, folderId }),
    };
    const account = { accountUrl: 'https://acme.example', isBusy: () => false };
    const context = { ...account, names, service: readable, findDestination: async () => null };
    return findUsable(ASKED, '1/999', context as Partial<SurfaceContext> as SurfaceContext);
  };

  it('treats a malformed list as no list, and rejects if the service fails', async () => {
    expect(await tryWith('SERVICE_BAD_ANSWER')).toEqual({
      ...NO_NAMES,
      projectId: 1,
      folderId: 999,
    });
    await expect(tryWith('SERVICE_FAILED')).rejects.toThrow('SERVICE_FAILED');
  });

  it.each([
    ['SERVICE_FORBIDDEN', 'forbidden'],
    ['SERVICE_NOT_FOUND', 'no-such-folder'],
  ] as const)('names the folder that it finds when the answer is %s', async (code, reason) => {
    const named = { projectId: 1, folderId: 10, ...NO_NAMES, folderName: 'Floor plans' };
    const names: Partial<SurfaceContext['names']> = {
      projects: async () => ({ list: await service.listProjects(), fetchedAt: 0 }),
      folders: async () => ({ list: await service.listFolders(), fetchedAt: 0 }),
      nameFolder: async () => named,
    };
    const refusing: Partial<SurfaceContext['service']> = {
      peekFiles: async () => {
        throw new ServiceError(code, code, { retry: 'never', sent: 'yes' });
      },
    };
    const context = { names, service: refusing, findDestination: async () => null, ...FROM };
    const given = { ...context, isBusy: () => false } as Partial<SurfaceContext> as SurfaceContext;
    expect(await findUsable(ASKED, '1/10', given)).toEqual({
      reason,
      typed: '1/10',
      folder: named,
    });
  });
});

describe('tryFolder', () => {
  it.each([
    [1, { records: PROJECTS, complete: true }, null],
    [9, { records: PROJECTS, complete: true }, 'no-such-folder'],
    [9, { records: PROJECTS, complete: false }, null],
    [9, null, null],
  ])('for a folder of project %i in the list %j returns %s', async (projectId, list, refusal) => {
    const names: Partial<SurfaceContext['names']> = {
      projects: async () => ({ list, fetchedAt: 0 }),
    };
    const context = { names, service: readable } as Partial<SurfaceContext> as SurfaceContext;
    const folder = { projectId, folderId: 5, isKnown: false };
    expect(await tryFolder(ASKED, folder, context)).toBe(refusal);
  });
});

import { describe, expect, it } from 'vitest';
import { resolveFolder } from '../../src/listeners/resolve-folder.ts';

const PROJECTS = [
  { id: 1, title: 'Office move', archived: false },
  { id: 2, title: 'Twins', archived: false },
  { id: 3, title: 'TWINS', archived: false },
  { id: 4, title: '2025', archived: false },
];
const FOLDERS = [
  { id: 10, name: 'Floor plans', level: 1, parentId: null },
  { id: 11, name: 'a/b', level: 1, parentId: null },
  { id: 12, name: 'Same', level: 1, parentId: null },
  { id: 13, name: 'same', level: 2, parentId: 10 },
];

const service = { listProjects: async () => PROJECTS, listFolders: async () => FOLDERS };
const silent = { listProjects: async () => null, listFolders: async () => null };

const found = (projectId: number, folderId: number, name: string | null) => ({
  destination: { projectId, folderId },
  name,
});

describe('resolveFolder', () => {
  it.each([
    ['1/10', found(1, 10, 'Floor plans')],
    [' 1 / 10 ', found(1, 10, 'Floor plans')],
    ['1/999', found(1, 999, null)],
    ['office MOVE/floor plans', found(1, 10, 'Floor plans')],
    ['“Office move”/"Floor plans"', found(1, 10, 'Floor plans')],
    ['Office move/a/b', found(1, 11, 'a/b')],
    ['Office move/10', found(1, 10, 'Floor plans')],
  ])('finds %j', async (target, folder) => {
    expect(await resolveFolder(target, service)).toEqual(folder);
  });

  it.each([
    ['', 'unreadable-target'],
    ['10', 'unreadable-target'],
    ['1/', 'unreadable-target'],
    ['/10', 'unreadable-target'],
    ['""/10', 'unreadable-target'],
    ['Nowhere/10', 'no-such-folder'],
    ['1/Nowhere', 'no-such-folder'],
    ['Twins/10', 'ambiguous-name'],
    ['1/Same', 'ambiguous-name'],
    ['1/9999999999999999999', 'no-such-folder'],
  ])('refuses %j as %s', async (target, refusal) => {
    expect(await resolveFolder(target, service)).toEqual({ refusal });
  });

  it('takes numbers where the account lists nothing, and no names', async () => {
    expect(await resolveFolder('1/10', silent)).toEqual(found(1, 10, null));
    for (const target of ['Office move/10', '1/Floor plans'])
      expect(await resolveFolder(target, silent)).toEqual({ refusal: 'unreadable-target' });
  });
});

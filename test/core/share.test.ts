import { expect, it } from 'vitest';
import {
  destinationFinder,
  eachFileOnce,
  isDefaultFolder,
  oneFolder,
} from '../../src/core/index.ts';

const folder = { projectId: 1, folderId: 2 };

it.each([
  [[], null],
  [[folder], folder],
  [[folder, { ...folder }], folder],
  [[folder, { ...folder, folderId: 3 }], null],
  [[folder, { ...folder, projectId: 3 }], null],
])('oneFolder of %j is %j', (folders, one) => {
  expect(oneFolder(folders)).toEqual(one);
});

it('eachFileOnce keeps the first of several copies of a file, in order', () => {
  const copies = ['F2', 'F1', 'F2'].map((slackFileId, nth) => ({ slackFileId, nth }));
  expect(eachFileOnce(copies)).toEqual([
    { slackFileId: 'F2', nth: 0 },
    { slackFileId: 'F1', nth: 1 },
  ]);
});

/** Returns a channel's destination, given its link's folder and the default folder. */
function found(folderId: number | null, fallback: typeof folder | null = folder) {
  const names = { projectTitle: 'Accounts', folderName: 'Named', heldFor: null };
  const link = folderId === null ? null : { projectId: 1, folderId, ...names };
  return destinationFinder(async () => link, fallback)({ team: 'T1', channel: 'C1' });
}

it('a channel’s destination is its link, else the default folder, else null', async () => {
  expect(await found(3)).toEqual({
    ...{ projectId: 1, folderId: 3, projectTitle: 'Accounts', folderName: 'Named' },
    ...{ isDefault: false, heldFor: null },
  });
  expect(await found(null)).toEqual({
    ...folder,
    projectTitle: null,
    folderName: null,
    isDefault: true,
  });
  expect(await found(null, null)).toBeNull();
});

it('a link to the default folder counts as the default, as other channels use it too', async () => {
  const names = { projectTitle: 'Accounts', folderName: 'Named' };
  expect(await found(2)).toMatchObject({ ...names, isDefault: true });
  expect(await found(2, null)).toMatchObject({ isDefault: false });
});

it.each([
  [folder, folder, true],
  [{ ...folder, projectId: 9 }, folder, true],
  [{ ...folder, folderId: 9 }, folder, false],
  [folder, null, false],
])('whether %j is the default folder %j: %s', (one, fallback, is) => {
  expect(isDefaultFolder(one, fallback)).toBe(is);
});

it('a link to the default folder under another project counts as the default too', async () => {
  const other = { ...folder, projectId: 9, projectTitle: null, folderName: null };
  const find = destinationFinder(async () => other, folder);
  expect(await find({ team: 'T1', channel: 'C1' })).toEqual({ ...other, isDefault: true });
});

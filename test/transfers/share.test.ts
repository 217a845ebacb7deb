import { expect, it } from 'vitest';
import { oneFolder } from '../../src/transfers/index.ts';

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

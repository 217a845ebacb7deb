import { expect, it } from 'vitest';
import { eachFileOnce, oneFolder } from '../../src/transfers/index.ts';

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

import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { keepLinkNames } from '../../src/engine/keep-link-names.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { folderLink } from '../support/builders.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';

const CALL = { lane: 'interactive' } as const;
const REF = { team: 'T1', channel: 'C1' };
const LINK = folderLink({ projectTitle: 'Accounts', folderName: 'Invoices' });
const { projectId, folderId } = LINK;

let ledger: Ledger;
beforeEach(async () => {
  ledger = await openEmptyLedger(0);
  await ledger.setLink(REF, LINK);
});
afterEach(() => ledger.close());

/** An account with these names for the linked project and folder. */
function account(title: string, name: string, kept: Partial<Ledger> = {}) {
  const other = { id: folderId + 1, name: 'Another', level: 1, parentId: null, projectId };
  const lists = {
    listProjects: async () => ({
      records: [{ id: projectId, title, archived: false }],
      complete: true,
    }),
    listFolders: async () => ({
      records: [{ ...other, id: folderId, name }, other],
      complete: true,
    }),
  };
  return keepLinkNames(lists, { ledger: { ...ledger, ...kept }, team: 'T1', logger: silentLogger });
}

it('a link takes the account’s names for its folder once the account was asked', async () => {
  const lists = account('Books', 'Bills');
  await lists.listFolders(projectId + 1, CALL);
  expect(await ledger.findLink(REF)).toMatchObject(LINK);
  await lists.listFolders(projectId, CALL);
  expect(await ledger.findLink(REF)).toMatchObject({ ...LINK, folderName: 'Bills' });
  await lists.listProjects(CALL);
  const renamed = { ...LINK, projectTitle: 'Books', folderName: 'Bills' };
  expect(await ledger.findLink(REF)).toMatchObject(renamed);
});

it('a link whose names did not change is not written again', async () => {
  const written: unknown[] = [];
  const renameLinks = async (...names: unknown[]) => void written.push(names);
  const lists = account('Accounts', 'Invoices', { renameLinks });
  await lists.listFolders(projectId, CALL);
  await lists.listProjects(CALL);
  expect(written).toEqual([]);
});

it('a list is returned even when its names cannot be saved', async () => {
  const listLinks = () => Promise.reject(new Error('the disk is full'));
  const lists = account('Books', 'Bills', { listLinks });
  expect((await lists.listProjects(CALL))?.records).toHaveLength(1);
  expect((await lists.listFolders(projectId, CALL))?.records).toHaveLength(2);
});

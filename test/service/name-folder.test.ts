import { expect, it } from 'vitest';
import { type NameCache, nameFolder } from '../../src/service/index.ts';

it('nameFolder returns the names of the channel’s link, and asks the account for other folders', async () => {
  const link = { projectId: 1, folderId: 2, projectTitle: 'Accounts', folderName: 'Invoices' };
  const asked: unknown[] = [];
  const names: Pick<NameCache, 'nameFolder'> = {
    nameFolder: async (folder, options) => {
      asked.push(options?.lane);
      return { projectTitle: 'Asked', folderName: 'Asked', ...folder };
    },
  };
  const ledger = { findLink: async () => link };
  const named = (folderId: number) =>
    nameFolder({ projectId: 1, folderId }, { team: 'T1', channel: 'C1' }, { ledger, names });
  expect(await named(2)).toMatchObject(link);
  expect(await named(3)).toMatchObject({ folderId: 3, projectTitle: 'Asked', folderName: 'Asked' });
  expect(asked).toEqual(['bulk', 'bulk']);
});

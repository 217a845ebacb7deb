import { expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import type { NameCache } from '../../src/service/index.ts';
import { createFindDestination, nameFolder } from '../../src/worker/destinations.ts';

const DEFAULT = { projectId: 1, folderId: 2 };
const channel = { team: 'T1', channel: 'C1' };

/** Returns a channel's destination, given its link's folder and the default folder. */
function found(folderId: number | null, fallback: typeof DEFAULT | null = DEFAULT) {
  const goesOn = { pausedFor: null, pauseNotified: false };
  const linkedBy = {
    ...{ projectTitle: 'Accounts', folderName: 'Named', linkedBy: 'U1', linkedAt: 0 },
    ...goesOn,
  };
  const link = folderId === null ? null : { projectId: 1, folderId, ...linkedBy };
  const ledger: Pick<Ledger, 'findLink'> = { findLink: async () => link };
  return createFindDestination(ledger as Ledger, fallback)(channel);
}

it('findDestination returns the channel’s link, else the default folder, else null', async () => {
  expect(await found(3)).toEqual({
    projectId: 1,
    folderId: 3,
    projectTitle: 'Accounts',
    folderName: 'Named',
    isDefault: false,
    pausedFor: null,
  });
  expect(await found(null)).toEqual({
    ...DEFAULT,
    projectTitle: null,
    folderName: null,
    isDefault: true,
  });
  expect(await found(null, null)).toBeNull();
});

it('findDestination treats a link to the default folder as the default, as other channels use it too', async () => {
  expect(await found(2)).toMatchObject({
    projectTitle: 'Accounts',
    folderName: 'Named',
    isDefault: true,
  });
  expect(await found(2, null)).toMatchObject({ isDefault: false });
});

it('nameFolder returns the names of the channel’s link, and asks the account for other folders', async () => {
  const link = { projectId: 1, folderId: 2, projectTitle: 'Accounts', folderName: 'Invoices' };
  const asked: unknown[] = [];
  const names: Pick<NameCache, 'nameFolder'> = {
    nameFolder: async (folder, { lane }) => {
      asked.push(lane);
      return { projectTitle: 'Asked', folderName: 'Asked', ...folder };
    },
  };
  const ledger: Pick<Ledger, 'findLink'> = {
    findLink: async () => ({
      ...{ ...link, linkedBy: 'U1', linkedAt: 0 },
      ...{ pausedFor: null, pauseNotified: false },
    }),
  };
  const named = (folderId: number) =>
    nameFolder({ projectId: 1, folderId }, channel, { ledger, names });
  expect(await named(2)).toMatchObject(link);
  expect(await named(3)).toMatchObject({ folderId: 3, projectTitle: 'Asked', folderName: 'Asked' });
  expect(asked).toEqual(['bulk', 'bulk']);
});

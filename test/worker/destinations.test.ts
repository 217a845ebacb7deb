import { expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import type { NameCache } from '../../src/service/index.ts';
import { createFindDestination, nameFolder } from '../../src/worker/destinations.ts';

const DEFAULT = { projectId: 1, folderId: 2 };
const channel = { team: 'T1', channel: 'C1' };

/** What a channel's destination is with this link and this default folder. */
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

it('is the channel’s link, else the default folder, else none', async () => {
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

it('is the default folder by a link to it too: what others put there is theirs', async () => {
  expect(await found(2)).toMatchObject({
    projectTitle: 'Accounts',
    folderName: 'Named',
    isDefault: true,
  });
  expect(await found(2, null)).toMatchObject({ isDefault: false });
});

it('is called what the channel’s link calls it; the account is asked for what that does not know', async () => {
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

import { expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import { createFindDestination } from '../../src/worker/worker-context.ts';

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

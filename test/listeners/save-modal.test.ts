import { beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { type Modal, readSaveForm } from '../../src/blocks/index.ts';
import type { Asked } from '../../src/listeners/answer.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';
import { openSaveModal } from '../../src/listeners/save-modal.ts';
import type { OpenModal } from '../../src/slack/index.ts';
import type { ChannelDestination, Destination } from '../../src/transfers/index.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { share } from '../support/shares.ts';

const clock = createFakeClock();
const asked: Asked = {
  ...{ team: 'T1', channel: 'C1', userId: 'U9', role: 'admin', linkBy: 'admins', triggerId: 't' },
  call: { lane: 'interactive' },
};
const OWN: ChannelDestination = {
  ...{ projectId: 1, folderId: 2, projectTitle: 'Office', folderName: 'Plans', isDefault: false },
};

let shown: Modal[];
let updated: OpenModal[];
beforeEach(() => {
  [shown, updated] = [[], []];
});

/** Opens the form, and waits until it is updated with the names of folders. */
async function open(
  last: Destination | null,
  projects: () => Promise<null> = async () => null,
): Promise<void> {
  const background: Promise<unknown>[] = [];
  const ledger: Partial<ListenerContext['ledger']> = { lastSavedTo: async () => last };
  const names: Partial<ListenerContext['names']> = {
    projects: async () => ({ list: await projects(), fetchedAt: clock.now() }),
    nameFolder: async (folder) => ({ ...folder, projectTitle: 'Office', folderName: 'Named' }),
  };
  const workspace: Partial<ListenerContext['workspace']> = {
    openModal: async (_trigger, modal) => {
      shown.push(modal as Modal);
      return { id: 'V1', hash: 'h1' };
    },
    updateModal: async (opened, modal) => {
      updated.push(opened);
      shown.push(modal as Modal);
    },
  };
  const context = {
    ...{ ledger, names, workspace, clock, logger: silentLogger, isBusy: () => false },
    findDestination: async () => OWN,
    inBackground: (work: Promise<unknown>) => void background.push(work),
  } as Partial<ListenerContext> as ListenerContext;
  expect(await openSaveModal(asked, share(), context)).toBeNull();
  await Promise.all(background);
}

const blocksOf = (modal: Modal | undefined) => modal?.blocks.map(({ block_id }) => block_id);

describe('the form that saves files', () => {
  it('is updated by its hash, so that an update never overwrites a person’s change', async () => {
    await open(null);
    expect(updated).toEqual([{ id: 'V1', hash: 'h1' }]);
  });

  it('offers the last folder and the channel’s, but the same folder only once', async () => {
    const picks = () => {
      const private_metadata = shown.at(-1)?.private_metadata ?? '';
      return readSaveForm({ private_metadata })?.picks.map(({ why, folderId }) => [why, folderId]);
    };
    await open({ projectId: 1, folderId: 2 });
    expect(picks()).toEqual([['last', 2]]);
    await open({ projectId: 1, folderId: 3 });
    expect(picks()).toEqual([
      ['last', 3],
      ['channel', 2],
    ]);
  });

  it('has no project field if the account lists no projects', async () => {
    await open(null);
    expect(blocksOf(shown.at(-1))).not.toContain('project_0');
  });

  it('names folders and keeps the project field if the projects cannot be read', async () => {
    await open({ projectId: 1, folderId: 3 }, () => Promise.reject(new Error('down')));
    expect(JSON.stringify(shown.at(-1))).toContain('Named');
    expect(blocksOf(shown.at(-1))).toContain('project_0');
  });
});

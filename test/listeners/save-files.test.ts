import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { type FilesToSave, type Modal, SAVE_FORM } from '../../src/blocks/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import type { Asked } from '../../src/listeners/answer.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';
import { openSaveModal, saveFiles } from '../../src/listeners/save-files.ts';
import { type OpenModal, SlackFileError } from '../../src/slack/index.ts';
import type { ChannelDestination, Destination } from '../../src/transfers/index.ts';
import { share, sharedFile } from '../support/builders.ts';
import { holdNext } from '../support/claim-next.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';

const clock = createFakeClock();
const REF = { team: 'T1', channel: 'C1', ts: '1' };
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
      return SAVE_FORM.read({ private_metadata })?.picks.map(({ why, folderId }) => [
        why,
        folderId,
      ]);
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

let ledger: Ledger;
let lookedUp: string[];
/** The files that Slack denies the bot. */
let denied: Set<string>;
beforeEach(async () => {
  ledger = await openEmptyLedger(clock.now());
  [lookedUp, denied] = [[], new Set()];
});
afterEach(() => ledger.close());

/** Saves the files of a message to a folder. Returns what the person reads. */
function save(files: readonly string[]): Promise<string> {
  const workspace: Partial<ListenerContext['workspace']> = {
    fileInfo: async ({ id }) => {
      lookedUp.push(id);
      if (denied.has(id)) throw new SlackFileError('SLACK_FILE_DENIED', id);
      return sharedFile({ id, name: `${id}.pdf` });
    },
  };
  const unlisted = { list: null, fetchedAt: clock.now() };
  const names: Partial<ListenerContext['names']> = {
    projects: async () => unlisted,
    folders: async () => unlisted,
    nameFolder: async (folder) => ({ projectTitle: null, folderName: null, ...folder }),
  };
  const service: Partial<ListenerContext['service']> = {
    peekFiles: async () => ({ entries: [], whole: true, askedAt: 0, serviceTime: null }),
    listProjects: async () => null,
    listFolders: async () => null,
  };
  const context = {
    ...{ ledger, workspace, names, service, clock, logger: silentLogger },
    ...{ accountUrl: 'https://files.example', isBusy: () => false, wake: () => undefined },
    findDestination: async () => null,
  } as Partial<ListenerContext> as ListenerContext;
  const { channel, ts } = REF;
  const message: FilesToSave = {
    channel,
    ts,
    threadTs: null,
    sharedBy: 'U1',
    files: [...files],
    names: [],
  };
  return saveFiles(asked, { message, typed: '1/2' }, context).then((saved) =>
    'said' in saved ? saved.said().text : `refused: ${JSON.stringify(saved.why)}`,
  );
}

async function transfers() {
  const shares = await ledger.sharesOf(REF);
  return (await Promise.all(shares.map(({ id }) => ledger.transfersOfShare(id)))).flat();
}

describe('saveFiles', () => {
  it('records a denied file too if Slack gives another file of the message', async () => {
    denied.add('F1');
    expect(await save(['F1', 'F2'])).toMatch(/^2 files are on the way/);
    expect((await transfers()).map(({ name, file }) => [file.id, name])).toEqual([
      ['F1', expect.any(String)],
      ['F2', 'F2.pdf'],
    ]);
  });

  it('refuses a message if Slack denies all its files', async () => {
    denied.add('F1');
    expect(await save(['F1'])).toMatch(/^refused: .*not in this conversation/);
    expect(await transfers()).toEqual([]);
  });

  it('looks up 10 of 80 files in Slack, and records all 80', async () => {
    const many = Array.from({ length: 80 }, (_, nth) => `F${nth}`);
    expect(await save(many)).toMatch(/^80 files/);
    expect(lookedUp).toHaveLength(10);
    expect(await transfers()).toHaveLength(80);
  });

  it('records a file once for two simultaneous requests, which both confirm it', async () => {
    const said = await Promise.all([save(['F1']), save(['F1'])]);
    expect(said.toSorted()).toEqual([
      expect.stringMatching(/^1 file is on the way/),
      expect.stringMatching(/^This file is already in .*, or on the way there/),
    ]);
    expect(await transfers()).toHaveLength(1);
  });

  it('retries a file that was refused before', async () => {
    await save(['F1']);
    const claim = await holdNext(ledger, { now: clock.now(), token: 't' });
    const problem = { code: 'SERVICE_REFUSED' as const, note: null };
    await ledger.markRefused(claim, { problem, now: clock.now() });
    expect(await save(['F1'])).toMatch(/^This file is already/);
    expect(await transfers()).toMatchObject([{ state: 'recorded', problem: null }]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import type { ChannelDestination, Destination } from '../../../src/core/index.ts';
import type { Ledger } from '../../../src/ledger/index.ts';
import { type OpenModal, SlackFileError } from '../../../src/slack/index.ts';
import type { Asked } from '../../../src/surfaces/kit/answer.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import type { Modal } from '../../../src/surfaces/link/folder-form-view.ts';
import { openSaveModal, saveAgain, saveFiles } from '../../../src/surfaces/save/save-files.ts';
import { type FilesToSave, SAVE_FORM } from '../../../src/surfaces/save/save-view.ts';
import { recording, share, sharedFile } from '../../support/builders.ts';
import { createNext, holdNext } from '../../support/claim-next.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { openEmptyLedger } from '../../support/open-empty-ledger.ts';

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
  const ledger: Partial<SurfaceContext['ledger']> = { lastSavedTo: async () => last };
  const names: Partial<SurfaceContext['names']> = {
    projects: async () => ({ list: await projects(), fetchedAt: clock.now() }),
    nameFolder: async (folder) => ({ ...folder, projectTitle: 'Office', folderName: 'Named' }),
  };
  const workspace: Partial<SurfaceContext['workspace']> = {
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
  } as Partial<SurfaceContext> as SurfaceContext;
  expect(await openSaveModal(asked, share(), context)).toBeNull();
  await Promise.all(background);
}

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

  it('says how to name a folder if the account lists no projects', async () => {
    await open(null);
    expect(JSON.stringify(shown.at(-1))).toContain('doesn’t list its folders here');
  });

  it('names folders and can be searched if the projects cannot be read', async () => {
    await open({ projectId: 1, folderId: 3 }, () => Promise.reject(new Error('down')));
    expect(JSON.stringify(shown.at(-1))).toContain('Named');
    expect(JSON.stringify(shown.at(-1))).not.toContain('doesn’t list');
  });
});

let ledger: Ledger;
let lookedUp: string[];
/** The files that Slack denies the bot, and those that were deleted. */
let denied: Set<string>;
let deleted: Set<string>;
beforeEach(async () => {
  ledger = await openEmptyLedger(clock.now());
  [lookedUp, denied, deleted] = [[], new Set(), new Set()];
});
afterEach(() => ledger.close());

/** Saves the files of a message to a folder. Returns what the person reads. */
function save(files: readonly string[]): Promise<string> {
  const workspace: Partial<SurfaceContext['workspace']> = {
    fileInfo: async ({ id }) => {
      lookedUp.push(id);
      if (denied.has(id)) throw new SlackFileError('SLACK_FILE_DENIED', id);
      if (deleted.has(id)) throw new SlackFileError('SLACK_FILE_DELETED', id);
      return sharedFile({ id, name: `${id}.pdf` });
    },
  };
  const unlisted = { list: null, fetchedAt: clock.now() };
  const names: Partial<SurfaceContext['names']> = {
    projects: async () => unlisted,
    folders: async () => unlisted,
    nameFolder: async (folder) => ({ projectTitle: null, folderName: null, ...folder }),
  };
  const service: Partial<SurfaceContext['service']> = {
    peekFiles: async () => ({ entries: [], whole: true, askedAt: 0, serviceTime: null }),
    listProjects: async () => null,
    listFolders: async () => null,
  };
  const context = {
    ...{ ledger, workspace, names, service, clock, logger: silentLogger },
    ...{ accountUrl: 'https://files.example', isBusy: () => false, wake: () => undefined },
    findDestination: async () => null,
  } as Partial<SurfaceContext> as SurfaceContext;
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

/** Presses “File again”, where the conversation may be closed to the person. */
async function again(by: Partial<Asked> = {}, isClosed = false): Promise<string> {
  const workspace = { isClosedTo: async () => isClosed } as Partial<SurfaceContext['workspace']>;
  const context = {
    ...{ ledger, workspace, clock, logger: silentLogger, wake: () => undefined },
  } as Partial<SurfaceContext> as SurfaceContext;
  const claim = { projectId: 1, folderId: 2, channel: REF.channel, ts: REF.ts };
  return (await saveAgain({ ...asked, ...by, channel: '' }, claim, context))?.text ?? '';
}

async function transfers() {
  const shares = await ledger.sharesOf(REF);
  return (await Promise.all(shares.map(({ id }) => ledger.transfersOfShare(id)))).flat();
}

describe('saveFiles', () => {
  it('records a denied file too if Slack gives another file of the message', async () => {
    denied.add('F1');
    expect(await save(['F1', 'F2'])).toMatch(/^Saving 2 files to/);
    expect((await transfers()).map(({ name, file }) => [file.id, name])).toEqual([
      ['F1', expect.any(String)],
      ['F2', 'F2.pdf'],
    ]);
  });

  it('refuses a message if Slack denies all its files', async () => {
    denied.add('F1');
    expect(await save(['F1'])).toMatch(/^refused: .*I can’t read .*this file/);
    expect(await transfers()).toEqual([]);
  });

  it('looks up 10 of 80 files in Slack, and records all 80', async () => {
    const many = Array.from({ length: 80 }, (_, nth) => `F${nth}`);
    expect(await save(many)).toMatch(/^Saving 80 files/);
    expect(lookedUp).toHaveLength(10);
    expect(await transfers()).toHaveLength(80);
  });

  it('records a file once for two simultaneous requests, which both confirm it', async () => {
    const said = await Promise.all([save(['F1']), save(['F1'])]);
    expect(said.toSorted()).toEqual([
      expect.stringMatching(/^1 file is already in .*, or on the way/),
      expect.stringMatching(/^Saving 1 file to/),
    ]);
    expect(await transfers()).toHaveLength(1);
  });

  it('says what is saved, what is there, and what was removed, and asks before it saves that', async () => {
    await save(['F1', 'F2']);
    const claim = await createNext(ledger, { now: clock.now(), token: 't' });
    await ledger.markFiled({ claim, recordId: 7, now: clock.now() });
    const [first] = await transfers();
    await ledger.markDeleted(first?.id ?? 0, { deletedBy: 'U1', now: clock.now() });
    expect(await save(['F1', 'F2', 'F3'])).toBe(
      [
        'Saving 1 file to folder 1/2; I’ll confirm in the thread or by direct message.',
        '1 file is already in folder 1/2, or on the way.',
        'Removed from folder 1/2 before, so left out: F1.pdf.',
      ].join('\n'),
    );
    const state = async () => (await transfers()).find(({ file }) => file.id === 'F1')?.state;
    expect(await state()).toBe('deleted');
    expect(await again()).toMatch(/^Saving 1 file again\./);
    expect(await state()).toBe('recorded');
    expect(await again()).toMatch(/^Already there/);
    expect(await transfers()).toHaveLength(3);
  });

  it('saves nothing again for a person who may not save, or has left the channel', async () => {
    await save(['F1']);
    const claim = await createNext(ledger, { now: clock.now(), token: 't' });
    await ledger.markFiled({ claim, recordId: 7, now: clock.now() });
    const [first] = await transfers();
    await ledger.markDeleted(first?.id ?? 0, { deletedBy: 'U1', now: clock.now() });
    expect(await again({ role: 'member' })).toMatch(/^Only workspace admins can save/);
    const left = { role: 'member', linkBy: 'members' } as const;
    expect(await again(left, true)).toContain('not in <#C1> any more');
    expect(await transfers()).toMatchObject([{ state: 'deleted' }]);
  });

  it('retries a file that was refused before', async () => {
    await save(['F1']);
    const claim = await holdNext(ledger, { now: clock.now(), token: 't' });
    const problem = { code: 'SERVICE_REFUSED' as const, note: null };
    await ledger.markRefused(claim, { problem, now: clock.now() });
    expect(await save(['F1'])).toMatch(/^1 file is already/);
    expect(await transfers()).toMatchObject([{ state: 'recorded', problem: null }]);
  });

  it('says which files were deleted in Slack, before they were recorded or after', async () => {
    await save(['F1', 'F2']);
    const claim = await holdNext(ledger, { now: clock.now(), token: 't' });
    const problem = { code: 'SLACK_FILE_DELETED' as const, note: null };
    await ledger.markRefused(claim, { problem, now: clock.now() });
    deleted = new Set(['F1', 'F3']);
    expect(await save(['F1', 'F2', 'F3'])).toBe(
      ['1 file is already in folder 1/2, or on the way.', '2 files were deleted in Slack.'].join(
        '\n',
      ),
    );
    expect(await transfers()).toHaveLength(2);
  });

  it('says that a file is in the folder whose Slack file was deleted since', async () => {
    await save(['F1', 'F2']);
    const claim = await createNext(ledger, { now: clock.now(), token: 't' });
    await ledger.markFiled({ claim, recordId: 7, now: clock.now() });
    deleted.add('F1');
    expect(await save(['F1', 'F2'])).toMatch(/^2 files are already in folder 1\/2/);
  });

  it('leaves files of the message that go to another folder as they are', async () => {
    const { shareId } = await ledger.recordShare(
      recording(
        { ...REF, files: [sharedFile({ id: 'F1' })] },
        { destination: { projectId: 3, folderId: 4 }, now: clock.now() },
      ),
    );
    const claim = await holdNext(ledger, { now: clock.now(), token: 't' });
    await ledger.markRefused(claim, {
      problem: { code: 'RECORD_UNCONFIRMED', note: null },
      now: clock.now(),
    });
    await ledger.recordShare(
      recording(
        { ...REF, files: [sharedFile({ id: 'F2' })] },
        { destination: { projectId: 1, folderId: 2 }, now: clock.now() },
      ),
    );
    await save(['F2']);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([
      { state: 'refused', problem: 'RECORD_UNCONFIRMED' },
      { state: 'recorded' },
    ]);
  });
});

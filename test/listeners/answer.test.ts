import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { type Asked, admit, answer } from '../../src/listeners/answer.ts';
import { deleteFile } from '../../src/listeners/delete-file.ts';
import { linkChannel } from '../../src/listeners/link-channel.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';
import { showFiles } from '../../src/listeners/show-files.ts';
import { showFolders, showProjects } from '../../src/listeners/show-folders.ts';
import type { Destination } from '../../src/transfers/index.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { fileRecord } from '../support/file-record.ts';

const clock = createFakeClock();
const ASKER = { team: 'T1', channel: 'C1', userId: 'U7', userTeam: 'T1' };
const FILES = {
  files: [fileRecord({ id: 3, name: 'a.pdf', byteSize: 5 })],
  unreadable: 0,
  complete: true,
  serviceTime: null,
  fetchedAt: clock.now(),
};
const FOLDER = { id: 2, name: 'Inbox', level: 1, parentId: null, projectId: 1 };
const FOLDERS = { records: [FOLDER], complete: false };
const PROJECTS = { records: [{ id: 1, title: 'P', archived: false }], complete: false };

/** A context whose parts note each call to the service with whom it is made for. */
function notingContext(calls: Record<string, unknown>): ListenerContext {
  const noting = (answers: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(answers).map(([name, answer]) => [
        name,
        async (...rest: unknown[]) => {
          calls[name] = Object(rest.at(-1)).queue;
          return answer;
        },
      ]),
    );
  const service = noting({
    glimpseFiles: { list: FILES, readRest: null },
    listFiles: FILES,
    deleteFile: 'deleted',
  }) as Partial<ListenerContext['service']>;
  const names = {
    ...noting({
      projects: { list: PROJECTS, fetchedAt: clock.now() },
      folders: { list: FOLDERS, fetchedAt: clock.now() },
    }),
    projectTitle: async () => null,
    nameFolder: async (folder: Destination) => ({
      projectTitle: null,
      folderName: null,
      ...folder,
    }),
  } as Partial<ListenerContext['names']>;
  const ledger: Partial<ListenerContext['ledger']> = {
    transferOfRecord: async () => null,
    openCreates: async () => [],
    lastCreators: async () => new Set(),
    filedRecords: async () => new Map(),
    findLink: async () => null,
    setLink: async () => null,
    isWatched: async () => false,
    setWatched: async () => false,
    confirmFirst: async () => true,
    catchUpSince: async () => null,
    countParked: async () => 0,
  };
  const workspace: Partial<ListenerContext['workspace']> = {
    actor: async (userId) => ({ userId, role: 'admin' }),
    announce: async () => undefined,
  };
  const destination = {
    projectId: 1,
    folderId: 2,
    projectTitle: null,
    folderName: null,
    isDefault: false,
  };
  const context: Partial<ListenerContext> = {
    clock,
    logger: silentLogger,
    findDestination: async () => destination,
    isAlone: true,
    operator: null,
    isBusy: () => false,
    wake: () => undefined,
    inBackground: () => undefined,
    ledger: ledger as ListenerContext['ledger'],
    service: service as ListenerContext['service'],
    names: names as ListenerContext['names'],
    workspace: workspace as ListenerContext['workspace'],
    backfill: { count: async () => ({ count: 0, more: false }), begin: async () => undefined },
  };
  return context as ListenerContext;
}

it('every call to the service is made in the name of who asked', async () => {
  const calls: Record<string, unknown> = {};
  const context = notingContext(calls);
  const claim = { projectId: 1, folderId: 2, fileId: 3, page: 1, filter: null };
  const requests: ((asked: Asked) => Promise<object | null>)[] = [
    (asked) => showFiles({ asked, page: 1, filter: null, notice: null }, context),
    (asked) => deleteFile(asked, claim, context),
    (asked) => linkChannel(asked, '1/2', context),
    (asked) => linkChannel(asked, '1/not there', context),
    (asked) => linkChannel(asked, '1/9', context),
    (asked) => showFolders(asked, { projectId: 1, page: 1 }, context),
    (asked) => showProjects(asked, { page: 1 }, context),
  ];
  for (const request of requests)
    await admit(ASKER, context, async (asked) => {
      await request(asked);
      return null;
    });
  expect(calls).toEqual({
    glimpseFiles: 'U7',
    listFiles: 'U7',
    deleteFile: 'U7',
    projects: 'U7',
    folders: 'U7',
  });
});

describe('a command that takes longer than a second', () => {
  it.each([
    [1_001, 'Here', ['Looking…', 'Here']],
    [999, 'Here', ['Here']],
    // What there is to say is said elsewhere.
    [1_001, null, ['Looking…', 'Done.']],
    [999, null, []],
  ])('after %i ms with %j is told what it waits for', async (ms, text, told) => {
    const said: unknown[] = [];
    const respond = async (message: unknown) => {
      said.push(Object(message).text);
      return new Response();
    };
    const context = { ...notingContext({}), turns: { take: () => ({ end: () => undefined }) } };
    const command = { respond, doing: 'list', asker: ASKER, isCommand: true } as const;
    const answered = answer(command, context, async () => {
      await clock.sleep(ms);
      return text === null ? null : { text, blocks: [] };
    });
    await clock.advance(0);
    await clock.advance(ms);
    await answered;
    expect(said).toEqual(told);
  });
});

it('what was done is not denied where the rest of the list cannot be read', async () => {
  const said: string[] = [];
  const respond = async (message: unknown) => void said.push(Object(message).text);
  const turns = { take: () => ({ end: () => undefined }) };
  const random = { id: () => 'a1b2c3d4' };
  const context = { ...notingContext({}), turns, random } as unknown as ListenerContext;
  const done = { text: 'Deleted a.pdf.', blocks: [], rest: () => Promise.reject(new Error('odd')) };
  await answer({ respond, doing: 'delete', asker: ASKER }, context, async () => done);
  expect(said).toEqual(['Deleted a.pdf.', expect.stringContaining('I couldn’t list the files')]);
});

import type { App } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import type { Destination } from '../../../src/core/index.ts';
import { SlackCallError } from '../../../src/slack/index.ts';
import { deleteFile } from '../../../src/surfaces/delete/delete-file.ts';
import { showFiles } from '../../../src/surfaces/files/show-files.ts';
import { findFiles } from '../../../src/surfaces/find/find-files.ts';
import { showFolders, showProjects } from '../../../src/surfaces/folders/show-folders.ts';
import { type Asked, answer, identify, respondInThread } from '../../../src/surfaces/kit/answer.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { linkChannel } from '../../../src/surfaces/link/link-channel.ts';
import { listenForSettings } from '../../../src/surfaces/settings/settings-modal.ts';
import { fileRecord } from '../../support/builders.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { foldersInMemory } from '../../support/folders-in-memory.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const clock = createFakeClock();
const ASKER = { channel: 'C1', userId: 'U7', userTeam: 'T1' };
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

/** A context that records each call to the service and the person in whose queue it is made. */
function recordingContext(calls: string[]): SurfaceContext {
  const recorded = (answers: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(answers).map(([name, answer]) => [
        name,
        async (...rest: unknown[]) => {
          calls.push(`${name} for ${Object(rest.at(-1)).queue}`);
          return answer;
        },
      ]),
    );
  const service = {
    ...recorded({
      peekFiles: { entries: FILES.files, whole: true, askedAt: clock.now(), serviceTime: null },
      deleteFile: 'deleted',
      createFolder: { ...FOLDER, id: 8, name: 'general' },
    }),
    creators: new Set(),
  } as Partial<SurfaceContext['service']>;
  const names = {
    ...recorded({
      projects: { list: PROJECTS, fetchedAt: clock.now() },
      folders: { list: FOLDERS, fetchedAt: clock.now() },
    }),
    isFolderListed: async () => true,
    projectTitle: async () => null,
    nameFolder: async (folder: Destination) => ({
      projectTitle: null,
      folderName: null,
      ...folder,
    }),
  } as Partial<SurfaceContext['names']>;
  const ledger: Partial<SurfaceContext['ledger']> = {
    openCreates: async () => [],
    knownCreators: async () => new Set(),
    filedRecords: async () => new Map(),
    everFiledAs: async () => new Map(),
    beginDelete: async () => undefined,
    begunDeletes: async () => [],
    findLink: async () => null,
    setLines: async () => false,
    setLink: async () => ({ isNew: true, wasFolder: null }),
    setWatched: async () => false,
    confirmFirst: async () => true,
    countParked: async () => 0,
    savedFolders: async () => [],
  };
  const workspace: Partial<SurfaceContext['workspace']> = {
    isClosedTo: async () => false,
    actor: async (userId) => ({ userId, role: 'admin' }),
    announce: async () => undefined,
    identity: { team: 'T1', botUserId: 'U0', botId: undefined },
    channelsOf: async () => ['C1'],
    addressOf: () => null,
  };
  const destination = {
    projectId: 1,
    folderId: 2,
    projectTitle: null,
    folderName: null,
    isDefault: false,
  };
  const { folders, mirror } = foldersInMemory(async (_folder, options) => {
    calls.push(`readFolder for ${options.queue}`);
    return FILES;
  });
  const context: Partial<SurfaceContext> = {
    clock,
    logger: silentLogger,
    findDestination: async () => destination,
    operator: null,
    isBusy: () => false,
    wake: () => undefined,
    wakeNotifier: () => undefined,
    inBackground: () => undefined,
    ledger: { ...ledger, ...mirror } as SurfaceContext['ledger'],
    service: service as SurfaceContext['service'],
    folders,
    names: names as SurfaceContext['names'],
    workspace: workspace as SurfaceContext['workspace'],
    countEarlier: async () => ({ count: 0, more: false }),
  };
  return context as SurfaceContext;
}

/** Submits the form that links a channel, with a new folder chosen. */
async function sendLinkForm(context: SurfaceContext): Promise<void> {
  let submit: (args: object) => Promise<void> = async () => undefined;
  const view = (_at: object, listener: typeof submit) => {
    submit = listener;
  };
  const app = { action: () => undefined, view } as Partial<App> as App;
  listenForSettings(app, context);
  const chosen = (value: string) => ({ selected_option: { value, text: { text: value } } });
  const sent = {
    id: 'V1',
    private_metadata: JSON.stringify({ channel: 'C1', channelName: 'general' }),
    state: { values: { folder: { form_folder: chosen('new/1/general') } } },
  };
  await submit({
    ack: async () => undefined,
    view: sent,
    body: { user: { id: 'U7' }, view: sent },
  });
}

/** What a person may request, each with the calls to the service that it makes. */
const REQUESTS: [
  what: string,
  ask: (asked: Asked, context: SurfaceContext) => Promise<unknown>,
  calls: string[],
][] = [
  [
    'a list',
    (asked, context) => showFiles(asked, { page: 1, filter: null }, context),
    ['readFolder'],
  ],
  [
    'a search',
    (asked, context) => findFiles(asked, { words: 'a', kind: null, page: 1 }, context),
    ['readFolder'],
  ],
  [
    'a deletion',
    (asked, context) =>
      deleteFile(asked, { projectId: 1, folderId: 2, fileId: 3, page: 1, filter: null }, context),
    ['deleteFile', 'readFolder'],
  ],
  ['a link', (asked, context) => linkChannel(asked, '1/2', context), ['folders', 'peekFiles']],
  [
    'a link to a folder name that is not listed',
    (asked, context) => linkChannel(asked, '1/not there', context),
    ['folders', 'projects'],
  ],
  [
    'a link to a folder number that is not listed',
    (asked, context) => linkChannel(asked, '1/9', context),
    ['folders', 'peekFiles', 'projects'],
  ],
  [
    'a link to a new folder',
    (_, context) => sendLinkForm(context),
    ['createFolder', 'folders', 'peekFiles', 'projects'],
  ],
  [
    'the folders',
    (asked, context) => showFolders(asked, { projectId: 1, page: 1 }, context),
    ['folders'],
  ],
  ['the projects', (asked, context) => showProjects(asked, { page: 1 }, context), ['projects']],
];

it.each(REQUESTS)(
  'a request calls the service only in the queue of the person who asked: %s',
  async (_what, ask, expected) => {
    const calls: string[] = [];
    const context = recordingContext(calls);
    await ask(await identify(ASKER, context), context);
    expect([...new Set(calls)].sort()).toEqual(expected.map((name) => `${name} for U7`));
  },
);

describe('a typed command', () => {
  it.each([
    [1_001, 'Here', ['This takes a moment. The answer comes in a new message.', 'Here']],
    [999, 'Here', ['Here']],
    // An answer of null: the outcome is shown elsewhere.
    [1_001, null, ['This takes a moment. The answer comes in a new message.', 'Done.']],
    [999, null, []],
  ])('that takes %i ms and resolves with %j shows %j', async (ms, text, told) => {
    const said: unknown[] = [];
    const respond = async (message: unknown) => {
      said.push(Object(message).text);
      return new Response();
    };
    const context = recordingContext([]);
    const afterLooking = { text: 'Done.', blocks: [] };
    const command = { respond, doing: 'list' as const, asker: ASKER, afterLooking };
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

it('answer confirms a finished delete before it reports that the list cannot be read', async () => {
  const said: string[] = [];
  const respond = async (message: unknown) => void said.push(Object(message).text);
  const context = { ...recordingContext([]), random: seededRandom(1) };
  const done = { text: 'Deleted a.pdf.', blocks: [], rest: () => Promise.reject(new Error('odd')) };
  await answer({ respond, doing: 'delete', asker: ASKER }, context, async () => done);
  expect(said).toEqual(['Deleted a.pdf.', expect.stringContaining('I couldn’t list the files')]);
});

it.each([
  [1, ['Deleted a.pdf.', 'Deleted a.pdf.']],
  [2, ['Deleted a.pdf.', 'Deleted a.pdf.', expect.stringContaining('went wrong')]],
])('an answer that Slack does not take %i times is sent once more', async (failures, told) => {
  const said: string[] = [];
  const respond = async (message: unknown) => {
    said.push(Object(message).text);
    if (said.length <= failures) throw new TypeError('fetch failed');
  };
  const context = { ...recordingContext([]), random: seededRandom(1) };
  const done = { text: 'Deleted a.pdf.', blocks: [] };
  await answer({ respond, doing: 'delete', asker: ASKER }, context, async () => done);
  expect(said).toEqual(told);
});

describe('an answer to a request from a thread', () => {
  const ANSWER = {
    response_type: 'ephemeral',
    replace_original: false,
    text: 'a',
  } as const;

  it.each([
    ['is posted in the thread', { ts: '2', thread: '1' }, true, ['posted in 1']],
    [
      'goes to the response_url where it cannot be posted there',
      { ts: '2', thread: '1' },
      false,
      ['responded'],
    ],
    [
      'goes to the response_url for the thread’s first message',
      { ts: '1', thread: '1' },
      true,
      ['responded'],
    ],
    [
      'goes to the response_url outside threads',
      { ts: '1', thread: undefined },
      true,
      ['responded'],
    ],
  ])('%s', async (_, message, isPosted, done) => {
    const went: string[] = [];
    const workspace: Pick<SurfaceContext['workspace'], 'postEphemeral'> = {
      postEphemeral: async ({ threadTs }) => {
        if (!isPosted) throw new SlackCallError('SLACK_RATE_LIMITED', 'wait', { retryAfterMs: 1 });
        went.push(`posted in ${threadTs}`);
      },
    };
    const respond = async () => void went.push('responded');
    const context = { workspace: workspace as SurfaceContext['workspace'] };
    await respondInThread(ASKER, { ...message, respond }, context)({ ...ANSWER, blocks: [] });
    expect(went).toEqual(done);
  });
});

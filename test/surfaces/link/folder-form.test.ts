import type { App } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import type { Destination } from '../../../src/core/index.ts';
import { SlackCallError } from '../../../src/slack/index.ts';
import type { Option } from '../../../src/surfaces/kit/layout.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import {
  listenForFolderSearch,
  listenForFolderUse,
} from '../../../src/surfaces/link/folder-form.ts';
import { FOLDER_FIELD } from '../../../src/surfaces/link/folder-form-view.ts';
import { countedNames } from '../../support/counted-names.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const MODAL = {
  type: 'modal' as const,
  title: { type: 'plain_text' as const, text: 'x' },
  blocks: [],
};
const PROBLEM = { why: ['There’s no such folder.'] };

interface Submission {
  /** Resolves when the check of the folder ends with PROBLEM. Default: at once. */
  checked?: Promise<void>;
  /** Whether the form was opened outside its channel. Default: false. */
  isElsewhere?: boolean;
}

/** Submits a form. Returns the responses to Slack and the private messages to the sender. */
async function send({ checked = Promise.resolve(), isElsewhere = false }: Submission) {
  const clock = createFakeClock();
  const acks: unknown[] = [];
  const ephemerals: string[] = [];
  const direct: string[] = [];
  let used = 0;
  const closed = new SlackCallError('SLACK_REFUSED', 'no', { reason: 'not_found' });
  const workspace = {
    identity: { team: 'T1', botUserId: 'U0', botId: 'B0' },
    actor: async (userId: string) => ({ userId, role: 'admin' as const }),
    updateModal: () => Promise.reject(closed),
    postEphemeral: async (_to: object, { text }: { text: string }) => void ephemerals.push(text),
    notify: async (_user: string, { text }: { text: string }) => {
      direct.push(text);
      return { channel: 'D1', ts: '1' };
    },
  } as Partial<SurfaceContext['workspace']> as SurfaceContext['workspace'];
  const background: Promise<unknown>[] = [];
  const context = {
    ...{ clock, workspace, logger: silentLogger, linkBy: 'admins', operator: null },
    inBackground: (work: Promise<unknown>) => void background.push(work),
  } as Partial<SurfaceContext> as SurfaceContext;
  let submit: (args: object) => Promise<void> = async () => undefined;
  const app = {
    action: () => undefined,
    view: (_at: object, listener: typeof submit) => {
      submit = listener;
    },
  } as Partial<App> as App;
  const FORM = {
    ...{ channel: 'C012ABCDEF', channelName: null, isElsewhere },
    ...{ isListed: true, folder: null },
  };
  const use = {
    kind: {
      ...{ callbackId: 'x', read: () => FORM, requestOf: () => ({ typed: '1/2' }) },
      ...{ show: () => MODAL, checking: MODAL, done: () => MODAL },
    },
    doing: 'save' as const,
    perform: async () => {
      used += 1;
      await checked;
      return PROBLEM;
    },
  };
  listenForFolderUse(app, use, context);
  const view = {
    id: 'V1',
    private_metadata: '{}',
    state: { values: { folder: { form_folder: {} } } },
  };
  const ack = async (answer: object) => void acks.push(answer);
  const sent = submit({ ack, body: { user: { id: 'U1' }, team: { id: 'T1' }, view }, view });
  return { sent, clock, acks, ephemerals, direct, background, used: () => used };
}

it('a form shows a problem beside its field', async () => {
  const { sent, acks } = await send({});
  await sent;
  expect(acks).toEqual([{ response_action: 'errors', errors: { folder: PROBLEM.why[0] } }]);
});

it.each([
  ['in the channel gets its problem there', false, { ephemerals: [PROBLEM.why[0]], direct: [] }],
  [
    'elsewhere gets its problem as a direct message',
    true,
    { ephemerals: [], direct: [`<#C012ABCDEF>: ${PROBLEM.why[0]}`] },
  ],
])('the sender of a closed form that was opened %s', async (_what, isElsewhere, told) => {
  const { promise: checked, resolve } = Promise.withResolvers<void>();
  const { sent, clock, acks, background, ...messages } = await send({ checked, isElsewhere });
  await clock.advance(2_000);
  expect(acks).toEqual([{ response_action: 'update', view: MODAL }]);
  resolve();
  await sent;
  await Promise.all(background);
  expect(messages).toMatchObject(told);
});

describe('the search for a folder', () => {
  const view = { private_metadata: JSON.stringify({ channel: 'C012ABCDEF' }) };
  const body = { user: { id: 'U1' }, team: { id: 'T1' }, view, block_id: 'folder' };
  const clock = createFakeClock();

  /** Returns a search in the field; resolves with the options. */
  function searching(lists: Partial<SurfaceContext['names']>, own: Destination | null = null) {
    let listener: (search: object) => Promise<void> = async () => undefined;
    const app = {
      options: (_at: object, given: typeof listener) => {
        listener = given;
      },
    } as Partial<App> as App;
    const workspace = {
      identity: { team: 'T1', botUserId: 'U0', botId: 'B0' },
      actor: async (userId: string) => ({ userId, role: 'admin' as const }),
    } as Partial<SurfaceContext['workspace']> as SurfaceContext['workspace'];
    const names = { knownFolders: () => undefined, ...lists } as SurfaceContext['names'];
    const named = own && { ...own, projectTitle: 'Own', folderName: null, isDefault: false };
    const context = {
      ...{ clock, logger: silentLogger, workspace, names, accountUrl: 'https://acme.example' },
      ...{ linkBy: 'admins', isBusy: () => false, findDestination: async () => named },
    } as Partial<SurfaceContext> as SurfaceContext;
    listenForFolderSearch(app, context);
    return async (value: string) => {
      const found: { options: Option[] }[] = [];
      const ack = async (answer: { options: Option[] }) => void found.push(answer);
      await listener({ ack, body: { ...body, action_id: FOLDER_FIELD, value } });
      return found.flatMap(({ options }) => options);
    };
  }

  const words = (options: Option[]) => options.map(({ text }) => text.text);
  const listed = <T>(records: T[]) => ({ list: { records, complete: true }, fetchedAt: 0 });
  const projects = (count: number) =>
    Array.from({ length: count }, (_, nth) => ({
      ...{ id: nth + 1, title: `Project ${nth + 1}`, archived: false },
    }));
  const logos = (projectId: number) => ({
    ...{ id: 100 + projectId, name: 'Logos', level: 1, parentId: null, projectId },
  });

  it('reads each name of the account once, however often it is searched', async () => {
    const named = Array.from({ length: 500 }, (_, nth) => {
      const parentId = nth % 50 === 0 ? null : nth;
      return { id: nth + 1, name: `Plan ${nth}`, level: 1, parentId, projectId: 1 };
    });
    const folders = countedNames(named, 'name');
    const titles = countedNames(projects(1), 'title');
    const [allFolders, allProjects] = [listed(folders.records), listed(titles.records)];
    const search = searching({
      folders: async () => allFolders,
      projects: async () => allProjects,
    });
    expect(await search('plan 49')).not.toEqual([]);
    const first = folders.reads();
    for (const typed of [':a'.repeat(1_500), ':a: '.repeat(750), '\uFDFA'.repeat(3_000)])
      expect(await search(typed)).toEqual([]);
    expect(folders.reads()).toBe(first);
  });

  it('reads the folders of the own project, of those that were typed, and of a few more', async () => {
    const read: number[] = [];
    const search = searching(
      {
        projects: async () => listed(projects(40)),
        folders: async (id) => {
          read.push(id);
          return listed([logos(id)]);
        },
      },
      { projectId: 30, folderId: 1 },
    );
    expect(words(await search('logos 27'))).toContain('Project 27 › Logos');
    expect(read).toHaveLength(5);
    expect(read).toEqual(expect.arrayContaining([30, 27]));
  });

  it('searches what was read before of all others, and says how many were not', async () => {
    const known = new Set([1, 2, 3]);
    const search = searching({
      projects: async () => listed(projects(10)),
      knownFolders: (id) => (known.has(id) ? listed([logos(id)]).list : undefined),
      folders: async (id) => listed([logos(id)]),
    });
    expect(words(await search('logos'))).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((id) => `Project ${id} › Logos`),
      'To search 2 more projects, type the project’s name too.',
      'For a new folder “logos”, type Project/logos.',
    ]);
  });

  it('takes a pasted address for its folder, and keeps the address', async () => {
    const nameFolder: SurfaceContext['names']['nameFolder'] = async (folder) => ({
      ...{ projectTitle: 'Website', folderName: 'Logos', ...folder },
    });
    const search = searching({ nameFolder, projects: async () => ({ list: null, fetchedAt: 0 }) });
    const at = 'https://acme.example/#app/project-12/folder-345';
    expect(await search(`<${at}>`)).toEqual([
      expect.objectContaining({ value: '/#app/project-12/folder-345' }),
    ]);
    expect((await search('12/345')).map(({ value }) => value)).toContain('12/345');
    expect(words(await search('https://elsewhere.example/12/345'))).toEqual([
      'That’s no folder’s address in the file service.',
    ]);
  });

  it('searches the own project’s folders where the account lists no projects', async () => {
    const lists = {
      projects: async () => ({ list: null, fetchedAt: 0 }),
      folders: async (id: number) => listed([logos(id)]),
    };
    expect(words(await searching(lists, { projectId: 7, folderId: 1 })('logos'))).toEqual([
      'Own › Logos',
    ]);
    expect(words(await searching(lists)('logos'))).toEqual([
      'The file service doesn’t list its folders. Paste the address.',
    ]);
  });
});

import type { App } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { FOLDER_FIELDS, NOTHING_CHOSEN, type Option } from '../../src/blocks/index.ts';
import { listenForFolderSearch, listenForFolderUse } from '../../src/listeners/folder-form.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';
import { SlackCallError } from '../../src/slack/index.ts';
import { countedNames } from '../support/counted-names.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const MODAL = {
  type: 'modal' as const,
  title: { type: 'plain_text' as const, text: 'x' },
  blocks: [],
};
const PROBLEM = { why: ['There’s no such folder.'] };

interface Submission {
  /** Resolves when the check of the folder ends with PROBLEM. Default: at once. */
  checked?: Promise<void>;
  quota?: ListenerContext['quota'];
  /** Whether the form was opened outside its channel. Default: false. */
  isElsewhere?: boolean;
}

/** Submits a form. Returns the responses to Slack and the private messages to the sender. */
async function send({ checked = Promise.resolve(), quota, isElsewhere = false }: Submission) {
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
  } as Partial<ListenerContext['workspace']> as ListenerContext['workspace'];
  const background: Promise<unknown>[] = [];
  const context = {
    ...{ clock, workspace, logger: silentLogger, linkBy: 'admins', operator: null },
    quota: quota ?? { take: () => ({ end: () => undefined }) },
    inBackground: (work: Promise<unknown>) => void background.push(work),
  } as Partial<ListenerContext> as ListenerContext;
  let submit: (args: object) => Promise<void> = async () => undefined;
  const app = {
    action: () => undefined,
    view: (_at: object, listener: typeof submit) => {
      submit = listener;
    },
  } as Partial<App> as App;
  const FORM = { ...NOTHING_CHOSEN, channel: 'C012ABCDEF', channelName: null, isElsewhere };
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
    state: { values: { block: { form_folder: {} } } },
  };
  const ack = async (answer: object) => void acks.push(answer);
  const sent = submit({ ack, body: { user: { id: 'U1' }, team: { id: 'T1' }, view }, view });
  return { sent, clock, acks, ephemerals, direct, background, used: () => used };
}

it('a form shows a problem beside its field', async () => {
  const { sent, acks } = await send({});
  await sent;
  expect(acks).toEqual([{ response_action: 'errors', errors: { block: PROBLEM.why[0] } }]);
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

it('a form from a person over their quota shows an error and does nothing', async () => {
  const { sent, acks, used } = await send({ quota: { take: () => ({ waitMs: 4_000 }) } });
  await sent;
  expect(JSON.stringify(acks)).toContain('"response_action":"errors"');
  expect(used()).toBe(0);
});

describe('a search field reads each name of the account once, however often it is searched', () => {
  const searches = ['nothing', ':a'.repeat(1_500), ':a: '.repeat(750), '\uFDFA'.repeat(3_000)];
  const view = { private_metadata: JSON.stringify({ channel: 'C012ABCDEF' }) };
  const body = { user: { id: 'U1' }, team: { id: 'T1' }, view, block_id: 'folder_7' };
  const ids = Array.from({ length: 500 }, (_, at) => at + 1);

  /** Returns a search in a field, by its `action_id`; resolves with the options. */
  function searching(lists: Partial<ListenerContext['names']>) {
    const fields = new Map<string, (search: object) => Promise<void>>();
    const app = {
      options: (at: { action_id: string }, listener: (search: object) => Promise<void>) =>
        void fields.set(at.action_id, listener),
    } as Partial<App> as App;
    const workspace = {
      identity: { team: 'T1', botUserId: 'U0', botId: 'B0' },
      actor: async (userId: string) => ({ userId, role: 'admin' as const }),
    } as Partial<ListenerContext['workspace']> as ListenerContext['workspace'];
    const names = lists as ListenerContext['names'];
    const context = {
      ...{ clock: createFakeClock(), logger: silentLogger, workspace, names },
      ...{ linkBy: 'admins', isBusy: () => false },
    } as Partial<ListenerContext> as ListenerContext;
    listenForFolderSearch(app, context);
    return async (field: string, value: string) => {
      const found: { options: Option[] }[] = [];
      const ack = async (answer: { options: Option[] }) => void found.push(answer);
      await fields.get(field)?.({ ack, body: { ...body, value } });
      return found.flatMap(({ options }) => options);
    };
  }

  it('those of folders', async () => {
    const named = ids.map((id) => {
      const parentId = id % 50 === 1 ? null : id - 1;
      return { id, name: `Plan ${id}`, level: 1, parentId, projectId: 7 };
    });
    const { records, reads } = countedNames(named, 'name');
    const list = { records, complete: true };
    const search = searching({ folders: async () => ({ list, fetchedAt: 0 }) });
    expect(await search(FOLDER_FIELDS.folder, 'plan')).toHaveLength(100);
    const first = reads();
    for (const typed of searches) expect(await search(FOLDER_FIELDS.folder, typed)).toEqual([]);
    expect(reads()).toBe(first);
  });

  it('those of projects', async () => {
    const named = ids.map((id) => ({ id, title: `Plan ${id}`, archived: false }));
    const { records, reads } = countedNames(named, 'title');
    const list = { records, complete: true };
    const search = searching({ projects: async () => ({ list, fetchedAt: 0 }) });
    expect(await search(FOLDER_FIELDS.project, 'plan')).toHaveLength(100);
    const first = reads();
    for (const typed of searches) expect(await search(FOLDER_FIELDS.project, typed)).toEqual([]);
    expect(reads()).toBe(first);
  });
});

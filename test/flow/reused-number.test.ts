import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Ephemeral, Posted } from '../../src/playground/embedded-slack/index.ts';
import { DELETE_FILE } from '../../src/surfaces/delete/actions.ts';
import { FLOOR_PLANS, FOLDER, PROJECT } from '../support/app-settings.ts';
import { type Person, person, placeOfOption, screen } from '../support/person.ts';
import { listedNames } from '../support/shown-view.ts';
import { lineOf, linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

/** All files here are equally large, so that only their names tell them apart. */
const BYTES = 'x'.repeat(900);
/** Creates files in the service as another person. */
const TOMAS = 12009183;

let stack: Stack;
let ada: Person;
let ben: Person;
beforeAll(async () => {
  stack = await startStack();
  ada = person(stack.slack, 'ada');
  ben = person(stack.slack, 'ben');
  await linkChannel(stack, 'design', FLOOR_PLANS);
});
afterAll(() => stack.stop());

const files = (folder: number) => stack.service.store.files(folder);
const named = (name: string, folder: number) => files(folder).find((file) => file.name === name);
const copy = (shown: Ephemeral): Ephemeral => ({ ...shown, blocks: structuredClone(shown.blocks) });

/** Shares a file as Ben; resolves once it is filed. */
async function share(name: string, channel: string): Promise<Posted> {
  const posted = await stack.slack.share({ channel, user: 'ben', files: [{ name, bytes: BYTES }] });
  await settledShare(stack.slack, posted);
  await lineOf(stack.slack, posted, /^Filed in/);
  return posted;
}

/** Deletes a file in the service, and gives its number to a file that another person adds there. */
async function reuse(id: number, name: string, folderId: number): Promise<void> {
  const { store } = stack.service;
  const bytes = await store.receive(Readable.from([BYTES]), new AbortController().signal);
  const upload = { projectId: PROJECT, uploaderId: TOMAS, name, bytes };
  const attachment = await store.addAttachment(upload);
  const folder = store.folder(folderId);
  if (!folder) throw new Error('The demo folder is missing');
  store.deleteFile(id);
  const [made] = store.createFiles(folder, [attachment], TOMAS);
  store.changeFile(made?.id ?? 0, { id });
}

/** Presses Delete with the value of earlier versions, which says only which file. */
async function forge(list: Ephemeral, user: string, [folder, id]: [number, number]) {
  const value = JSON.stringify({ p: PROJECT, f: folder, id, page: 1, q: null });
  const ephemeral = copy(list);
  const text = { type: 'plain_text', text: 'Delete' };
  const button = { type: 'button', action_id: DELETE_FILE.id, text, value };
  ephemeral.blocks = [{ type: 'actions', block_id: 'forged', elements: [button] }];
  const { ephemerals } = await stack.slack.press({
    ...{ ephemeral, user, actionId: DELETE_FILE.id },
  });
  return screen(await stack.slack.until(() => ephemerals.at(-1)));
}

const HOW = [
  ['through Pigeonhole', true],
  ['in the service', false],
] as const;

describe.each(HOW)('the number of a file that was deleted %s, given to another', (_how, here) => {
  const [old, other] = [`old-${here}.txt`, `other-${here}.txt`];
  let list: Ephemeral;
  let id: number;

  describe('in the default folder', () => {
    beforeAll(async () => {
      await share(old, 'board');
      id = named(old, FOLDER)?.id ?? 0;
      list = await ben.types('/files', 'board');
      expect(listedNames(screen(list))).toContain(old);
      if (here) await ben.deletes(copy(list), old);
      await reuse(id, other, FOLDER);
      expect(named(other, FOLDER)?.id).toBe(id);
    });

    it.each(['/files', '/files find txt'])('is not in the answer to %s', async (line) => {
      for (const anybody of [ben, ada])
        expect(screen(await anybody.types(line, 'board'))).not.toMatch(/old-|other-/);
    });

    it('is not deleted by an old button, nor by a forged one, not even for an admin', async () => {
      const answers = [
        screen(await ben.deletes(copy(list), old)),
        await forge(list, 'ben', [FOLDER, id]),
        await forge(list, 'ada', [FOLDER, id]),
      ];
      for (const answer of answers) {
        expect(answer).toContain('You can’t delete this file. It isn’t one of the files here.');
        expect(answer).not.toContain(other);
      }
      expect(named(other, FOLDER)).toBeDefined();
    });
  });

  describe('in a linked folder', () => {
    let seen: Ephemeral;
    beforeAll(async () => {
      await share(old, 'design');
      id = named(old, FLOOR_PLANS)?.id ?? 0;
      list = await ben.types('/files', 'design');
      seen = await ada.types('/files', 'design');
      if (here) await ben.deletes(copy(list), old);
      await reuse(id, other, FLOOR_PLANS);
    });

    it('is nobody’s in a list: no sharer, no message, and a button only for admins', async () => {
      const shown = screen(await ben.types(`/files ${other}`, 'design'));
      expect(listedNames(shown)).toEqual([other]);
      expect(shown).not.toMatch(/Delete|<@|archives/);
      expect(screen(await ada.types(`/files ${other}`, 'design'))).toContain(`Delete ${other}…`);
    });

    it('is not shared by a menu of the old file', async () => {
      const { choice, ...place } = placeOfOption(list, `Share ${old} here`);
      const press = { ephemeral: copy(list), user: 'ben', ...place, choice };
      const { ephemerals } = await stack.slack.press(press);
      const answer = screen(await stack.slack.until(() => ephemerals.at(-1)));
      expect(answer).toContain('That file isn’t here any more.');
      const messages = await stack.slack.state('design');
      expect(messages.filter(({ text }) => text?.includes(`shared ${other}`))).toEqual([]);
    });

    it('is not deleted by the old sharer', async () => {
      const answer = screen(await ben.deletes(copy(list), old));
      expect(answer).toContain(`You can’t delete ${other}.`);
      expect(named(other, FLOOR_PLANS)).toBeDefined();
    });

    it('is not deleted by an admin who saw the old file, but by one who sees it', async () => {
      const answer = screen(await ada.deletes(copy(seen), old));
      expect(answer).toContain('That file has changed since, so I didn’t delete it.');
      expect(named(other, FLOOR_PLANS)).toBeDefined();
      const fresh = await ada.types(`/files ${other}`, 'design');
      expect(screen(await ada.deletes(fresh))).toContain(`Deleted ${other}.`);
      expect(named(other, FLOOR_PLANS)).toBeUndefined();
    });
  });
});

describe('a file that somebody renamed in the service', () => {
  it('is not listed any more where only shared files are', async () => {
    await share('before.txt', 'board');
    stack.service.store.changeFile(named('before.txt', FOLDER)?.id ?? 0, { name: 'after.txt' });
    expect(screen(await ben.types('/files', 'board'))).not.toMatch(/before|after/);
  });

  it('can be deleted in a linked folder by admins, not by its sharer', async () => {
    const posted = await share('plan.txt', 'design');
    stack.service.store.changeFile(named('plan.txt', FLOOR_PLANS)?.id ?? 0, { name: 'moved.txt' });
    expect(screen(await ben.types('/files moved', 'design'))).not.toContain('Delete');
    const list = await ada.types('/files moved', 'design');
    expect(screen(await ada.deletes(list))).toContain('Deleted moved.txt.');
    const line = await lineOf(stack.slack, posted, /^Gone from the folder/);
    expect(line.text).toBe('Gone from the folder: plan.txt');
  });
});

describe('a filed copy that its sharer was asked about after a deletion in Slack', () => {
  it.each([
    [
      'whose number was given to another file',
      'asked.txt',
      (id: number) => reuse(id, 'strange.txt', FOLDER),
    ],
    [
      'that was renamed in the service',
      'draft.txt',
      async (id: number) => stack.service.store.changeFile(id, { name: 'final report.txt' }),
    ],
  ])('stays, and is not said to be gone: one %s', async (_, name, change) => {
    const { slack } = stack;
    const { fileIds } = await share(name, 'general');
    await slack.as('ben', 'files.delete', { file: fileIds[0] });
    const asked = await slack.until(() =>
      slack.ephemerals('ben').find(({ text }) => text.startsWith(`${name} was deleted`)),
    );
    const id = named(name, FOLDER)?.id ?? 0;
    await change(id);
    const answer = screen(await ben.presses(asked, 'Delete file'));
    expect(answer).toContain(`${name} has changed since, so I kept it.`);
    expect(files(FOLDER).some((file) => file.id === id)).toBe(true);
    // It still counts as filed: changed back, it can be deleted.
    stack.service.store.changeFile(id, { name });
    expect(screen(await ben.types('/files', 'general'))).toContain(name);
  });
});

describe.each(['in Slack', 'in the service'])('the number of a file deleted %s', (where) => {
  let own: Stack;
  let id: number;
  beforeEach(async () => {
    own = await startStack({ service: { attachmentUse: 'often' } });
    await settledShare(own.slack, await shareThere('first.txt'));
    id = inFolder('first.txt')[0]?.id ?? 0;
    const member = person(own.slack, 'ben');
    if (where === 'in the service') own.service.store.deleteFile(id);
    else await member.deletes(await member.types('/files'), 'first.txt');
  });
  afterEach(() => own.stop());

  const inFolder = (name: string) =>
    own.service.store.files(FOLDER).filter((one) => one.name === name);
  const shareThere = (name: string) =>
    own.slack.share({ channel: 'general', user: 'ben', files: [{ name, bytes: BYTES }] });

  it('does not make a new share, whose create got it without an answer, be filed twice', async () => {
    let isLost = false;
    own.service.faults.intercept(({ operation, when }) => {
      if (operation !== 'create' || when !== 'after' || isLost) return undefined;
      isLost = true;
      own.service.store.changeFile(inFolder('second.txt')[0]?.id ?? 0, { id });
      return { mode: 'reset-after' };
    });
    const posted = await shareThere('second.txt');
    // An old number proves nothing about the new file, so the app goes on looking.
    await lineOf(own.slack, posted, /Filed in|I can’t tell whether it’s already there/);
    expect(inFolder('second.txt')).toHaveLength(1);
  });

  it('does not keep a new share, whose create was answered with it, from being listed', async () => {
    const { store } = own.service;
    const create = store.createFiles.bind(store);
    store.createFiles = (...args) =>
      create(...args).map((made) => {
        store.changeFile(made.id, { id });
        return store.files(FOLDER).find((file) => file.id === id) ?? made;
      });
    const posted = await shareThere('second.txt');
    await lineOf(own.slack, posted, /^Filed in/);
    expect(inFolder('second.txt').map((file) => file.id)).toEqual([id]);
    const member = person(own.slack, 'ben');
    expect(listedNames(screen(await member.types('/files')))).toEqual(['second.txt']);
  });
});

describe('an account that names files itself', () => {
  let own: Stack;
  afterEach(() => own.stop());

  const shareIn = async (env: Record<string, string>) => {
    own = await startStack({ env });
    own.service.behaviour.set('specified', { namesOnCreate: 'own' });
    const files = [{ name: 'plan.txt', bytes: 'x' }];
    const posted = await own.slack.share({ channel: 'general', user: 'ben', files });
    await lineOf(own.slack, posted, /^Filed in/);
    return { posted, name: own.service.store.files(FOLDER)[0]?.name ?? '' };
  };

  it('lists and deletes what was shared there, by the name that it gave', async () => {
    const { name } = await shareIn({});
    expect(name).not.toContain('plan');
    const member = person(own.slack, 'ben');
    const list = await member.types('/files');
    expect(listedNames(screen(list))).toEqual([name]);
    await member.deletes(list, name);
    expect(own.service.store.files(FOLDER)).toEqual([]);
  });

  it('loses what is deleted in Slack when ON_SLACK_DELETE=follow', async () => {
    const { posted } = await shareIn({ ON_SLACK_DELETE: 'follow' });
    await own.slack.as('ben', 'files.delete', { file: posted.fileIds[0] });
    await own.slack.until(() => own.service.store.files(FOLDER).length === 0);
  });
});

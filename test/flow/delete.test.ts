import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Ephemeral, Posted } from '../../src/playground/embedded-slack/index.ts';
import { DELETE_FILE } from '../../src/surfaces/delete/actions.ts';
import { FLOOR_PLANS, FOLDER, PROJECT, QUOTES } from '../support/app-settings.ts';
import { createMovableClock } from '../support/fake-clock.ts';
import { type Person, person, screen } from '../support/person.ts';
import { listedNames } from '../support/shown-view.ts';
import { lineOf, linkChannel, settledShare } from '../support/slack-channel.ts';
import { refusedFor, type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
let ada: Person;
let ben: Person;
let cleo: Person;
beforeAll(async () => {
  stack = await startStack();
  ada = person(stack.slack, 'ada');
  ben = person(stack.slack, 'ben');
  cleo = person(stack.slack, 'cleo');
});
afterAll(() => stack.stop());
beforeEach(() => stack.service.faults.clear());

async function shareByBen(name: string, channel = 'general'): Promise<Posted> {
  const files = [{ name, bytes: `bytes of ${name}` }];
  const posted = await stack.slack.share({ channel, user: 'ben', files });
  await settledShare(stack.slack, posted);
  await lineOf(stack.slack, posted, /^Filed in/);
  return posted;
}

const isThere = (name: string, folder = FOLDER) =>
  stack.service.store.files(folder).some((file) => file.name === name);

const deletions = () =>
  stack.service.requests.list().filter(({ operation }) => operation === 'delete').length;

/** Presses a button that deletes, with a forged value. */
async function pressForged(seen: Ephemeral, value: string, user = 'ben') {
  const text = { type: 'plain_text', text: 'Delete file' };
  const button = { type: 'button', action_id: DELETE_FILE.id, text, value };
  const forged = [{ type: 'actions', block_id: 'forged', elements: [button] }];
  const ephemeral = { ...seen, blocks: forged };
  return stack.slack.press({ ephemeral, user, actionId: DELETE_FILE.id });
}

describe('Delete', () => {
  it('asks first, naming the file, the folder and the consequences', async () => {
    await shareByBen('asked.txt');
    const list = await ben.types('/files asked');
    const asked = await ben.asksToDelete(list, 'asked.txt');
    expect(asked.ts).toBe(list.ts);
    expect(screen(asked)).toContain(
      '| Delete asked.txt from *Office move › All files* for everyone? A copy in Slack stays.\n[Delete file',
    );
    expect(screen(await ben.presses(asked, 'Keep it'))).toContain('1 of ');
    expect(isThere('asked.txt')).toBe(true);
  });

  it('is pointed out above what /files delete finds, if anything', async () => {
    await shareByBen('pointed-out.txt');
    const found = screen(await ben.types('/files delete pointed'));
    expect(found).toContain('| Choose Delete in a file’s menu.');
    expect(found).toContain('pointed-out.txt');
    const nothing = screen(await ben.types('/files delete Budget'));
    expect(nothing).toContain('No matches for `Budget`');
    expect(nothing).not.toContain('Choose Delete');
  });

  it('deletes a member’s own file, and updates the list and the thread', async () => {
    const posted = await shareByBen('own.txt');
    const list = await ben.types('/files');
    const after = await ben.deletes(list, 'own.txt');
    expect(after.ts).toBe(list.ts);
    expect(screen(after)).toContain('| Deleted own.txt.');
    expect(listedNames(screen(after))).not.toContain('own.txt');
    expect(isThere('own.txt')).toBe(false);
    const line = await lineOf(stack.slack, posted, /^Deleted by/);
    expect(line.text).toBe(`Deleted by <@${stack.slack.ids.users['ben']}>: own.txt`);
  });

  it('lets an admin delete anybody’s file', async () => {
    const posted = await shareByBen('by-admin.txt');
    const after = await ada.deletes(await ada.types('/files'), 'by-admin.txt');
    expect(screen(after)).toContain('| Deleted by-admin.txt.');
    await lineOf(stack.slack, posted, /^Deleted by/);
  });

  it('refuses somebody else’s file, and says who may delete it', async () => {
    await shareByBen('bens.txt');
    const seen = screen(await cleo.types('/files'));
    expect(listedNames(seen)).toContain('bens.txt');
    expect(seen).not.toContain('Delete bens.txt');
    const after = await cleo.deletes(await ada.types('/files'), 'bens.txt');
    expect(screen(after)).toContain(
      '| You can’t delete bens.txt. Ask who shared it, or a workspace admin.',
    );
    expect(listedNames(screen(after))).toContain('bens.txt');
    expect(isThere('bens.txt')).toBe(true);
  });

  it('refuses people of other workspaces, even admins there and even their own files', async () => {
    const files = [{ name: 'dans.txt', bytes: 'dan' }];
    const posted = await stack.slack.share({ channel: 'general', user: 'dan', files });
    await settledShare(stack.slack, posted);
    stack.slack.setUser('dan', { is_admin: true });
    const dan = person(stack.slack, 'dan');
    const seen = screen(await dan.types('/files'));
    expect(listedNames(seen)).toContain('dans.txt');
    expect(seen).not.toContain('Delete dans.txt');
    const after = await dan.deletes(await ada.types('/files'), 'dans.txt');
    expect(screen(after)).toContain(
      'You can’t delete dans.txt. People from other workspaces can’t do that',
    );
    expect(isThere('dans.txt')).toBe(true);
  });

  it('refuses files that were not shared in Slack, except to admins', async () => {
    const attachment = await stack.service.store.addAttachment({
      projectId: PROJECT,
      uploaderId: 12009183,
      name: 'made there.txt',
      bytes: await stack.service.store.receive(
        Readable.from(['there']),
        new AbortController().signal,
      ),
    });
    const folder = stack.service.store.folder(FLOOR_PLANS);
    if (!folder) throw new Error('The demo folder is missing');
    stack.service.store.createFiles(folder, [attachment], 12009183);
    await linkChannel(stack, 'board', FLOOR_PLANS);
    const list = () => ada.types('/files', 'board');
    const refused = await ben.deletes(await list(), 'made there.txt');
    expect(screen(refused)).toContain('You can’t delete made there.txt.');
    const after = await ada.deletes(await list(), 'made there.txt');
    expect(screen(after)).toContain('Deleted made there.txt.');
  });

  it('shows that the folder is empty without asking again whether the folder exists', async () => {
    const { id } = stack.service.store.addFolder(PROJECT, null, 'Almost empty');
    await linkChannel(stack, 'board', id);
    const files = [{ name: 'last.txt', bytes: 'last' }];
    const posted = await stack.slack.share({ channel: 'board', user: 'ada', files });
    await lineOf(stack.slack, posted, /^Filed in/);
    const list = await ada.types('/files', 'board');
    const asked = () =>
      stack.service.requests.list().filter(({ operation }) => operation === 'folders').length;
    const before = asked();
    const after = await ada.deletes(list, 'last.txt');
    expect(screen(after)).toContain('Nothing here yet.');
    expect(asked()).toBe(before);
  });

  it('says that the file is already gone when pressed twice, and changes nothing', async () => {
    await shareByBen('twice.txt');
    const list = await ben.types('/files');
    const again = { ...list, blocks: structuredClone(list.blocks) };
    await ben.deletes(list, 'twice.txt');
    const after = await ben.deletes(again, 'twice.txt');
    expect(screen(after)).toContain('| twice.txt had already been deleted.');
  });

  it('says so when the file was already deleted in the service, and updates the thread', async () => {
    const posted = await shareByBen('vanished.txt');
    const list = await ben.types('/files');
    const file = stack.service.store.files(FOLDER).find(({ name }) => name === 'vanished.txt');
    stack.service.store.deleteFile(file?.id ?? 0);
    const after = await ben.deletes(list, 'vanished.txt');
    expect(screen(after)).toContain('| vanished.txt had already been deleted.');
    const line = await lineOf(stack.slack, posted, /^Gone from the folder: vanished\.txt$/);
    expect(line.text).not.toContain('Deleted by');
  });
});

describe('a forged Delete button', () => {
  it.each(['', 'delete', '{', '{}', '[]', 'null', '{"p":1,"f":"2","id":3}', '💥'.repeat(500)])(
    'does nothing with the value %j, and says so',
    async (value) => {
      await shareByBen('target.txt');
      const before = deletions();
      const reaction = await pressForged(await ben.types('/files'), value);
      const [answer] = await stack.slack.until(() => reaction.ephemerals[0] && reaction.ephemerals);
      expect(screen(answer ?? {})).toContain('That button is out of date. Type `/files`');
      expect(deletions()).toBe(before);
      expect(isThere('target.txt')).toBe(true);
    },
  );

  it('is refused for another folder’s file without naming the file', async () => {
    await linkChannel(stack, 'design', QUOTES);
    await shareByBen('secret plan.txt', 'design');
    const [file] = stack.service.store.files(QUOTES);
    const value = JSON.stringify({ p: PROJECT, f: QUOTES, id: file?.id, page: 1, q: null });
    const seen = await ben.types('/files');
    const reaction = await pressForged(seen, value);
    await stack.slack.until(() => reaction.ephemerals.length > 0);
    const [answer] = reaction.ephemerals;
    expect(screen(answer ?? {})).toContain(
      'You can’t delete this file. It isn’t one of the files here.',
    );
    expect(screen(answer ?? {})).not.toContain('secret plan');
    expect(isThere('secret plan.txt', QUOTES)).toBe(true);
  });

  it('deletes nothing for another folder’s file under this folder’s number', async () => {
    await shareByBen('elsewhere.txt');
    const file = stack.service.store.files(FOLDER).find(({ name }) => name === 'elsewhere.txt');
    const before = deletions();
    const value = JSON.stringify({ p: PROJECT, f: QUOTES, id: file?.id, page: 1, q: null });
    const reaction = await pressForged(await ada.types('/files', 'design'), value, 'ada');
    await stack.slack.until(() => reaction.ephemerals.length > 0);
    expect(screen(reaction.ephemerals[0] ?? {})).toContain('The file had already been deleted.');
    expect(deletions()).toBe(before);
    expect(isThere('elsewhere.txt')).toBe(true);
  });

  it('is refused for somebody else’s file from another channel', async () => {
    await shareByBen('from dm.txt', 'dm');
    const file = stack.service.store.files(FOLDER).find(({ name }) => name === 'from dm.txt');
    const value = JSON.stringify({ p: PROJECT, f: FOLDER, id: file?.id, page: 1, q: null });
    const reaction = await pressForged(await ada.types('/files'), value, 'cleo');
    await stack.slack.until(() => reaction.ephemerals.length > 0);
    expect(screen(reaction.ephemerals[0] ?? {})).toContain('It isn’t one of the files here');
    expect(isThere('from dm.txt')).toBe(true);
  });
});

describe('Delete when the service fails', () => {
  it('says that the service does not allow it', async () => {
    await shareByBen('forbidden.txt');
    const list = await ben.types('/files');
    stack.service.faults.set({ mode: '403' }, { only: 'delete' });
    const after = await ben.deletes(list, 'forbidden.txt');
    const cause = 'it doesn’t let me delete files in this folder';
    expect(screen(after)).toContain(refusedFor(cause));
    expect(isThere('forbidden.txt')).toBe(true);
  });

  it('says that the delete may not have happened, and keeps the list', async () => {
    await shareByBen('failing.txt');
    const list = await ben.types('/files');
    stack.service.faults.set({ mode: '500' }, { only: 'delete' });
    const answer = await ben.deletes(list, 'failing.txt');
    expect(answer.ts).not.toBe(list.ts);
    expect(screen(answer)).toContain('The file may still be there: the file service is down.');
    expect(screen(list)).toContain('Delete failing.txt from');
  });

  it('counts as done when it took effect but the response was lost', async () => {
    const posted = await shareByBen('lost answer.txt');
    const list = await ben.types('/files');
    stack.service.faults.next({ mode: 'reset-after' }, 1, 'delete');
    const after = await ben.deletes(list, 'lost answer.txt');
    expect(screen(after)).toContain('| Deleted lost answer.txt.');
    await lineOf(stack.slack, posted, /^Deleted by/);
  });

  it('is confirmed above what was last listed if the service is down after it', async () => {
    await shareByBen('done.txt');
    const list = await ben.types('/files');
    const end = stack.service.faults.intercept(({ operation, when }) => {
      if (operation === 'delete' && when === 'after')
        stack.service.faults.set({ mode: '500' }, { only: 'list' });
      return undefined;
    });
    const after = screen(await ben.deletes(list, 'done.txt'));
    end();
    expect(after).toContain('| Deleted done.txt.\n[Put back → ');
    expect(after).toMatch(/\n- As of \d+ s ago: the file service is down\.\n/);
    expect(listedNames(after)).not.toContain('done.txt');
  });

  it('deletes nothing while the folder cannot show whether it still is the file', async () => {
    await shareByBen('unseen.txt');
    const list = await ben.types('/files');
    stack.service.faults.set({ mode: '500' }, { only: 'list' });
    const before = deletions();
    const after = await ben.asksToDelete(list, 'unseen.txt');
    expect(screen(after)).toContain('the file service is down');
    expect(deletions()).toBe(before);
    expect(isThere('unseen.txt')).toBe(true);
  });
});

describe('Delete that failed', () => {
  it('is nobody’s if a list shows the file long after, and somebody deletes it there', async (test) => {
    const clock = createMovableClock();
    const later = await startStack({ appOptions: { clock } });
    test.onTestFinished(() => later.stop());
    const { slack, service } = later;
    const files = [{ name: 'kept.txt', bytes: 'kept' }];
    const posted = await slack.share({ channel: 'general', user: 'ben', files });
    await lineOf(slack, posted, /^Filed in/);
    const sharer = person(slack, 'ben');
    const list = await sharer.types('/files');
    service.faults.set({ mode: '500' }, { only: 'delete' });
    await sharer.deletes({ ...list, blocks: structuredClone(list.blocks) }, 'kept.txt');
    service.faults.clear();
    clock.skip(2 * 60_000);
    expect(listedNames(screen(await sharer.types('/files')))).toContain('kept.txt');
    const file = service.store.files(FOLDER).find(({ name }) => name === 'kept.txt');
    service.store.deleteFile(file?.id ?? 0);
    const seen = await sharer.types('/files');
    expect(listedNames(screen(seen))).not.toContain('kept.txt');
    const gone = await sharer.deletes(list, 'kept.txt');
    expect(screen(gone)).toContain('kept.txt had already been deleted.');
    expect((await lineOf(slack, posted, /kept\.txt$/)).text).toBe('Gone from the folder: kept.txt');
  });
});

describe('Delete of a file whose create has no answer yet', () => {
  let slow: Stack;
  beforeAll(async () => {
    slow = await startStack({ appOptions: { settleMs: 60_000 } });
  });
  afterAll(() => slow.stop());

  it('settles the transfer as deleted, so that the file is not created again', async () => {
    slow.service.faults.intercept(({ operation, when }) =>
      operation === 'create' && when === 'after' ? { mode: 'reset-after' } : undefined,
    );
    const admin = person(slow.slack, 'ada');
    await linkChannel(slow, 'general', QUOTES);
    const files = [{ name: 'open.txt', bytes: 'bytes' }];
    const posted = await slow.slack.share({ channel: 'general', user: 'ben', files });
    const holds = () => slow.service.store.files(QUOTES).some(({ name }) => name === 'open.txt');
    await slow.slack.until(() => holds() || undefined);
    await admin.deletes(await admin.types('/files'), 'open.txt');
    expect(holds()).toBe(false);
    const line = await lineOf(slow.slack, posted, /^Deleted by/);
    expect(line.text).toBe(`Deleted by <@${slow.slack.ids.users['ada']}>: open.txt`);
  });
});

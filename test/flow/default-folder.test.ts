import { afterAll, beforeAll, expect, it } from 'vitest';
import { DELETE_FILE } from '../../src/surfaces/delete/actions.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { FOLDER } from '../support/app-settings.ts';
import { type Person, person, screen } from '../support/person.ts';
import { listedNames } from '../support/shown-view.ts';
import { lineOf, linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

/** Another project than that of the default folder. */
const OTHER_PROJECT = 23423233;

let stack: Stack;
let ada: Person;
beforeAll(async () => {
  // The account ignores which project a path names, so that the default folder has many addresses. It
  // does not list its folders, so that any number can be linked.
  stack = await startStack({ service: { behaviour: { projectNumbers: 'ignored' } } });
  stack.service.faults.set({ mode: '404' }, { only: 'folders' });
  ada = person(stack.slack, 'ada');
  await share('private.txt', 'board');
  await linkChannel(stack, 'design', `${OTHER_PROJECT}/${FOLDER}`);
  await share('own.txt', 'design');
});
afterAll(() => stack.stop());

async function share(name: string, channel: string) {
  const files = [{ name, bytes: `bytes of ${name}` }];
  const posted = await stack.slack.share({ channel, user: 'ben', files });
  await settledShare(stack.slack, posted);
  await lineOf(stack.slack, posted, /^Filed in/);
}

const record = (name: string) =>
  stack.service.store.files(FOLDER).find((file) => file.name === name);

it('lists only the channel’s own files', async () => {
  const shown = screen(await ada.types('/files', 'design'));
  expect(listedNames(shown)).toEqual(['own.txt']);
  expect(shown).toContain('1 file · only files shared here');
});

it('finds only files of channels that the person is in', async () => {
  const channel = stack.slack.ids.channels['board'];
  await stack.slack.as('cleo', 'conversations.leave', { channel });
  const shown = screen(await person(stack.slack, 'cleo').types('/files find txt', 'design'));
  expect(listedNames(shown)).toEqual(['own.txt']);
});

it('announces nothing', async () => {
  const shown = screen(await ada.types('/files announce on', 'design'));
  expect(shown).toContain('so I can’t announce here what’s added');
});

it.each([OTHER_PROJECT, 23423235])(
  'deletes no file of another channel, not even for an admin (project %i)',
  async (p) => {
    const seen = await ada.types('/files', 'design');
    const value = JSON.stringify({ p, f: FOLDER, id: record('private.txt')?.id, page: 1, q: null });
    const text = { type: 'plain_text', text: 'Delete file' };
    const button = { type: 'button', action_id: DELETE_FILE.id, text, value };
    const blocks = [{ type: 'actions', block_id: 'forged', elements: [button] }];
    const ephemeral = { ...seen, blocks };
    const { ephemerals } = await stack.slack.press({
      ...{ ephemeral, user: 'ada', actionId: DELETE_FILE.id },
    });
    const said = screen(await stack.slack.until(() => ephemerals.at(-1)));
    expect(said).toContain('It isn’t one of the files here.');
    expect(said).not.toContain('private.txt');
    expect(record('private.txt')).toBeDefined();
  },
);

it('shows of a message saved to it only what was saved', async () => {
  const files = [{ name: 'saved.txt', bytes: 'saved' }];
  const message = await stack.slack.share({ channel: 'general', user: 'ben', files });
  await settledShare(stack.slack, message);
  await stack.slack.shortcut({ callbackId: 'save_files', user: 'ada', message });
  await stack.slack.until(() => stack.slack.views('ada').length > 0);
  const values = { [FOLDER_FIELD]: `${OTHER_PROJECT}/${FOLDER}` };
  expect((await stack.slack.submitView({ user: 'ada', values })).errors).toEqual({});
  await stack.slack.until(() => stack.service.store.files(FOLDER).length === 4);
  const found = screen(await ada.types('/files find txt', 'general'));
  expect(new Set(listedNames(found))).toEqual(new Set(['saved.txt', 'own.txt', 'private.txt']));
  await stack.slack.as('cleo', 'conversations.leave', {
    channel: stack.slack.ids.channels['design'],
  });
  const shown = screen(await person(stack.slack, 'cleo').types('/files find txt', 'general'));
  expect(new Set(listedNames(shown))).toEqual(new Set(['saved.txt']));
});

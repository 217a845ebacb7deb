import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BACKFILL_START } from '../../src/surfaces/link/actions.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { PROJECT } from '../support/app-settings.ts';
import { type Person, person, screen, unlink } from '../support/person.ts';
import { announced } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const QUOTES = `${PROJECT}/67811603`;

let stack: Stack;
let ben: Person;
beforeAll(async () => {
  stack = await startStack({ env: { LINK_BY: 'members' } });
  ben = person(stack.slack, 'ben');
});
afterAll(() => stack.stop());

describe('LINK_BY=members', () => {
  it('lets a member link a channel, announced by name, and unlink it', async () => {
    const command = { command: '/files', user: 'ben', channel: 'design' };
    const told = await announced(stack, 'design', () =>
      stack.slack.command({ ...command, text: `link ${QUOTES}` }),
    );
    expect(told.text).toContain(`<@${stack.slack.ids.users['ben']}> linked this channel`);
    const gone = await announced(stack, 'design', () => unlink(stack.slack, 'ben', 'design'));
    expect(gone.text).toContain('unlinked this channel from Office move › Quotes');
  });

  it('lets nobody decide about the earlier files of a channel that they are not in', async () => {
    const { slack } = stack;
    const channel = slack.ids.channels['board'] ?? '';
    await slack.as('ben', 'conversations.leave', { channel });
    const value = JSON.stringify({ p: PROJECT, f: 67811600, c: channel });
    const text = { type: 'plain_text', text: 'Forged' };
    const button = { type: 'button', action_id: BACKFILL_START.id, text, value };
    const blocks = [{ type: 'actions', block_id: 'forged', elements: [button] }];
    const shown = {
      ts: '1.1',
      channel: slack.ids.channels['general'] ?? '',
      user: slack.ids.users['ben'] ?? '',
    };
    const ephemeral = { ...shown, text: '', blocks, via: 'response_url' as const, edits: 0 };
    const pressed = await slack.press({
      ephemeral,
      user: 'ben',
      actionId: BACKFILL_START.id,
    });
    const answer = await slack.until(() => pressed.ephemerals.at(-1));
    expect(screen(answer)).toContain(`I can’t see from here that you’re in #${channel}.`);
  });

  it('refuses forms for a private channel from a member who has left it, to link or to save files', async () => {
    const { slack } = stack;
    const channel = slack.ids.channels['board'] ?? '';
    const files = [{ name: 'minutes.txt', bytes: 'minutes' }];
    const message = await slack.share({ channel: 'board', user: 'ada', files });
    const forms = [
      () => slack.command({ command: '/files', text: 'link', user: 'ben', channel: 'board' }),
      () => slack.shortcut({ callbackId: 'save_files', user: 'ben', message }),
    ];
    const send = () => slack.submitView({ user: 'ben', values: { [FOLDER_FIELD]: QUOTES } });
    for (const open of forms) {
      await slack.as('ada', 'conversations.invite', { channel, users: slack.ids.users['ben'] });
      await open();
      await slack.until(() => slack.views('ben').length > 0);
      await slack.as('ben', 'conversations.leave', { channel });
      const { errors } = await send();
      expect(Object.values(errors)).toEqual(['You’re not in this channel any more.']);
      slack.closeView({ user: 'ben' });
    }
    expect(stack.service.store.files(67811603)).toEqual([]);
    const help = await person(slack, 'ada').types('/files help', 'board');
    expect(screen(help)).not.toContain('Quotes');
  });

  it('accepts a save form for a private channel archived meanwhile from a member of it', async () => {
    const { slack } = stack;
    const [channel, users] = [slack.ids.channels['board'] ?? '', slack.ids.users['ben']];
    await slack.as('ada', 'conversations.invite', { channel, users });
    const files = [{ name: 'last.txt', bytes: 'last' }];
    const message = await slack.share({ channel: 'board', user: 'ada', files });
    await slack.shortcut({ callbackId: 'save_files', user: 'ben', message });
    await slack.until(() => slack.views('ben').length > 0);
    await slack.as('ada', 'conversations.archive', { channel });
    const values = { [FOLDER_FIELD]: QUOTES };
    const { errors } = await slack.submitView({ user: 'ben', values });
    await slack.as('ada', 'conversations.unarchive', { channel });
    await slack.as('ben', 'conversations.leave', { channel });
    expect(errors).toEqual({});
    slack.closeView({ user: 'ben' });
  });

  it('accepts link forms for a private channel without Pigeonhole and for a public channel', async () => {
    const { slack } = stack;
    const board = slack.ids.channels['board'] ?? '';
    await slack.as('ada', 'conversations.invite', {
      channel: board,
      users: slack.ids.users['ben'],
    });
    await slack.as('ada', 'conversations.kick', { channel: board, user: slack.ids.bot });
    await slack.as('ben', 'conversations.leave', { channel: slack.ids.channels['design'] ?? '' });
    for (const channel of ['board', 'design']) {
      await slack.command({ command: '/files', text: 'link', user: 'ben', channel });
      await slack.until(() => slack.views('ben').length > 0);
      const values = { [FOLDER_FIELD]: QUOTES };
      expect((await slack.submitView({ user: 'ben', values })).errors).toEqual({});
      slack.closeView({ user: 'ben' });
    }
  });

  it('shows members the link buttons and the command', async () => {
    expect(screen(await ben.types('/folders'))).toContain('for this channel');
    expect(screen(await ben.types('/files help'))).toContain('`/files link`');
  });

  it.each([
    [
      'a guest',
      { is_restricted: true },
      'Only full members of this workspace can choose a channel’s folder.',
    ],
    ['an outsider', { is_stranger: true }, 'People from other workspaces can’t do that.'],
  ])('lets %s neither link nor unlink', async (_who, fields, words) => {
    stack.slack.setUser('cleo', { is_restricted: false, is_stranger: false, ...fields });
    const cleo = person(stack.slack, 'cleo');
    expect(screen(await cleo.types(`/files link ${QUOTES}`))).toContain(words);
    expect(screen(await cleo.types('/files help'))).not.toContain('/files unlink');
  });
});

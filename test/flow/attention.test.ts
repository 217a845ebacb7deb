import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FOLDER_FIELDS } from '../../src/blocks/index.ts';
import type { InteractionResult } from '../../src/playground/embedded-slack/index.ts';
import { FLOOR_PLANS, PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createMovableClock, type MovableClock } from '../support/fake-clock.ts';
import { person, placeOfButton, screen } from '../support/person.ts';
import { shareRefusedFile } from '../support/share-refused.ts';
import { lineOf, linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
let clock: MovableClock;
beforeEach(async () => {
  clock = createMovableClock();
  stack = await startStack({ env: WITHOUT_DEFAULT, appOptions: { clock } });
  await linkChannel(stack, 'general', FLOOR_PLANS);
});
afterEach(() => stack.stop());

const share = (channel: string, name: string) =>
  stack.slack.share({ channel, user: 'ben', files: [{ name, bytes: name }] });

const shareRefused = (channel: string, name: string) =>
  shareRefusedFile({ slack: stack.slack, clock }, { channel, name });

const typesStatus = (user: string, channel = 'general') =>
  person(stack.slack, user).types('/files status', channel);
const status = async (user: string, channel?: string) => screen(await typesStatus(user, channel));
const mention = (channel: string) => `#${stack.slack.ids.channels[channel]}`;
const filed = (folder: number) => stack.service.store.files(folder).map(({ name }) => name);

describe('/files status', () => {
  it('says that nothing needs attention when nothing does', async () => {
    const seen = await status('ben');
    expect(seen).toContain('| Nothing needs attention.\n');
    expect(seen).toContain('No files are on their way.');
  });

  it('lists refused files with the reason, and retries all of them', async () => {
    const posted = [await shareRefused('general', 'a.txt'), await shareRefused('general', 'b.txt')];
    const seen = await typesStatus('ben');
    expect(screen(seen)).toContain(
      `| ${mention('general')}\n| 2 files couldn’t be filed: a.txt and 1 more – Slack `,
    );
    const after = await person(stack.slack, 'ben').presses(seen, 'Retry all');
    expect(screen(after)).toContain('Trying 2 files again.');
    for (const one of posted) await settledShare(stack.slack, one);
    expect(filed(FLOOR_PLANS).toSorted()).toEqual(['a.txt', 'b.txt']);
    expect(await status('ben')).toContain('Nothing needs attention');
  });

  it('retries in the folder that the channel is linked to by then', async () => {
    const posted = await shareRefused('general', 'a.txt');
    const [seen, again] = [await typesStatus('ben'), await typesStatus('ben')];
    await linkChannel(stack, 'general', QUOTES);
    await person(stack.slack, 'ben').presses(seen, 'Retry all');
    await settledShare(stack.slack, posted);
    expect([filed(FLOOR_PLANS), filed(QUOTES)]).toEqual([[], ['a.txt']]);
    const after = await person(stack.slack, 'ben').presses(again, 'Retry all');
    expect(screen(after)).toContain('There’s nothing to try again');
  });

  it('lists files that wait during an outage with the retry time, and counts them once', async () => {
    stack.service.faults.set({ mode: 'outage' });
    const posted = await share('general', 'a.txt');
    await lineOf(stack.slack, posted, /can.t be reached/);
    const seen = await status('ben');
    expect(seen).toMatch(
      /1 file waiting: a\.txt\. The file service can’t be reached\. Trying again/,
    );
    // The file is listed already.
    expect(seen).not.toMatch(/on (its|their) way/);
    stack.service.faults.clear();
    await person(stack.slack, 'ben').presses(await typesStatus('ben'), 'Retry all');
    await settledShare(stack.slack, posted);
  });

  it('leaves skipped files in Slack when an admin presses Skip', async () => {
    const posted = await shareRefused('general', 'a.txt');
    const after = await person(stack.slack, 'ada').presses(await typesStatus('ada'), 'Skip');
    expect(screen(after)).toContain('1 file stays in Slack only.');
    expect(screen(after)).toContain('Nothing needs attention');
    await lineOf(stack.slack, posted, /^Skipped by choice: a\.txt/);
    expect(filed(FLOOR_PLANS)).toEqual([]);
  });

  it('opens the form for another folder from any channel, for members who may link', async () => {
    const { slack } = stack;
    await shareRefused('general', 'a.txt');
    expect(await status('ben')).not.toContain('[Other folder');
    await slack.as('ada', 'conversations.leave', { channel: slack.ids.channels['general'] });
    const seen = await typesStatus('ada', 'design');
    await slack.press({ ephemeral: seen, user: 'ada', ...placeOfButton(seen, 'Other folder') });
    const [form] = await slack.until(() => slack.views('ada').length > 0 && slack.views('ada'));
    expect(form?.private_metadata).toContain(slack.ids.channels['general']);
  });

  it('confirms a skip even when Slack then keeps the rest from being shown', async () => {
    await shareRefused('general', 'a.txt');
    const seen = await typesStatus('ada');
    stack.slack.fail('users.conversations', 'fatal_error');
    const after = await person(stack.slack, 'ada').presses(seen, 'Skip');
    expect(screen(after)).toContain('1 file stays in Slack only.');
  });

  it.each(['the channel', 'the App Home'])(
    'reopens the form for the same channel from a button in %s',
    async (place) => {
      const { slack } = stack;
      await shareRefused('general', 'a.txt');
      slack.fail('views.open', 'expired_trigger_id');
      if (place === 'the channel') {
        const seen = await typesStatus('ada', 'design');
        const instead = await person(slack, 'ada').presses(seen, 'Other folder');
        expect(screen(instead)).toContain(`choose a folder for ${mention('general')}`);
        const again = placeOfButton(instead, 'Link that channel');
        await slack.press({ ephemeral: instead, user: 'ada', ...again });
      } else {
        const home = async (label: string) =>
          slack.until(() => {
            const view = slack.home('ada');
            return view && screen({ text: '', ...view }).includes(`[${label}`) && view;
          });
        await slack.openHome('ada');
        for (const label of ['Other folder', 'Link that channel']) {
          const view = await home(label);
          await slack.press({ view: view.id, user: 'ada', ...placeOfButton(view, label) });
        }
      }
      const form = await slack.until(() => slack.views('ada').find((one) => one.private_metadata));
      expect(form.private_metadata).toContain(slack.ids.channels['general']);
    },
  );

  it('opens that form without the name of a channel that the reader is not in', async () => {
    const { slack } = stack;
    await linkChannel(stack, 'board', QUOTES);
    await shareRefused('board', 'a.txt');
    const [channel, user] = [slack.ids.channels['board'], slack.ids.users['ada']];
    await slack.as('cleo', 'conversations.kick', { channel, user });
    const seen = await typesStatus('ada');
    await slack.press({ ephemeral: seen, user: 'ada', ...placeOfButton(seen, 'Other folder') });
    const form = await slack.until(() =>
      slack
        .views('ada')
        .find(({ blocks }) => blocks.some((block) => block['block_id'] === `folder_${PROJECT}`)),
    );
    expect(screen({ text: '', blocks: form.blocks })).toContain(`in ${mention('board')} will`);
    expect(JSON.stringify(form)).not.toContain('board');
    const field = { actionId: FOLDER_FIELDS.folder, typed: '' };
    const { body } = await slack.suggest({ view: form.id, user: 'ada', ...field });
    expect(JSON.stringify(body)).toContain('Quotes');
    expect(JSON.stringify(body)).not.toContain('board');
  });

  it('names files that wait for a folder, until the channel is linked', async () => {
    await share('design', 'a.txt');
    expect(await status('ben', 'design')).toContain(
      '1 file not filed: a.txt – the channel isn’t linked to a folder. A workspace admin can link it with `/files link`.',
    );
    await linkChannel(stack, 'design', QUOTES);
    expect(await status('ben', 'design')).toContain('Nothing needs attention');
  });

  it('shows members their own channels, and admins all channels without file names elsewhere', async () => {
    const { slack } = stack;
    await linkChannel(stack, 'board', QUOTES);
    await shareRefused('board', 'secret.txt');
    for (const user of ['ada', 'ben'])
      await slack.as('cleo', 'conversations.kick', {
        channel: slack.ids.channels['board'],
        user: slack.ids.users[user],
      });
    expect(await status('cleo')).toContain('secret.txt');
    expect(await status('ben')).toContain('Nothing needs attention');
    const seen = await status('ada');
    expect(seen).toContain(`| ${mention('board')}\n| 1 file couldn’t be filed – Slack `);
    expect(seen).not.toContain('secret.txt');
  });

  it('begins with the channel it is typed in, and sorts the others by their number of files', async () => {
    await linkChannel(stack, 'board', QUOTES);
    for (const name of ['b.txt', 'c.txt']) await shareRefused('board', name);
    await shareRefused('general', 'a.txt');
    const [general, board] = [`| ${mention('general')}\n`, `| ${mention('board')}\n`];
    const order = async (channel: string) => {
      const seen = await status('ada', channel);
      return [general, board].toSorted((a, b) => seen.indexOf(a) - seen.indexOf(b));
    };
    expect(await order('general')).toEqual([general, board]);
    expect(await order('design')).toEqual([board, general]);
  });

  it('counts files on their way only in the channels that the reader sees', async () => {
    const { slack, service } = stack;
    await linkChannel(stack, 'board', QUOTES);
    await slack.as('cleo', 'conversations.kick', {
      channel: slack.ids.channels['board'],
      user: slack.ids.users['ben'],
    });
    const goOn = Promise.withResolvers<undefined>();
    service.faults.intercept(() => goOn.promise);
    const file = { name: 'a.txt', bytes: 'a.txt' };
    const posted = await slack.share({ channel: 'board', user: 'cleo', files: [file] });
    expect(await status('cleo')).toContain('1 file is on its way.');
    expect(await status('ben')).toContain('No files are on their way.');
    goOn.resolve(undefined);
    await settledShare(slack, posted);
  });

  it('does nothing in a channel that the reader does not see', async () => {
    const { slack } = stack;
    await linkChannel(stack, 'board', QUOTES);
    const posted = await shareRefused('board', 'a.txt');
    const seen = await typesStatus('ben');
    await slack.as('cleo', 'conversations.kick', {
      channel: slack.ids.channels['board'],
      user: slack.ids.users['ben'],
    });
    const after = await person(slack, 'ben').presses(seen, 'Retry all');
    expect(screen(after)).toContain(`You’re not in ${mention('board')} any more`);
    expect((await lineOf(slack, posted, /./)).text).toMatch(/^Couldn’t be filed/);
  });

  it('offers each reader only the actions they may take', async () => {
    await shareRefused('general', 'a.txt');
    expect(await status('ada')).toMatch(/\[Retry all .*\[Other folder .*\[Skip /);
    expect(await status('ben')).not.toContain('[Skip');
    expect(await status('dan')).not.toContain('[Retry all');
  });
});

describe('the App Home', () => {
  const shown = (user: string) => {
    const home = stack.slack.home(user);
    return home ? screen({ text: '', blocks: home.blocks }) : '';
  };
  const opened = async (user: string) => {
    await stack.slack.openHome(user);
    return stack.slack.until(() => shown(user));
  };
  const presses = (user: string, label: string): Promise<InteractionResult> => {
    const home = stack.slack.home(user);
    if (!home) throw new Error(`${user} has no App Home open`);
    return stack.slack.press({ view: home.id, user, ...placeOfButton(home, label) });
  };

  it('says what Pigeonhole does, where files go, and which commands to type', async () => {
    const seen = await opened('ada');
    expect(seen).toContain(
      'I put every file that is shared in a channel into that channel’s folder',
    );
    expect(seen).toContain(`${mention('general')} → *Office move › Floor plans*`);
    expect(seen).toContain('`/files link');
    expect(await opened('dan')).not.toContain('`/files link');
  });

  it('lists to members the channels they are in, and to admins all channels', async () => {
    const { slack } = stack;
    await linkChannel(stack, 'board', QUOTES);
    for (const user of ['ada', 'ben'])
      await slack.as('cleo', 'conversations.kick', {
        channel: slack.ids.channels['board'],
        user: slack.ids.users[user],
      });
    const line = `${mention('board')} → *Office move › Quotes*`;
    expect(await opened('cleo')).toContain(line);
    const forBen = await opened('ben');
    expect(forBen).toContain(`${mention('general')} →`);
    expect(forBen).not.toContain(mention('board'));
    expect(forBen).toContain('- 1 channel\n');
    expect(await opened('ada')).toContain(line);
  });

  it('shows plain messages when nothing is linked and nothing is wrong', async () => {
    await stack.slack.command({
      command: '/files',
      text: 'unlink',
      user: 'ada',
      channel: 'general',
    });
    await stack.slack.until(async () =>
      (await stack.slack.state('general')).find(({ text }) => /unlinked/.test(text ?? '')),
    );
    const seen = await opened('ben');
    expect(seen).toContain('None of your channels is linked to a folder of its own yet.');
    expect(seen).toContain('Nothing needs attention');
  });

  it('shows what needs attention, runs the pressed action, and shows its result', async () => {
    const posted = await shareRefused('general', 'a.txt');
    expect(await opened('ben')).toContain('1 file couldn’t be filed: a.txt');
    await presses('ben', 'Retry all');
    const after = await stack.slack.until(
      () => /Trying 1 file again/.test(shown('ben')) && shown('ben'),
    );
    expect(after).toContain('# Channels');
    await settledShare(stack.slack, posted);
    await presses('ben', 'Refresh');
    await stack.slack.until(() => shown('ben').includes('Nothing needs attention'));
  });

  it('opens while the service does not answer, and gives the reason when Slack itself fails', async () => {
    stack.service.faults.set({ mode: 'hang' });
    expect(await opened('ben')).toContain('# Channels');
    stack.slack.fail('users.conversations', 'fatal_error');
    await presses('ben', 'Refresh');
    await stack.slack.until(() =>
      /I couldn’t look up what needs attention: Slack can’t/.test(shown('ben')),
    );
    await presses('ben', 'Refresh');
    await stack.slack.until(() => shown('ben').includes('# Channels'));
  });

  it('stays unchanged when the Messages tab is opened instead', async () => {
    const user = stack.slack.ids.users['ben'];
    await stack.slack.sendEvent({ type: 'app_home_opened', user, tab: 'messages', channel: 'D1' });
    await stack.slack.settled();
    expect(stack.slack.home('ben')).toBeUndefined();
  });
});

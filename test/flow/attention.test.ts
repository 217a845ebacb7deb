import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InteractionResult, SlackView } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { FLOOR_PLANS, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createMovableClock, type MovableClock } from '../support/fake-clock.ts';
import { asksWhere, person, placeOfButton, screen, unlink } from '../support/person.ts';
import { shareRefusedFile } from '../support/share-refused.ts';
import { lineOf, linkChannel, settledShare, threadOf } from '../support/slack-channel.ts';
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

/** The same, refused for a reason that only the service knows: it may be the folder. */
async function shareUnexplained(channel: string, name: string) {
  stack.service.faults.set({ mode: 'status', status: 409 }, { only: ['upload', 'create'] });
  const posted = await share(channel, name);
  await lineOf(stack.slack, posted, /^Couldn’t be filed/);
  stack.service.faults.clear();
  return posted;
}

const typesStatus = (user: string, channel = 'general') =>
  person(stack.slack, user).types('/files status', channel);
const status = async (user: string, channel?: string) => screen(await typesStatus(user, channel));
const mention = (channel: string) => `#${stack.slack.ids.channels[channel]}`;
const filed = (folder: number) => stack.service.store.files(folder).map(({ name }) => name);

describe('/files status', () => {
  it('says that all are filed when nothing is stuck', async () => {
    const seen = await status('ben');
    expect(seen).toContain('| All filed. ✅');
    expect(seen).not.toContain('Stuck files');
  });

  it('lists refused files with the reason, and retries all of them', async () => {
    const posted = [await shareRefused('general', 'a.txt'), await shareRefused('general', 'b.txt')];
    const seen = await typesStatus('ben');
    expect(screen(seen)).toContain(
      `| ${mention('general')}\n| 2 files couldn’t be filed: a.txt and 1 more – Slack `,
    );
    const after = await person(stack.slack, 'ben').presses(seen, 'Try again');
    expect(screen(after)).toContain('Trying 2 files again.');
    for (const one of posted) await settledShare(stack.slack, one);
    expect(filed(FLOOR_PLANS).toSorted()).toEqual(['a.txt', 'b.txt']);
    expect(await status('ben')).toContain('All filed');
  });

  it('retries in the folder that the channel is linked to by then', async () => {
    const posted = await shareRefused('general', 'a.txt');
    const [seen, again] = [await typesStatus('ben'), await typesStatus('ben')];
    await linkChannel(stack, 'general', QUOTES);
    await person(stack.slack, 'ben').presses(seen, 'Try again');
    await settledShare(stack.slack, posted);
    expect([filed(FLOOR_PLANS), filed(QUOTES)]).toEqual([[], ['a.txt']]);
    const after = await person(stack.slack, 'ben').presses(again, 'Try again');
    expect(screen(after)).toContain('nothing to try again: everything is being filed, or done.');
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
    await person(stack.slack, 'ben').presses(await typesStatus('ben'), 'Try again');
    await settledShare(stack.slack, posted);
  });

  it('leaves files in Slack for an admin, who may have them filed after all', async () => {
    const posted = await shareRefused('general', 'a.txt');
    const after = await person(stack.slack, 'ada').presses(
      await typesStatus('ada'),
      'Leave in Slack',
    );
    expect(screen(after)).toContain('Left 1 file in Slack.');
    expect(screen(after)).toContain('All filed');
    const line = await lineOf(stack.slack, posted, /^Left in Slack: a\.txt/);
    expect(filed(FLOOR_PLANS)).toEqual([]);
    const message = { channel: posted.channel, ts: line.ts };
    await stack.slack.press({ message, user: 'ada', ...placeOfButton(line, 'File it') });
    await settledShare(stack.slack, posted);
    expect(filed(FLOOR_PLANS)).toEqual(['a.txt']);
  });

  it('leaves none in Slack if more are stuck than the question named, and asks again', async () => {
    const ada = person(stack.slack, 'ada');
    await shareRefused('general', 'a.txt');
    const seen = await typesStatus('ada');
    await shareRefused('general', 'b.txt');
    const again = await ada.presses(seen, 'Leave in Slack');
    expect(screen(again)).toContain('There are more by now, so I left none. Check the list.');
    expect(screen(again)).toContain('2 files couldn’t be filed');
    expect(screen(await ada.presses(again, 'Leave in Slack'))).toContain('Left 2 files in Slack.');
  });

  it('lets people leave in Slack what they shared themselves, and nothing else', async () => {
    const { slack } = stack;
    const [cleo, ben] = [person(slack, 'cleo'), person(slack, 'ben')];
    const posted = await shareRefused('general', 'bens.txt');
    const files = [{ name: 'empty.gdoc', bytes: '', variant: { mode: 'external' } as const }];
    await slack.share({ channel: 'general', user: 'cleo', files });
    const list = await slack.until(async () => {
      const seen = await typesStatus('cleo');
      return screen(seen).includes('empty.gdoc') ? seen : undefined;
    });
    const after = screen(await cleo.presses(list, 'Leave in Slack'));
    expect(after).toContain('Left 1 file in Slack.');
    expect(after).toContain('bens.txt');
    expect(after).not.toMatch(/empty\.gdoc|\[Leave in Slack/);
    const again = await ben.presses(await typesStatus('ben'), 'Leave in Slack');
    expect(screen(again)).toContain('All filed');
    await lineOf(slack, posted, /^Left in Slack: bens\.txt/);
  });

  it('lets people leave in Slack what they sent the app directly', async () => {
    const { slack } = stack;
    const posted = await share('dm', 'plan.txt');
    const seen = await typesStatus('ben', 'dm');
    expect(screen(seen)).toContain('1 file not filed: plan.txt – the conversation has no folder.');
    const after = await person(slack, 'ben').presses(seen, 'Leave in Slack');
    expect(screen(after)).toContain('Left 1 file in Slack.');
    expect(await status('ben', 'dm')).toContain('All filed');
    expect(await threadOf(slack, posted)).toEqual([]);
  });

  it('leaves what waits for a folder, and files it at a press once the channel has one', async () => {
    const { slack } = stack;
    const posted = await share('design', 'a.txt');
    const seen = await typesStatus('ada', 'design');
    await person(slack, 'ada').presses(seen, 'Leave in Slack');
    expect(await status('ada', 'design')).toContain('All filed');
    await linkChannel(stack, 'design', QUOTES);
    const where = (user: string) => asksWhere(slack, user, posted);
    expect(await where('ben')).toContain(
      'Left in Slack: a.txt. A workspace admin can file it with “Where is this filed?”',
    );
    const presses = async (user: string, answer: string) => {
      expect(await where('ada')).toContain('[File it');
      const view = slack.views('ada').at(-1) as SlackView;
      await slack.press({ view: view.id, user, ...placeOfButton(view, 'File it') });
      await slack.until(() => JSON.stringify(slack.views('ada').at(-1)).includes(answer));
    };
    await presses('ben', 'Only workspace admins');
    await presses('ada', 'Done');
    await settledShare(slack, posted);
    expect(filed(QUOTES)).toEqual(['a.txt']);
    expect(await where('ada')).not.toContain('[File it');
  });

  it('opens the form for another folder from any channel, for members who may link', async () => {
    const { slack } = stack;
    await shareUnexplained('general', 'a.txt');
    expect(await status('ben')).not.toContain('[Choose another folder');
    await slack.as('ada', 'conversations.leave', { channel: slack.ids.channels['general'] });
    const seen = await typesStatus('ada', 'design');
    await slack.press({
      ephemeral: seen,
      user: 'ada',
      ...placeOfButton(seen, 'Choose another folder'),
    });
    const [form] = await slack.until(() => slack.views('ada').length > 0 && slack.views('ada'));
    expect(form?.private_metadata).toContain(slack.ids.channels['general']);
  });

  it('confirms a skip even when Slack then keeps the rest from being shown', async () => {
    await shareRefused('general', 'a.txt');
    const seen = await typesStatus('ada');
    stack.slack.fail('users.conversations', 'fatal_error');
    const after = await person(stack.slack, 'ada').presses(seen, 'Leave in Slack');
    expect(screen(after)).toContain('Left 1 file in Slack.');
  });

  it.each(['the channel', 'the App Home'])(
    'reopens the form for the same channel from a button in %s',
    async (place) => {
      const { slack } = stack;
      await shareUnexplained('general', 'a.txt');
      slack.fail('views.open', 'expired_trigger_id');
      if (place === 'the channel') {
        const seen = await typesStatus('ada', 'design');
        const instead = await person(slack, 'ada').presses(seen, 'Choose another folder');
        expect(screen(instead)).toContain(`open the form for ${mention('general')}`);
        const again = placeOfButton(instead, 'Link that channel');
        await slack.press({ ephemeral: instead, user: 'ada', ...again });
      } else {
        const home = async (label: string) =>
          slack.until(() => {
            const view = slack.home('ada');
            return view && screen({ text: '', ...view }).includes(`[${label}`) && view;
          });
        await slack.openHome('ada');
        for (const label of ['Choose another folder', 'Link that channel']) {
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
    await shareUnexplained('board', 'a.txt');
    const [channel, user] = [slack.ids.channels['board'], slack.ids.users['ada']];
    await slack.as('cleo', 'conversations.kick', { channel, user });
    const seen = await typesStatus('ada');
    await slack.press({
      ephemeral: seen,
      user: 'ada',
      ...placeOfButton(seen, 'Choose another folder'),
    });
    const form = await slack.until(() =>
      slack.views('ada').find(({ private_metadata }) => private_metadata?.includes('"isListed"')),
    );
    expect(screen({ text: '', blocks: form.blocks })).toContain(`in ${mention('board')} will`);
    expect(JSON.stringify(form)).not.toContain('board');
    const field = { actionId: FOLDER_FIELD, typed: '' };
    const { body } = await slack.suggest({ view: form.id, user: 'ada', ...field });
    expect(JSON.stringify(body)).toContain('Quotes');
    expect(JSON.stringify(body)).not.toContain('board');
  });

  it('names files that wait for a folder, until the channel is linked', async () => {
    await share('design', 'a.txt');
    expect(await status('ben', 'design')).toContain(
      '1 file not filed: a.txt – the channel has no folder. A workspace admin can choose one with `/files link`.',
    );
    await linkChannel(stack, 'design', QUOTES);
    expect(await status('ben', 'design')).toContain('All filed');
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
    expect(await status('ben')).toContain('All filed');
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
    expect(await status('ben')).not.toMatch(/on (its|their) way/);
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
    const after = await person(slack, 'ben').presses(seen, 'Try again');
    expect(screen(after)).toContain(`I can’t see from here that you’re in ${mention('board')}.`);
    expect((await lineOf(slack, posted, /./)).text).toMatch(/^Couldn’t be filed/);
  });

  it('offers each reader only the actions they may take', async () => {
    await shareUnexplained('general', 'a.txt');
    expect(await status('ada')).toMatch(
      /\[Try again .*\[Choose another folder .*\[Leave in Slack /,
    );
    expect(await status('ben')).toMatch(/\[Try again .*\[Leave in Slack /);
    expect(await status('cleo')).not.toContain('[Leave in Slack');
    expect(await status('dan')).not.toContain('[Try again');
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
      'Share a file in a channel with a folder, and I’ll put it there in the file service',
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
    await unlink(stack.slack, 'ada', 'general');
    await stack.slack.until(async () =>
      (await stack.slack.state('general')).find(({ text }) => /unlinked/.test(text ?? '')),
    );
    const seen = await opened('ben');
    expect(seen).toContain('None of your channels has a folder of its own yet.');
    expect(seen).toContain('All filed');
    expect(seen).toContain(
      '1. Ask one of the workspace admins to type `/files link` in a channel.',
    );
    expect(await opened('ada')).toContain('1. Choose a channel above, then its folder.');
  });

  it('shows the reader’s own filed files with their folders, newest first', async () => {
    for (const name of ['old.txt', 'new.txt'])
      await settledShare(stack.slack, await share('general', name));
    const seen = await opened('ben');
    expect(seen).toMatch(
      /# Your recent files\n\| .*new\.txt.* in \*Office move › Floor plans\*, .*\n\| .*old\.txt/,
    );
    expect(seen).not.toContain('Three steps to begin');
    expect(await opened('ada')).not.toContain('new.txt');
  });

  it('shows what needs attention, runs the pressed action, and shows its result', async () => {
    const posted = await shareRefused('general', 'a.txt');
    expect(await opened('ben')).toContain('1 file couldn’t be filed: a.txt');
    await presses('ben', 'Try again');
    const after = await stack.slack.until(
      () => /Trying 1 file again/.test(shown('ben')) && shown('ben'),
    );
    expect(after).toContain('# Channels');
    await settledShare(stack.slack, posted);
    await presses('ben', 'Refresh');
    await stack.slack.until(() => shown('ben').includes('All filed'));
  });

  it('opens while the service does not answer, and gives the reason when Slack itself fails', async () => {
    stack.service.faults.set({ mode: 'hang' });
    expect(await opened('ben')).toContain('# Channels');
    stack.slack.fail('users.conversations', 'fatal_error');
    await presses('ben', 'Refresh');
    await stack.slack.until(() => /I couldn’t look up stuck files: Slack can’t/.test(shown('ben')));
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

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Ephemeral, Posted } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER, PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createFastClock, LATER_MS } from '../support/fake-clock.ts';
import { asksWhere, type Person, person, screen, unlink } from '../support/person.ts';
import { announced, lineOf, settledShare, threadOf } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
let ada: Person;
beforeEach(async () => {
  stack = await startStack({
    env: WITHOUT_DEFAULT,
    appOptions: { historyEveryMs: 0, clock: createFastClock(4, LATER_MS) },
  });
  ada = person(stack.slack, 'ada');
});
afterEach(() => stack.stop());

interface Changes {
  channel?: string;
  user?: string;
  threadTs?: string;
  deliver?: boolean;
}

function share(name: string, changes: Changes = {}) {
  const files = [{ name, bytes: `bytes of ${name}` }];
  return stack.slack.share({ channel: 'general', user: 'ben', files, ...changes });
}

const hints = (channel = 'general', user = 'ben') =>
  stack.slack.ephemerals(user, channel).filter(({ text }) => text.includes('no folder yet'));

const filed = () => stack.service.store.files(QUOTES).map(({ name }) => name);

/** Links where nothing is parked: the channel is notified, and there is no private answer. */
const linkUnanswered = () =>
  announced(stack, 'general', () =>
    stack.slack.command({
      command: '/files',
      text: `link ${PROJECT}/${QUOTES}`,
      user: 'ada',
      channel: 'general',
    }),
  );

const link = () => ada.types(`/files link ${PROJECT}/${QUOTES}`);

const unlinked = () => announced(stack, 'general', () => unlink(stack.slack, 'ada', 'general'));

/** Resolves with the offer to file the channel's earlier, unrecorded files. */
function offered(...before: Ephemeral[]): Promise<Ephemeral> {
  const known = new Set(before.map(({ ts }) => ts));
  return stack.slack.until(() =>
    stack.slack
      .ephemerals('ada', 'general')
      .find(({ ts, text }) => !known.has(ts) && text.includes('shared here before')),
  );
}

describe('a share in a channel without a folder', () => {
  it('causes one private hint to each sharer per channel, and no other message', async () => {
    const first = await share('one.txt');
    await stack.slack.until(() => hints().length > 0);
    await share('two.txt');
    await share('hers.txt', { user: 'cleo' });
    await stack.slack.until(() => hints('general', 'cleo').length > 0);
    await share('three.txt', { channel: 'design' });
    await stack.slack.until(() => hints('design').length > 0);
    expect(hints()).toHaveLength(1);
    expect(screen(hints()[0] ?? {})).toContain('`/files link`');
    expect(await threadOf(stack.slack, first)).toEqual([]);
    const [message] = await stack.slack.state('general');
    expect(message?.reactions ?? []).toEqual([]);
    expect(stack.service.requests.list()).toEqual([]);
  });

  it('causes a hint with a button only for members who may link', async () => {
    await share('hers.txt', { user: 'ada' });
    await share('his.txt', { user: 'ben' });
    await stack.slack.until(() => hints('general', 'ada')[0] && hints()[0]);
    expect(screen(hints('general', 'ada')[0] ?? {})).toContain('[Link this channel');
    expect(screen(hints()[0] ?? {})).not.toContain('[Link this channel');
  });

  it('follows a greeting to the member who added the app, with a button if they may link', async () => {
    const { slack } = stack;
    const channel = slack.ids.channels['random'];
    for (const user of ['ada', 'ben']) {
      await slack.as(user, 'conversations.invite', { channel, users: slack.ids.bot });
      const [greeting] = await slack.until(() => {
        const said = slack.ephemerals(user, 'random');
        return said.length > 0 && said;
      });
      expect(screen(greeting ?? {})).toContain(
        'Thanks for adding me. This channel has no folder yet',
      );
      expect(screen(greeting ?? {}).includes('[Link this channel')).toBe(user === 'ada');
      await slack.as(user, 'conversations.kick', { channel, user: slack.ids.bot });
    }
  });

  it('is explained by “Where is this filed?”, with who can have it filed', async () => {
    const { slack } = stack;
    const [known, unseen] = [await share('one.txt'), await share('old.txt', { deliver: false })];
    await slack.until(() => hints().length > 0);
    const where = (user: string, posted: Posted) => asksWhere(slack, user, posted);
    expect(await where('ada', known)).toContain('You can choose one with `/files link`');
    expect(await where('dan', known)).toContain('A workspace admin can choose one with');
    expect(await where('ada', unseen)).toContain('You can save its files with “Save files to');
    expect(await where('ben', unseen)).toContain('A workspace admin can save its files with');
    await link();
    const linked = await where('ada', known);
    expect(linked).toContain('one.txt was shared before this channel had a folder.');
    expect(linked).toContain('[File it now');
  });

  it('is filed when somebody links the channel and chooses to file it', async () => {
    const shares: Posted[] = [await share('one.txt'), await share('two.txt')];
    const offer = await link();
    expect(screen(offer)).toContain('2 files shared here are in Slack only.');
    expect(filed()).toEqual([]);
    const done = await ada.presses(offer, 'File them');
    expect(done.ts).toBe(offer.ts);
    expect(screen(done)).toContain('2 files are on their way now.');
    for (const posted of shares) await settledShare(stack.slack, posted);
    for (const posted of shares)
      await lineOf(stack.slack, posted, /^Filed in Office move › Quotes/);
    expect(filed().toSorted()).toEqual(['one.txt', 'two.txt']);
  });

  it('appears only in one report, without reactions, when it is one of many files', async () => {
    const names = Array.from({ length: 21 }, (_, n) => `plan ${n}.txt`);
    const files = names.map((name) => ({ name, bytes: name }));
    for (const some of [files.slice(0, 10), files.slice(10)])
      await stack.slack.share({ channel: 'general', user: 'ben', files: some });
    const offer = await link();
    expect(screen(await ada.presses(offer, 'File them'))).toContain('21 files are on their way');
    const said = async (words: RegExp) => {
      const messages = await stack.slack.state('general');
      return messages.find(({ text }) => words.test(text ?? '')) && messages;
    };
    const messages = await stack.slack.until(() => said(/^21 earlier files: 21 filed\./));
    expect(filed().toSorted()).toEqual(names.toSorted());
    const old = messages.filter((message) => message.files);
    expect(old.map(({ replies, reactions = [] }) => [replies, reactions])).toEqual([
      [[], []],
      [[], []],
    ]);
  });

  it('stays in Slack when somebody chooses so, and is offered again at the next link', async () => {
    await share('one.txt');
    const offer = await link();
    expect(screen(await ada.presses(offer, 'Leave in Slack'))).toContain('stay in Slack.');
    await settledShare(stack.slack, await share('fresh.txt'));
    expect(filed()).toEqual(['fresh.txt']);
    expect(screen(await link())).toContain('1 file shared here is in Slack only.');
  });

  it('is not said to stay in Slack once another admin had it filed', async () => {
    await share('one.txt');
    const offer = await link();
    stack.slack.setUser('ben', { is_admin: true });
    const ben = person(stack.slack, 'ben');
    const his = await ben.types(`/files link ${PROJECT}/${QUOTES}`);
    expect(screen(his)).toContain('1 file shared here is in Slack only.');
    await ada.presses(offer, 'File it');
    expect(screen(await ben.presses(his, 'Leave in Slack'))).toContain(
      'Everything is filed already, on its way, or deleted in Slack.',
    );
  });

  it('is not filed when somebody without the right presses the button', async () => {
    await share('one.txt');
    const offer = await link();
    const place = { actionId: 'file_parked', ephemeral: offer };
    const reaction = await stack.slack.press({ ...place, user: 'ben' });
    await stack.slack.until(() => reaction.ephemerals.length > 0);
    expect(screen(offer)).toContain('Only workspace admins can have earlier files filed.');
    await settledShare(stack.slack, await share('fresh.txt'));
    expect(filed()).toEqual(['fresh.txt']);
  });

  it('is not filed, with the reason, when the channel was unlinked before the press', async () => {
    await share('one.txt');
    const offer = await link();
    await unlinked();
    expect(screen(await ada.presses(offer, 'File it'))).toContain(
      'I filed nothing, as this channel has no folder any more.',
    );
    expect(filed()).toEqual([]);
  });

  it('stays in Slack when somebody chooses so after an unlink, without a promise for new files', async () => {
    await share('one.txt');
    const offer = await link();
    await unlinked();
    expect(screen(await ada.presses(offer, 'Leave in Slack'))).toMatch(
      /The earlier files stay in Slack\.$/,
    );
  });

  it('is not filed, with the reason, when the channel was relinked before the press', async () => {
    await share('one.txt');
    const offer = await link();
    await announced(stack, 'general', () => ada.types(`/files link ${PROJECT}/${FOLDER}`));
    const answer = screen(await ada.presses(offer, 'File it'));
    expect(answer).toContain('This channel’s files now go to');
    expect(answer).toContain(`/files link ${PROJECT}/${FOLDER}`);
    expect(filed()).toEqual([]);
  });

  it('makes /files say what to do', async () => {
    expect(screen(await ada.types('/files'))).toContain('This channel has no folder yet');
    expect(screen(await ada.types('/files help'))).toContain('This channel has no folder yet');
  });
});

describe('the files that a channel held before its link', () => {
  it('are offered at linking, and left when somebody chooses so', async () => {
    await share('old.txt', { deliver: false });
    await linkUnanswered();
    const offer = await offered();
    expect(screen(offer)).toContain('1 file was shared here before.');
    expect(screen(await ada.presses(offer, 'Leave in Slack'))).toContain('stay in Slack.');
    await settledShare(stack.slack, await share('fresh.txt'));
    expect(filed()).toEqual(['fresh.txt']);
  });

  it('are offered to the linker once the app joins: in the channel to the inviter, else directly', async () => {
    const { slack } = stack;
    const users = slack.ids.bot;
    const channel = slack.ids.channels['random'];
    await share('old.txt', { channel: 'random', deliver: false });
    await ada.types(`/files link ${PROJECT}/${QUOTES}`, 'random');
    await slack.as('ben', 'conversations.invite', { channel, users });
    const opened = await slack.as('ada', 'conversations.open', { users });
    const { id: direct } = opened['channel'] as { id: string };
    const sent = await slack.until(async () =>
      (await slack.state(direct)).find(({ text }) => text?.includes('File it too?')),
    );
    expect(screen(sent)).toContain(`1 file was shared in #${channel} before.`);
    const offersTo = (user: string) =>
      slack.ephemerals(user, 'random').filter(({ text }) => text.includes('File it too?'));
    expect([...offersTo('ben'), ...offersTo('ada')]).toEqual([]);
    await slack.as('ada', 'conversations.kick', { channel, user: users });
    await slack.as('ada', 'conversations.invite', { channel, users });
    const offer = await slack.until(() => offersTo('ada')[0]);
    expect(screen(offer)).toContain('1 file was shared here before.');
    expect(screen(await ada.presses(offer, 'File it'))).toContain('I’ll post progress');
  });

  it('are offered when they are only in threads', async () => {
    const { slack } = stack;
    const channel = slack.ids.channels['general'];
    const { ts } = await slack.as('ben', 'chat.postMessage', { channel, text: 'Have a look' });
    await share('old.txt', { threadTs: String(ts), deliver: false });
    await linkUnanswered();
    const offer = await offered();
    expect(screen(offer)).toContain('| 1 file was shared here before. File it too?');
    await ada.presses(offer, 'File it');
    await vi.waitUntil(() => filed().includes('old.txt'), { timeout: 20_000 });
  });

  it('are offered again to a member who links the channel to the same folder', async () => {
    await share('old.txt', { deliver: false });
    await linkUnanswered();
    const first = await offered();
    expect(screen(await link())).toContain('is already linked to');
    const again = await offered(first);
    expect(screen(await link())).toContain('is already linked to');
    const third = await offered(first, again);
    await ada.presses(again, 'File it');
    expect(screen(await ada.presses(third, 'Leave in Slack'))).toContain(
      'Everything is filed already, on its way, or deleted in Slack.',
    );
    await vi.waitUntil(() => filed().includes('old.txt'), { timeout: 20_000 });
    expect(screen(await link())).toContain('is already linked to');
    await ada.presses(first, 'File it');
    await settledShare(stack.slack, await share('fresh.txt'));
    expect(filed()).toEqual(['old.txt', 'fresh.txt']);
  });
});

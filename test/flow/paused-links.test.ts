import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FLOOR_PLANS, FOLDER, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createMovableClock, type MovableClock } from '../support/fake-clock.ts';
import { person, placeOfButton, screen, unlink } from '../support/person.ts';
import { lineOf, linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
async function start(options: Parameters<typeof startStack>[0] = {}): Promise<void> {
  stack = await startStack({ env: WITHOUT_DEFAULT, ...options });
  await linkChannel(stack, 'general', FLOOR_PLANS);
}
afterEach(() => stack.stop());

const share = (name: string, channel = 'general') =>
  stack.slack.share({ channel, user: 'ben', files: [{ name, bytes: name }] });
const requests = (wanted: string) =>
  stack.service.requests.list().filter(({ operation }) => operation === wanted);
const filed = (folder: number) =>
  stack.service.store
    .files(folder)
    .map(({ name }) => name)
    .toSorted();
const mention = () => `#${stack.slack.ids.channels['general']}`;

/** Returns the direct messages sent, each with its recipient. */
const notices = () =>
  stack.slack.calls
    .filter(
      ({ method, args, ok }) =>
        ok && method === 'chat.postMessage' && /^U/.test(`${args['channel']}`),
    )
    .map(({ args }) => ({ to: String(args['channel']), ...args }) as { to: string; text: string });

/** The longest wait for a response of the service, in milliseconds; nobody else sleeps so long. */
const ANSWER_MS = 47_123;

const GONE = /^Waiting: .*\. The folder is gone\. I’ve told/;

/** Skips minutes in steps that lose no lease, and none while a response is awaited. */
async function minutesUntil(clock: MovableClock, isSo: () => boolean): Promise<void> {
  const look = () => {
    if (isSo()) return true;
    if (!clock.sleeping().includes(ANSWER_MS)) clock.skip(5_000);
    return false;
  };
  await vi.waitUntil(look, { timeout: 20_000, interval: 20 });
}

describe('a folder that is gone', () => {
  beforeEach(async () => {
    await start();
    stack.service.store.deleteFolder(FLOOR_PLANS);
  });

  it('pauses the link: its linker is notified once, shares wait unsent, a new link files all', async () => {
    const first = await share('plan.txt');
    await lineOf(stack.slack, first, GONE);
    const ada = stack.slack.ids.users['ada'];
    expect(notices()).toEqual([
      expect.objectContaining({
        to: ada,
        text: expect.stringMatching(
          /^Files shared in <#\w+>, which you linked, are waiting: its folder, Office move › Floor plans, is gone/,
        ),
      }),
    ]);
    const second = await share('quote.txt');
    await lineOf(stack.slack, second, GONE);
    expect(requests('upload')).toHaveLength(1);
    expect(notices()).toHaveLength(1);
    await linkChannel(stack, 'general', QUOTES);
    for (const posted of [first, second]) await settledShare(stack.slack, posted);
    expect(filed(QUOTES)).toEqual(['plan.txt', 'quote.txt']);
    expect((await lineOf(stack.slack, second, /^Filed in Office move › Quotes/)).text).toContain(
      'quote.txt',
    );
  });

  it('is reported with a button that opens the form for that channel', async () => {
    await lineOf(stack.slack, await share('plan.txt'), GONE);
    const { slack } = stack;
    const message = await slack.until(async () => {
      const [im] = await direct('ada');
      return im;
    });
    await slack.press({ message, user: 'ada', ...placeOfButton(message, 'Choose another folder') });
    const [form] = await slack.until(() => slack.views('ada').length > 0 && slack.views('ada'));
    expect(form?.private_metadata).toContain(slack.ids.channels['general']);
  });

  it('shows in /files, /files status, help and the App Home until the channel has another', async () => {
    await lineOf(stack.slack, await share('plan.txt'), GONE);
    const ada = person(stack.slack, 'ada');
    const paused = 'This channel’s files wait: its folder, *Office move › Floor plans*, is gone.';
    expect(screen(await ada.types('/files'))).toContain(paused);
    expect(screen(await ada.types('/files'))).toContain('[Choose another folder');
    expect(screen(await person(stack.slack, 'ben').types('/files'))).not.toContain('[Choose');
    const help = screen(await ada.types('/files help'));
    expect(help).toContain('| Files are waiting: the folder is gone.');
    expect(help).not.toContain('are filed in');
    const status = screen(await ada.types('/files status'));
    expect(status).toContain(`${mention()}\n| Files are waiting: the folder is gone.`);
    expect(status).toContain('1 file waiting: plan.txt.');
    await stack.slack.openHome('ada');
    const home = await stack.slack.until(() => stack.slack.home('ada'));
    expect(screen({ text: '', blocks: home.blocks })).toContain(
      `${mention()} → *Office move › Floor plans* (paused: the folder is gone)`,
    );
    await linkChannel(stack, 'general', QUOTES);
    await stack.slack.until(async () =>
      screen(await ada.types('/files status')).includes('All filed'),
    );
    expect(screen(await ada.types('/files'))).not.toContain('paused');
  });

  it('stays known after a restart, and is not reported again', async () => {
    const first = await share('plan.txt');
    await lineOf(stack.slack, first, GONE);
    await stack.restart();
    const second = await share('quote.txt');
    await lineOf(stack.slack, second, GONE);
    expect(notices()).toHaveLength(1);
    await linkChannel(stack, 'general', QUOTES);
    for (const posted of [first, second]) await settledShare(stack.slack, posted);
    expect(filed(QUOTES)).toEqual(['plan.txt', 'quote.txt']);
  });

  it('is reported in the channel when its linker may no longer link', async () => {
    const { slack } = stack;
    const plain = { is_owner: false, is_primary_owner: false, is_admin: false };
    slack.setUser('ada', plain);
    await lineOf(slack, await share('plan.txt'), GONE);
    const said = await slack.until(async () =>
      (await slack.state('general')).find(({ text }) =>
        /^Files shared here are waiting/.test(text ?? ''),
      ),
    );
    expect(said.text).toContain('A workspace admin can choose another folder');
    expect(notices()).toEqual([]);
  });

  it('is asked about at an unlink, as usual', async () => {
    await lineOf(stack.slack, await share('plan.txt'), GONE);
    const { slack } = stack;
    await unlink(slack, 'ada', 'general');
    const asked = await slack.until(() =>
      slack.ephemerals('ada', 'general').find(({ text }) => text.includes('still on the way')),
    );
    expect(screen(await person(slack, 'ada').presses(asked, 'Leave in Slack'))).toContain(
      'Left 1 file in Slack.',
    );
  });
});

describe('a folder that is gone for a long time', () => {
  it('is looked for from time to time, and nothing is sent until it is there', async () => {
    const clock = createMovableClock();
    await start({
      service: { profile: 'real' },
      appOptions: { clock, requestTimeoutMs: ANSWER_MS },
    });
    stack.service.store.deleteFolder(FLOOR_PLANS);
    const posted = await share('plan.txt');
    await lineOf(stack.slack, posted, GONE);
    const asked = requests('folders').length;
    await minutesUntil(clock, () => requests('folders').length >= asked + 3);
    expect(requests('upload')).toHaveLength(1);
    expect(requests('create')).toHaveLength(1);
    await linkChannel(stack, 'general', QUOTES);
    await settledShare(stack.slack, posted);
    expect(filed(QUOTES)).toEqual(['plan.txt']);
  });
});

it('a default folder that is gone shows in the line, in status and in help', async () => {
  await start({ env: {} });
  stack.service.store.deleteFolder(FOLDER);
  const posted = await share('plan.txt', 'design');
  const said = /^Waiting: plan\.txt\. The folder is gone\. I’ll file it once that’s fixed/;
  const message = await lineOf(stack.slack, posted, said);
  const ada = person(stack.slack, 'ada');
  const waiting =
    '1 file waiting: plan.txt. The folder is gone. I’ll file it once that’s fixed, or another folder is chosen.';
  const status = await ada.types('/files status', 'design');
  expect(screen(status)).toContain(waiting);
  const after = screen(await ada.presses(status, 'Try again'));
  expect(after).toContain('Trying 1 file again.');
  expect(after).toContain(waiting);
  expect((await lineOf(stack.slack, posted, said)).text).toBe(message.text);
  expect(screen(await ada.types('/files help', 'design'))).toContain(
    '| Files are waiting: the folder is gone.',
  );
});

describe('a lost right to use a folder', () => {
  it('pauses the link and is retried automatically, so that all files are filed once it is back', async () => {
    // Real accounts have no known code for this: they refuse the file.
    const clock = createMovableClock();
    await start({
      service: { profile: 'specified' },
      appOptions: { clock, requestTimeoutMs: ANSWER_MS },
    });
    stack.service.faults.set({ mode: '403' }, { only: 'create' });
    const first = await share('plan.txt');
    const denied = /^Waiting: .*\. I have no access to this folder\. I’ve told/;
    await lineOf(stack.slack, first, denied);
    const second = await share('quote.txt');
    await lineOf(stack.slack, second, denied);
    expect(requests('upload')).toHaveLength(1);
    stack.service.faults.clear();
    await minutesUntil(clock, () => filed(FLOOR_PLANS).length === 2);
    for (const posted of [first, second]) await settledShare(stack.slack, posted);
    expect(filed(FLOOR_PLANS)).toEqual(['plan.txt', 'quote.txt']);
    expect(notices()).toHaveLength(1);
    const status = screen(await person(stack.slack, 'ada').types('/files status'));
    expect(status).toContain('All filed');
  });

  it('is retried at once when somebody asks', async () => {
    await start({ service: { profile: 'specified' } });
    stack.service.faults.set({ mode: '403' }, { only: 'create' });
    const posted = await share('plan.txt');
    const line = await lineOf(stack.slack, posted, /^Waiting: .*I’ve told/);
    stack.service.faults.clear();
    const message = { channel: 'general', ts: line.ts };
    await stack.slack.press({ message, user: 'cleo', ...placeOfButton(line, 'Try again') });
    await settledShare(stack.slack, posted);
    expect(filed(FLOOR_PLANS)).toEqual(['plan.txt']);
  });

  it('is reported once to each member who linked a channel to that folder', async () => {
    await start({
      service: { profile: 'specified' },
      env: { ...WITHOUT_DEFAULT, LINK_BY: 'members' },
    });
    const command = { command: '/files', text: `link 23423235/${FLOOR_PLANS}`, channel: 'design' };
    await stack.slack.command({ ...command, user: 'cleo' });
    await stack.slack.until(async () =>
      (await stack.slack.state('design')).find(({ text }) =>
        /linked this channel/.test(text ?? ''),
      ),
    );
    stack.service.faults.set({ mode: '403' }, { only: 'create' });
    for (const [name, channel] of [
      ['a.txt', 'general'],
      ['b.txt', 'design'],
      ['c.txt', 'design'],
    ] as const)
      await lineOf(stack.slack, await share(name, channel), /I’ve told/);
    const { ada, cleo } = stack.slack.ids.users;
    expect(
      notices()
        .map(({ to }) => to)
        .toSorted(),
    ).toEqual([ada, cleo].toSorted());
  });
});

describe('a lost right to upload to a project', () => {
  const denied = /^Waiting: .*\. I may not upload to this project\. I’ve told/;

  it('pauses the links to its folders for that reason, and is retried automatically', async () => {
    const clock = createMovableClock();
    await start({
      service: { profile: 'specified' },
      appOptions: { clock, requestTimeoutMs: ANSWER_MS },
    });
    stack.service.faults.set({ mode: '403' }, { only: 'upload' });
    const first = await share('plan.txt');
    await lineOf(stack.slack, first, denied);
    const second = await share('quote.txt');
    await lineOf(stack.slack, second, denied);
    expect(requests('upload')).toHaveLength(1);
    expect(notices()).toEqual([
      expect.objectContaining({
        to: stack.slack.ids.users['ada'],
        text: expect.stringMatching(
          /^Files shared in <#\w+>, which you linked, are waiting: the file service doesn’t let me upload to the project of its folder, Office move › Floor plans\.\n/,
        ),
      }),
    ]);
    const help = screen(await person(stack.slack, 'ada').types('/files help'));
    expect(help).toContain('| Files are waiting: I may not upload to this project.');
    stack.service.faults.clear();
    await minutesUntil(clock, () => filed(FLOOR_PLANS).length === 2);
    for (const posted of [first, second]) await settledShare(stack.slack, posted);
    expect(filed(FLOOR_PLANS)).toEqual(['plan.txt', 'quote.txt']);
  });

  it('leaves other projects alone, and a link to a folder of one files what waited', async () => {
    await start({ service: { profile: 'specified' } });
    stack.service.faults.set({ mode: '403' }, { only: 'upload' });
    const first = await share('plan.txt');
    await lineOf(stack.slack, first, denied);
    stack.service.faults.clear();
    await linkChannel(stack, 'design', QUOTES);
    await settledShare(stack.slack, await share('quote.txt', 'design'));
    expect(filed(FLOOR_PLANS)).toEqual([]);
    await linkChannel(stack, 'general', QUOTES);
    await settledShare(stack.slack, first);
    expect(filed(QUOTES)).toEqual(['plan.txt', 'quote.txt']);
  });

  it('is told as a refusal of the file where the account gives no known code for it', async () => {
    await start({ service: { profile: 'real' } });
    stack.service.faults.next({ mode: '403' }, 1, 'upload');
    const first = await share('plan.txt');
    await lineOf(stack.slack, first, /the file service refused it \(Injected/i);
    await settledShare(stack.slack, await share('quote.txt'));
    expect(requests('upload')).toHaveLength(2);
    expect(notices()).toEqual([]);
  });
});

describe('a channel that is renamed or archived', () => {
  it('keeps its link', async () => {
    await start();
    const { slack } = stack;
    const channel = slack.ids.channels['general'];
    await slack.as('ada', 'conversations.rename', { channel, name: 'all-hands' });
    await settledShare(slack, await share('plan.txt'));
    await slack.as('ada', 'conversations.archive', { channel });
    await slack.as('ada', 'conversations.unarchive', { channel });
    const name = 'all-hands';
    await slack.sendEvent({ type: 'channel_rename', channel: { id: channel, name } });
    await slack.sendEvent({ type: 'channel_archive', channel, user: slack.ids.users['ada'] });
    await settledShare(slack, await share('quote.txt'));
    expect(filed(FLOOR_PLANS)).toEqual(['plan.txt', 'quote.txt']);
  });
});

/** Returns the app's direct messages with a member. */
async function direct(user: string) {
  const { slack } = stack;
  const opened = await slack.as('pigeonhole', 'conversations.open', {
    users: slack.ids.users[user],
  });
  const { id } = opened['channel'] as { id: string };
  const messages = await slack.state(id);
  return messages.map((message) => ({ ...message, channel: id }));
}

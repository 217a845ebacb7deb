import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppOptions } from '../../src/app-options.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { everyList } from '../../src/playground/file-service/index.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { SETTINGS_CHOICES } from '../../src/surfaces/settings/settings-view.ts';
import { FLOOR_PLANS, FOLDER, PROJECT, QUOTES } from '../support/app-settings.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { type Person, person, screen, unlink } from '../support/person.ts';
import { announced, linkChannel } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const MINUTE = 60_000;
const MAYA = 12009183;
const PRIYA = 12009185;
/** How many times as fast as the machine the clock runs, so that due work starts soon. */
const SPEED = 20;

let stack: Stack;
let ada: Person;
let ledger: Ledger;
let aheadMs: number;
let counted: number;
let clock: AppOptions['clock'];
beforeEach(async () => {
  const fast = createFastClock(SPEED);
  [aheadMs, counted] = [0, 0];
  const now = () => fast.now() + aheadMs;
  clock = { now, wall: now, sleep: fast.sleep };
  const aroundLedger = (opened: Ledger) => {
    ledger = opened;
    return opened;
  };
  const behaviour = { listPaging: everyList('paged' as const) };
  stack = await startStack({ appOptions: { clock, aroundLedger }, service: { behaviour } });
  ada = person(stack.slack, 'ada');
});
afterEach(() => stack.stop());

/** Resolves when all folders due for a look have been looked at. */
const looked = () =>
  vi.waitUntil(async () => ((await ledger.nextDue('watch')) ?? 0) - clock.now() > 5 * MINUTE, {
    timeout: 20_000,
    interval: 20,
  });

async function tenMinutesLater(): Promise<void> {
  aheadMs += 10 * MINUTE;
  await looked();
}

/** Puts files into a folder at the service, as somebody else. */
async function others(
  names: readonly string[],
  { folder = FLOOR_PLANS, by = PRIYA } = {},
): Promise<void> {
  const { store } = stack.service;
  const { signal } = new AbortController();
  const bytes = await store.receive(Readable.from(['of others']), signal);
  const common = { projectId: PROJECT, uploaderId: by, name: '', bytes };
  const attachment = await store.addAttachment(common);
  const place = store.folder(folder);
  if (!place) throw new Error('The demo folder is missing');
  const attachments = names.map((name) => ({ ...attachment, name }));
  store.createFiles(place, attachments, by);
}

const types = (text: string, channel = 'design') =>
  stack.slack.command({ command: '/files', text, user: 'ada', channel });

async function turnOn(channel = 'design', folder = FLOOR_PLANS): Promise<void> {
  await linkChannel(stack, channel, folder);
  await announced(stack, channel, () => types('announce on', channel));
  await looked();
}

/** Returns the channel's announcements of added files, in order. */
async function told(channel = 'design'): Promise<string[]> {
  const messages = await stack.slack.state(channel);
  return messages.flatMap(({ text = '' }) => (text.includes(' added ') ? [text] : []));
}

/** Resolves with the next announcement. */
async function nextAnnounced(channel = 'design'): Promise<string> {
  const lines = await stack.slack.until(async () => {
    const now = await told(channel);
    return now.length > counted && now;
  });
  counted = lines.length;
  return lines.at(-1) ?? '';
}

const lists = (folder: number) =>
  stack.service.requests.list().filter(({ path }) => path.includes(`/folders/${folder}/files`));

describe('files that others add to a linked folder', () => {
  it('are announced once, in one message, each with a link', async () => {
    await others(['before.pdf']);
    await turnOn();
    await others(['a.pdf']);
    await tenMinutesLater();
    expect(await nextAnnounced()).toBe(
      'Priya Nair added 1 file to Office move › Floor plans in the file service: a.pdf',
    );
    const posted = (await stack.slack.state('design')).at(-1);
    const { accountUrl } = stack.service;
    expect(JSON.stringify(posted?.blocks)).toContain(`{"type":"link","url":"${accountUrl}`);
    await others(['b.pdf', 'c.pdf']);
    await others(['<!channel> d.pdf'], { by: MAYA });
    await tenMinutesLater();
    const line = await nextAnnounced();
    expect(line).toMatch(/^3 files were added to Office move › Floor plans in the file service: /);
    expect(line).toMatch(/b\.pdf, .*c\.pdf, .*&lt;!channel&gt; d\.pdf|d\.pdf, .*c\.pdf, .*b\.pdf/);
    await tenMinutesLater();
    expect(await told()).toHaveLength(2);
  });

  it('are not announced, nor looked for, where nobody turned announcements on', async () => {
    await linkChannel(stack, 'design', FLOOR_PLANS);
    const before = lists(FLOOR_PLANS).length;
    await turnOn('general', QUOTES);
    await others(['a.pdf']);
    await others(['b.pdf'], { folder: QUOTES });
    await tenMinutesLater();
    expect(await nextAnnounced('general')).toContain('b.pdf');
    expect(await told()).toEqual([]);
    expect(lists(FLOOR_PLANS)).toHaveLength(before);
  });

  it('are announced once even when the process ends between the look and the message', async () => {
    await turnOn();
    await others(['a.pdf']);
    stack.slack.fail('chat.postMessage', 503, 100);
    await tenMinutesLater();
    await stack.restart();
    stack.slack.clearFaults();
    expect(await nextAnnounced()).toContain('a.pdf');
    await tenMinutesLater();
    expect(await told()).toHaveLength(1);
  });

  it('are announced for the folder that the channel is linked to, until it is unlinked', async () => {
    await others(['old quote.pdf'], { folder: QUOTES });
    await turnOn();
    const now = await linkChannel(stack, 'design', QUOTES);
    expect(now.text).toContain('I’ll also post here when others add files to it');
    await looked();
    await others(['new quote.pdf'], { folder: QUOTES });
    await others(['plan.pdf']);
    await tenMinutesLater();
    expect(await nextAnnounced()).toMatch(/1 file to Office move › Quotes .*: new quote\.pdf$/);
    await announced(stack, 'design', () => unlink(stack.slack, 'ada', 'design'));
    expect(await ledger.nextDue('watch')).toBeNull();
    const again = await linkChannel(stack, 'design', QUOTES);
    expect(again.text).not.toContain('I’ll also post');
  });
});

describe('announcements', () => {
  it('are turned on and off by a command, which is posted in the channel', async () => {
    const { slack } = stack;
    await linkChannel(stack, 'design', FLOOR_PLANS);
    const state = async () => screen(await ada.types('/files announce', 'design'));
    expect(await state()).toContain('Announcements are off for *Office move › Floor plans*');
    const on = await announced(stack, 'design', () => types('announce on'));
    expect(on.text).toMatch(
      /turned announcements on for Office move › Floor plans: I’ll post here/,
    );
    expect(await state()).toContain('Announcements are on for *Office move › Floor plans*');
    expect(screen(await ada.types('/files announce on', 'design'))).toContain(
      'Announcements are on',
    );
    const off = await announced(stack, 'design', () => types('announce off'));
    expect(off.text).toContain(`<@${slack.ids.users['ada']}> turned announcements off`);
    expect(await ledger.nextDue('watch')).toBeNull();
  });

  it('begin once the bot is in the channel, including files added meanwhile', async () => {
    const { slack } = stack;
    const [channel, { bot }] = [slack.ids.channels['design'], slack.ids];
    await linkChannel(stack, 'design', FLOOR_PLANS);
    await slack.as('ada', 'conversations.kick', { channel, user: bot });
    const unseen =
      'Announcements are on for *Office move › Floor plans*, but I can’t post here: I’m not in this channel.';
    for (const typed of ['/files announce on', '/files announce'])
      expect(screen(await ada.types(typed, 'design'))).toContain(unseen);
    await looked();
    await others(['unseen.pdf']);
    await tenMinutesLater();
    const told = await announced(stack, 'design', () =>
      slack.as('ada', 'conversations.invite', { channel, users: bot }),
    );
    expect(told.text).toContain('I’ll also post here when others add files to it');
    await others(['seen.pdf']);
    await tenMinutesLater();
    expect(await nextAnnounced()).toMatch(/2 files to .*: unseen\.pdf, seen\.pdf$/);
  });

  it('are for members who may link the channel, and not for the default folder', async () => {
    await linkChannel(stack, 'design', FLOOR_PLANS);
    const ben = person(stack.slack, 'ben');
    expect(screen(await ben.types('/files announce on', 'design'))).toContain(
      'Only workspace admins can turn announcements on or off.',
    );
    expect(screen(await ben.types('/files announce', 'design'))).toContain('A workspace admin can');
    expect(screen(await ada.types('/files announce on', 'general'))).toContain(
      'share the default folder',
    );
    await turnOn('general');
    const linked = await linkChannel(stack, 'general', FOLDER);
    expect(linked.text).not.toContain('I’ll also post');
    expect(screen(await ada.types('/files announce on', 'general'))).toContain(
      'share the default folder',
    );
    expect(await ledger.nextDue('watch')).toBeNull();
  });

  it('are a checkbox in the form that links a channel, which shows their current setting', async () => {
    const announces = SETTINGS_CHOICES;
    const form = async () => {
      // A form that took longer than Slack waits may still show its outcome.
      stack.slack.closeView({ user: 'ada' });
      await types('link');
      return stack.slack.until(() => stack.slack.views('ada').at(-1));
    };
    const ticked = async () => JSON.stringify((await form()).blocks).includes('initial_options');
    const send = (values: Record<string, string | string[]>) =>
      announced(stack, 'design', () =>
        stack.slack.submitView({
          user: 'ada',
          values: { [FOLDER_FIELD]: `${PROJECT}/${FLOOR_PLANS}`, ...values },
        }),
      );
    expect(await ticked()).toBe(false);
    const linked = await send({ [announces]: ['announces'] });
    expect(linked.text).toContain('I’ll also post here when others add files to it');
    expect(await ticked()).toBe(true);
    stack.service.faults.set({ mode: '503' });
    expect((await send({ [announces]: [] })).text).toContain('turned announcements off');
    expect(await ledger.nextDue('watch')).toBeNull();
  });
});

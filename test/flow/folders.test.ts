import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Ephemeral } from '../../src/playground/embedded-slack/index.ts';
import { FLOOR_PLANS, PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createMovableClock } from '../support/fake-clock.ts';
import { type Person, person, placeOfButton, screen } from '../support/person.ts';
import { announced, linkChannel } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const FULL_MEMBER = { is_restricted: false, is_ultra_restricted: false, team_id: 'T000000001' };
const clock = createMovableClock();
let stack: Stack;
let ada: Person;
let ben: Person;
let cleo: Person;
const start =
  (env: Record<string, string> = {}) =>
  async () => {
    stack = await startStack({ env, appOptions: { clock } });
    ada = person(stack.slack, 'ada');
    ben = person(stack.slack, 'ben');
    cleo = person(stack.slack, 'cleo');
  };

/** Makes every cached list too old. */
function forget(): void {
  clock.skip(11 * 60_000);
}

describe('/folders', () => {
  beforeAll(start());
  afterAll(() => stack.stop());
  beforeEach(() => {
    stack.service.faults.clear();
    forget();
  });

  it('shows the tree with the channel’s folder marked and a button for each other folder', async () => {
    const shown = screen(await ada.types('/folders')).replace(
      / {2}\[Use .* for this channel.*/g,
      ' [link]',
    );
    expect(shown.slice(shown.indexOf('# ')).split('\n')).toEqual([
      '# Folders of Office move',
      '- 4 folders',
      '| ✓ All files – this channel’s folder',
      `| Floor plans [link]`,
      `| \u2003Second floor [link]`,
      `| Quotes [link]`,
      '[All projects → all_projects {"page":1}]',
    ]);
  });

  it('leads from the channel’s project to every other project, and back', async () => {
    const own = await ada.types('/folders');
    const projects = await ada.presses(own, 'All projects');
    expect(projects.ts).toBe(own.ts);
    expect(screen(projects)).toContain('# Projects');
    const other = await ada.presses(projects, 'Folders of Autumn campaign');
    expect(screen(other)).toContain('# Folders of Autumn campaign');
    const again = await ada.presses(other, 'All projects');
    expect(screen(await ada.presses(again, 'Folders of Office move'))).toContain(
      'this channel’s folder',
    );
  });

  it('links by its button, announces it in the channel, and marks the folder from then on', async () => {
    const seen = await ada.types('/folders', 'design');
    const { text } = await announced(stack, 'design', () => pressLink(seen, 'Quotes'));
    await stack.slack.until(() =>
      stack.slack
        .ephemerals('ada', 'design')
        .some((one) => screen(one).includes('| ✓ Quotes – this channel’s folder')),
    );
    expect(text).toContain('filed in Office move › Quotes');
    expect(text).toContain(`<@${stack.slack.ids.users['ada']}> linked this channel`);
    expect(screen(await ada.types('/folders', 'design'))).toContain(
      `| ✓ Quotes – this channel’s folder`,
    );
  });

  it('asks before it gives a linked channel another folder, and not by a list of before', async () => {
    await linkChannel(stack, 'design', FLOOR_PLANS);
    await linkChannel(stack, 'design', QUOTES);
    const seen = await ada.types('/folders', 'design');
    expect(JSON.stringify(seen.blocks)).toContain(
      'Files shared from now on go to Office move › Floor plans. What’s in Office move › Quotes stays there.',
    );
    await linkChannel(stack, 'design', FLOOR_PLANS);
    const answer = await ada.presses(seen, /^Use All files for/);
    expect(screen(answer)).toContain('This channel has another folder by now.');
    expect(screen(answer)).toContain('✓ Floor plans – this channel’s folder');
  });

  it('shows a renamed folder by its new name, as do the channels linked to it', async () => {
    await announced(stack, 'board', async () =>
      pressLink(await ada.types('/folders', 'board'), 'Quotes'),
    );
    stack.service.store.renameFolder(QUOTES, 'Offers');
    forget();
    await ada.types('/folders');
    expect(screen(await ben.types('/files', 'board'))).toContain('Office move › Offers');
    stack.service.store.renameFolder(QUOTES, 'Quotes');
    forget();
    const again = screen(await ada.types(`/files link ${PROJECT}/${QUOTES}`, 'board'));
    expect(again).toContain('already linked to *Office move › Quotes*');
    expect(screen(await ben.types('/files', 'board'))).toContain('Office move › Quotes');
  });

  it('is cached for some seconds, shows its age, and is read again by its button', async () => {
    await ada.types('/folders');
    const before = stack.service.requests.list().length;
    clock.skip(7_000);
    const copy = await ben.types('/folders');
    expect(stack.service.requests.list()).toHaveLength(before);
    expect(screen(copy)).toMatch(/ folders · as of [78] s ago/);
    const fresh = await ben.presses(copy, 'Refresh');
    expect(fresh.ts).toBe(copy.ts);
    expect(screen(fresh)).not.toContain('as of');
    expect(stack.service.requests.list().length).toBeGreaterThan(before);
    clock.skip(11_000);
    expect(screen(await cleo.types('/folders'))).not.toContain('as of');
  });

  it('shows no link button to members who are not admins, and refuses one taken from an admin', async () => {
    const shown = screen(await ben.types('/folders', 'board'));
    expect(shown).toContain(`| Floor plans\n`);
    expect(shown).toContain('A workspace admin can choose one of these for this channel.');
    expect(shown).not.toContain('[Use');
    const seen = await ada.types('/folders', 'board');
    const answer = await ben.presses(seen, /^Use .*Floor plans for/);
    expect(screen(answer)).toContain('Only workspace admins can choose a channel’s folder');
    expect(screen(answer)).toContain('# Folders of Office move');
  });

  it.each(['404', '403'] as const)(
    'names the project whose folders are refused, not the whole account (%s)',
    async (status) => {
      stack.service.faults.set({ mode: status }, { only: 'folders' });
      const shown = screen(await ben.types('/folders'));
      expect(shown).toContain('doesn’t show me the folders of Office move. Ask for access to it');
      expect(shown).not.toContain('doesn’t list its folders');
      expect(shown).toContain('/files link 12/345');
    },
  );

  it('says that it is looking when the account is slow', async () => {
    stack.service.faults.set({ mode: 'slow', ms: 1_500 }, { only: 'folders' });
    const typed = await stack.slack.command({
      command: '/folders',
      user: 'ben',
      channel: 'general',
    });
    await stack.slack.until(() => typed.ephemerals.length === 2);
    expect(typed.ephemerals.map(screen)).toEqual([
      expect.stringContaining('This takes a moment. The answer comes in a new message.'),
      expect.stringContaining('# Folders of Office move'),
    ]);
  });

  it('reports plainly that the service fails', async () => {
    stack.service.faults.set({ mode: '500' }, { only: 'folders' });
    const shown = screen(await ben.types('/folders'));
    expect(shown).toContain('I couldn’t list the folders: the file service is down.');
    expect(shown).toMatch(/- For your admin: \w{8}/);
  });
});

describe('/folders without a default destination', () => {
  beforeAll(start(WITHOUT_DEFAULT));
  afterAll(() => stack.stop());

  it('begins with the projects, and continues to the folders of one', async () => {
    const projects = await ada.types('/folders');
    expect(screen(projects)).toContain('| Autumn campaign  [Folders of Autumn campaign');
    const folders = await ada.presses(projects, 'Folders of Website relaunch');
    expect(folders.ts).toBe(projects.ts);
    expect(screen(folders)).toContain(`| \u2003\u2003Mobile  [Use `);
    const { text } = await announced(stack, 'general', () => pressLink(folders, 'Mobile'));
    expect(text).toMatch(/filed in Website relaunch › .*Mobile/);
  });

  it.each([
    ['a guest', { is_restricted: true }],
    ['a guest of one channel', { is_ultra_restricted: true }],
    ['somebody of another workspace', { team_id: 'T0OTHER0001' }],
  ])('shows %s no folder of the account, even by an earlier button', async (_who, is) => {
    const seen = await cleo.types('/folders', 'design');
    const place = placeOfButton(seen, 'Folders of Office move');
    stack.slack.setUser('cleo', { ...FULL_MEMBER, ...is });
    const before = stack.service.requests.list().length;
    expect(screen(await cleo.types('/folders', 'design'))).toContain(
      'Only full members of this workspace',
    );
    const pressed = await stack.slack.press({ ephemeral: seen, user: 'cleo', ...place });
    const answer = await stack.slack.until(() => pressed.ephemerals.at(-1));
    expect(screen(answer)).toContain('Only full members of this workspace');
    expect(stack.service.requests.list()).toHaveLength(before);
    expect(screen(await cleo.types('/files', 'design'))).toContain('no folder yet');
    stack.slack.setUser('cleo', FULL_MEMBER);
  });

  it('reports plainly that the account does not list projects', async () => {
    forget();
    stack.service.faults.set({ mode: '404' }, { only: 'projects' });
    expect(screen(await ben.types('/folders', 'design'))).toContain('doesn’t list its');
  });
});

// The link is announced in the channel, so there is no private answer.
async function pressLink(seen: Ephemeral, entry: string): Promise<void> {
  const place = placeOfButton(seen, new RegExp(`^Use .*${entry} for this channel$`));
  await stack.slack.press({ ephemeral: seen, user: 'ada', ...place });
}

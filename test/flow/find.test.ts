import { webApi } from '@slack/bolt';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FOLDER } from '../support/app-settings.ts';
import { type Person, person, screen } from '../support/person.ts';
import { seedFile, seedWith } from '../support/seed-files.ts';
import { listedNames } from '../support/shown-view.ts';
import { linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const MANY_FOLDER = 67811601;
const FEW_FOLDER = 67811602;
const BOARD_FOLDER = 67811603;
const HOUR = 3_600_000;
const now = Date.now();

const aged = (id: number, name: string, ageHours: number) =>
  seedFile(id, { name, createdAt: now - ageHours * HOUR });

/** Returns `count` files, each an hour older than the one before: more than one page. */
const minutes = (
  count: number,
  { of, firstId, ageHours }: { of: string; firstId: number; ageHours: number },
) =>
  Array.from({ length: count }, (_, nth) =>
    aged(firstId + nth, `minutes-${of}-${nth + 1}.txt`, ageHours + nth),
  );

const seed = seedWith({
  [FOLDER]: [],
  [MANY_FOLDER]: Array.from({ length: 4_000 }, (_, nth) =>
    aged(2_000_000 + nth, `scan-${nth}.${nth % 100 === 0 ? 'png' : 'pdf'}`, nth + 1),
  ),
  [FEW_FOLDER]: [
    aged(1_000_001, 'Budget résumé 2024.xlsx', 30),
    aged(1_000_002, 'plan.pdf', 50),
    ...minutes(12, { of: 'team', firstId: 1_000_100, ageHours: 100 }),
  ],
  [BOARD_FOLDER]: [
    aged(1_000_010, '2024-RESUME-budget.pdf', 20),
    aged(1_000_011, 'layoffs.pdf', 10),
    ...minutes(12, { of: 'board', firstId: 1_000_200, ageHours: 60 }),
  ],
});

let stack: Stack;
let ada: Person;
let cleo: Person;
beforeAll(async () => {
  stack = await startStack({ service: { seed } });
  ada = person(stack.slack, 'ada');
  cleo = person(stack.slack, 'cleo');
  await linkChannel(stack, 'general', FEW_FOLDER);
  await linkChannel(stack, 'board', BOARD_FOLDER);
  await kick('cleo', 'board');
});
afterEach(() => stack.service.faults.clear());
afterAll(() => stack.stop());

function kick(name: string, from: string) {
  const { slack } = stack;
  const [channel = '', user = ''] = [slack.ids.channels[from], slack.ids.users[name]];
  const client = new webApi.WebClient(slack.botToken, { slackApiUrl: slack.apiUrl });
  return client.conversations.kick({ channel, user });
}

describe('/files find', () => {
  it('reports plainly that the service is down', async () => {
    stack.service.faults.set({ mode: 'outage' });
    const shown = screen(await ada.types('/files find budget'));
    expect(shown).toContain('| I couldn’t list the files: the file service can’t be reached.');
    stack.service.faults.clear();
    expect(listedNames(screen(await ada.types('/files find budget')))).toHaveLength(2);
  });

  it('finds words in any order, ignoring accents, in all the member’s channels, newest first', async () => {
    const shown = screen(await ada.types('/files find budget RESUME 2024'));
    expect(listedNames(shown)).toEqual(['2024-RESUME-budget.pdf', 'Budget résumé 2024.xlsx']);
    expect(shown).toContain('- 2 files in your channels');
    expect(shown).not.toContain('Delete');
    expect(shown).toMatch(/ in \*Office move › \S/);
  });

  it('shows and counts nothing from a private channel to members who are not in it', async () => {
    const shown = screen(await cleo.types('/files find budget resume'));
    expect(listedNames(shown)).toEqual(['Budget résumé 2024.xlsx']);
    expect(screen(await ada.types('/files find layoffs', 'general'))).toContain('layoffs.pdf');
    const none = screen(await cleo.types('/files find layoffs'));
    expect(none).toContain('No matches for `layoffs` among 14 files in 2 folders.');
    expect(none).not.toContain('layoffs.pdf');
  });

  it('shows of the default folder only what was shared in the member’s channels', async () => {
    const { slack } = stack;
    const files = [{ name: 'from design.txt', bytes: 'design' }];
    const posted = await slack.share({ channel: 'design', user: 'ben', files });
    await settledShare(slack, posted);
    const direct = [{ name: 'from dm.txt', bytes: 'secret' }];
    await settledShare(slack, await slack.share({ channel: 'dm', user: 'ben', files: direct }));
    const shown = screen(await cleo.types('/files find txt from'));
    expect(listedNames(shown)).toEqual(['from design.txt']);
    expect(shown).toContain(`/archives/${slack.ids.channels['design']}/p`);
    expect(shown).toContain(`· @${slack.ids.users['ben']}`);
  });

  it('reports an error, and shows nothing, when Slack does not return the member’s channels', async () => {
    const before = stack.service.requests.list().length;
    stack.slack.fail('users.conversations', 'internal_error');
    const shown = screen(await ada.types('/files find budget'));
    expect(shown).toMatch(/Slack can’t be reached\. Try again in a minute/);
    expect(listedNames(shown)).toEqual([]);
    expect(stack.service.requests.list()).toHaveLength(before);
  });
});

describe('/files find in 4,000 files', () => {
  beforeAll(() => linkChannel(stack, 'design', MANY_FOLDER));

  it('jumps to a page, turns pages in place, and filters by type', async () => {
    const first = await ada.types('/files find scan');
    expect(listedNames(screen(first))[0]).toBe('scan-0.png');
    expect(screen(first)).toContain('page 1 of 800');
    const last = await ada.chooses(first, 'Page 800');
    expect(last.ts).toBe(first.ts);
    expect(listedNames(screen(last)).at(-1)).toBe('scan-3999.pdf');
    const before = await ada.presses(last, 'Newer');
    expect(screen(before)).toContain('page 799 of 800');
    const images = await ada.chooses(before, 'Images (40)');
    expect(listedNames(screen(images))[0]).toBe('scan-0.png');
    expect(screen(images)).toContain('- 40 files in your channels · page 1 of 8');
    const second = await ada.presses(images, 'Older');
    expect(listedNames(screen(second))[0]).toBe('scan-500.png');
    const all = await ada.chooses(second, 'All types (4,000)');
    expect(screen(all)).toContain('page 1 of 800');
  });

  it('reads no folder again for the next page', async () => {
    const first = await ada.types('/files find scan');
    const before = stack.service.requests.list().length;
    expect(screen(await ada.presses(first, 'Older'))).toContain('page 2 of 800');
    expect(stack.service.requests.list()).toHaveLength(before);
  });
});

describe('turning a page of a search', () => {
  const named = (of: string, numbers: readonly number[]) =>
    numbers.map((number) => `minutes-${of}-${number}.txt`);

  it('shows nothing of a private channel to a member who presses on somebody else’s results', async () => {
    const first = await ada.types('/files find minutes');
    expect(listedNames(screen(first))).toEqual(named('board', [1, 2, 3, 4, 5]));
    expect(screen(first)).toContain('- 24 files in your channels');
    expect(screen(first)).toContain('page 1 of 5');
    const seen = screen(await cleo.presses(first, 'Older'));
    expect(listedNames(seen)).toEqual(named('team', [6, 7, 8, 9, 10]));
    expect(seen).toContain('- 12 files in your channels');
    expect(seen).toContain('page 2 of 3');
  });

  it('shows nothing of a private channel to a member who has left it since the previous page', async () => {
    const ben = person(stack.slack, 'ben');
    const first = await ben.types('/files find minutes');
    expect(screen(first)).toContain('page 1 of 5');
    await kick('ben', 'board');
    const seen = screen(await ben.presses(first, 'Older'));
    expect(listedNames(seen)).toEqual(named('team', [6, 7, 8, 9, 10]));
    expect(seen).toContain('page 2 of 3');
  });
});

import { webApi } from '@slack/bolt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Person, person, screen } from '../support/person.ts';
import { MAYA, seedFile, seedWith } from '../support/seed-files.ts';
import { listedNames } from '../support/shown-view.ts';
import { linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const FEW_FOLDER = 67811602;
const MANY_FOLDER = 67811601;
const MANY = 4_000;
const HOUR = 3_600_000;
const now = Date.now();

const oddNames = [
  '*bold* _it_ `code`.md',
  '<!channel> & <@U1>.txt',
  'STRASSE.txt',
  'Ölçü İĞÜ.xlsx',
];

const many = Array.from({ length: MANY }, (_, index) =>
  seedFile(2_000_000 + index, { name: `scan-${index}.pdf`, createdAt: now - index * HOUR }),
);
const few = [
  seedFile(1_000_001, { name: 'older.pdf', createdAt: now - 48 * HOUR, approvedBy: [MAYA, 1] }),
  seedFile(1_000_002, { name: 'newer.pdf', createdAt: now - 2 * HOUR, proofCount: 1 }),
  ...oddNames.map((name, index) =>
    seedFile(1_000_010 + index, { name, createdAt: now - 24 * HOUR }),
  ),
];

const seed = seedWith({ [MANY_FOLDER]: many, [FEW_FOLDER]: few });

let stack: Stack;
let ada: Person;
beforeAll(async () => {
  stack = await startStack({ service: { seed } });
  ada = person(stack.slack, 'ada');
  await linkChannel(stack, 'general', FEW_FOLDER);
});
afterAll(() => stack.stop());

describe('/files', () => {
  it('responds at once, and privately', async () => {
    const reaction = await stack.slack.command({
      command: '/files',
      user: 'ben',
      channel: 'general',
    });
    expect(reaction).toMatchObject({ status: 200, body: '' });
    const seen = await stack.slack.until(() => reaction.ephemerals[0]);
    expect(seen.via).toBe('response_url');
  });

  it('lists newest first, with size, age and creator, and more of each file when asked', async () => {
    const first = await ada.types('/files');
    const shown = screen(first);
    expect(listedNames(shown)).toEqual(['newer.pdf', ...oddNames.toReversed()]);
    expect(shown).toContain('- 3 B · 2 h ago · Maya Lindqvist  [');
    expect(shown).toContain('- 6 files · page 1 of 2');
    const second = await ada.presses(first, 'Older');
    expect(listedNames(screen(second))).toEqual(['older.pdf']);
    const details = await ada.chooses(second, 'Details of older.pdf');
    expect(details.ts).toBe(first.ts);
    expect(screen(details)).toMatch(/Added by Maya Lindqvist, .*\n\| 3 bytes · 2 approvals\n/);
    const back = await ada.presses(details, 'Back to the files');
    expect(listedNames(screen(back))).toEqual(['older.pdf']);
  });

  it('names the member who shared a file in Slack', async () => {
    const files = [{ name: 'from ben.txt', bytes: 'hello' }];
    await settledShare(
      stack.slack,
      await stack.slack.share({ channel: 'general', user: 'ben', files }),
    );
    const shown = screen(await ada.types('/files'));
    expect(listedNames(shown)[0]).toBe('from ben.txt');
    expect(shown).toContain(`· @${stack.slack.ids.users['ben']}`);
    expect(shown).not.toContain('! ');
  });

  it('links to the message that shared a file, in a thread too, but only in that channel', async () => {
    const { slack } = stack;
    const share = (name: string, thread = {}) =>
      slack.share({ channel: 'general', user: 'ben', files: [{ name, bytes: name }], ...thread });
    const top = await share('top.txt');
    const reply = await share('reply.txt', { threadTs: top.ts });
    for (const posted of [top, { ...reply, threadTs: top.ts }]) await settledShare(slack, posted);
    const shown = screen(await ada.types('/files'));
    const channel = slack.ids.channels['general'] ?? '';
    const client = new webApi.WebClient(slack.botToken, { slackApiUrl: slack.apiUrl });
    const names = { [top.ts]: 'top.txt', [reply.ts]: 'reply.txt' };
    for (const { ts } of [top, reply]) {
      const { permalink } = await client.chat.getPermalink({ channel, message_ts: ts });
      expect(shown).toContain(`Message of ${names[ts]} → ${permalink}`);
    }
    await linkChannel(stack, 'design', FEW_FOLDER);
    const elsewhere = screen(await ada.types('/files', 'design'));
    expect(elsewhere).toContain('top.txt');
    expect(elsewhere).not.toContain('Message of');
  });

  it('says what to do in an empty folder', async () => {
    await linkChannel(stack, 'design', 67811603);
    expect(screen(await ada.types('/files', 'design'))).toContain(
      '| Nothing here yet. Share a file in this channel and it’ll be filed here.',
    );
  });

  it('shows names with markup literally', async () => {
    const seen = await ada.types('/files <!channel>');
    const sections = JSON.stringify(seen.blocks);
    expect(sections).toContain('<!channel> & <@U1>.txt');
    expect(sections).not.toMatch(/"mrkdwn","text":"[^"]*<!channel>/);
    expect(seen.text).not.toContain('<!');
  });

  it.each([
    ['NEWER', ['newer.pdf']],
    ['list older', ['older.pdf']],
    ['pdf NEW', ['newer.pdf']],
    ['OLCU igu', ['Ölçü İĞÜ.xlsx']],
    ['straße', ['STRASSE.txt']],
    ['strasse', ['STRASSE.txt']],
    ['ölçü', ['Ölçü İĞÜ.xlsx']],
    ['&lt;!channel&gt; &amp;', ['<!channel> & <@U1>.txt']],
    ['*bold* _it_', ['*bold* _it_ `code`.md']],
  ])('filters by %s', async (text, found) => {
    expect(listedNames(screen(await ada.types(`/files ${text}`)))).toEqual(found);
  });

  it('says that nothing matches, echoes the text, and offers to show all', async () => {
    const seen = await ada.types('/files <nothing> *like* this');
    expect(screen(seen)).toContain('No matches for `<nothing> like this` among');
    const all = await ada.presses(seen, 'Show all');
    expect(listedNames(screen(all))).toHaveLength(5);
    expect(all.ts).toBe(seen.ts);
  });

  it.each([
    ['lnk 1/2', 'link 1/2'],
    ['unlnik', 'unlink'],
    ['hlep', 'help'],
    ['fnd', 'find'],
  ])('takes %s for words of a name, and names the nearest command', async (text, nearest) => {
    const shown = screen(await ada.types(`/files ${text}`));
    expect(shown).toContain(`| No matches for \`${text}\` among`);
    expect(shown).toContain(`Did you mean \`/files ${nearest}\`?`);
  });

  it('explains itself, and where this channel’s files go', async () => {
    const shown = screen(await ada.types('/files help', 'board'));
    expect(shown).toContain('| I file what’s shared here in *Office move › All files*, like those');
    for (const words of ['/files find <words>', '/files link', '/folders'])
      expect(shown).toContain(words);
  });
});

describe('/files in a folder of 4,000', () => {
  beforeAll(() => linkChannel(stack, 'design', MANY_FOLDER));

  it('shows five a page, and turns pages in place', async () => {
    const first = await ada.types('/files', 'design');
    expect(listedNames(screen(first))).toEqual(many.slice(0, 5).map(({ name }) => name));
    expect(screen(first)).toContain('4,000 files · page 1 of 800');
    expect(screen(first)).not.toContain('[Newer');
    const second = await ada.presses(first, 'Older');
    expect(second.ts).toBe(first.ts);
    expect(listedNames(screen(second))).toEqual(many.slice(5, 10).map(({ name }) => name));
    expect(listedNames(screen(await ada.presses(second, 'Newer')))[0]).toBe('scan-0.pdf');
  });

  it('keeps the filter from page to page', async () => {
    const first = await ada.types('/files scan-39', 'design');
    expect(screen(first)).toContain('111 of 4,000 files with “scan-39” in the name · page 1 of 23');
    const second = await ada.presses(first, 'Older');
    expect(listedNames(screen(second))).toHaveLength(5);
    expect(screen(second)).toContain('page 2 of 23');
  });

  it('stays on its page and filter after a Delete', async () => {
    const first = await ada.types('/files scan-12', 'design');
    const second = await ada.presses(first, 'Older');
    const [doomed, ...others] = listedNames(screen(second));
    const after = await ada.deletes(second, doomed);
    expect(after.ts).toBe(first.ts);
    expect(screen(after)).toContain(`| Deleted ${doomed}.`);
    expect(screen(after)).toContain('110 of 3,999 files with “scan-12” in the name · page 2 of 22');
    expect(listedNames(screen(after)).slice(0, 4)).toEqual(others);
  });
});

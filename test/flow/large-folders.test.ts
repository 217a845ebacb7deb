import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyList } from '../../src/playground/file-service/index.ts';
import { answersIn, type Person, person, screen } from '../support/person.ts';
import { seedFiles, seedWith } from '../support/seed-files.ts';
import { listedNames } from '../support/shown-view.ts';
import { linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const MANY = 4_000;
const MANY_FOLDER = 67811601;
const OTHER_FOLDER = 67811602;
/** The number of requests that the service accepts in one window. */
const ONE_WINDOW = 25;
/** The requests to find the newest files, and to read all pages of 100. */
const ONE_READING = 14 + 42;

const many = seedFiles(MANY, (nth) => ({ name: `scan-${nth}.pdf` }));
const asMany = many.map((file) => ({ ...file, id: file.id + MANY }));
const seed = seedWith({ [MANY_FOLDER]: many, [OTHER_FOLDER]: asMany });

const newest = (count: number) =>
  many
    .slice(-count)
    .toReversed()
    .map(({ name }) => name);

describe.each(['oldest-first', 'newest-first'] as const)('a folder of 4,000 files, %s', (order) => {
  let stack: Stack;
  let ada: Person;
  let counted = 0;
  beforeAll(async () => {
    const behaviour = { listPaging: everyList('paged' as const), listOrder: everyList(order) };
    stack = await startStack({ service: { seed, behaviour } });
    ada = person(stack.slack, 'ada');
    await linkChannel(stack, 'design', MANY_FOLDER);
    await stack.restart();
  });
  afterAll(() => stack.stop());

  const typed = (text: string) =>
    stack.slack.command({ command: '/files', text, user: 'ada', channel: 'design' });
  /** Returns how many file lists were requested since the last call. */
  const lists = () => {
    const all = stack.service.requests.list().filter(({ operation }) => operation === 'list');
    const since = all.length - counted;
    counted = all.length;
    return since;
  };

  it('shows its newest files at once when it was never read, and then all of them', async () => {
    await linkChannel(stack, 'general', OTHER_FOLDER);
    lists();
    const before = stack.service.requests.list().length;
    const reaction = await stack.slack.command({
      ...{ command: '/files', text: '', user: 'ada', channel: 'general' },
    });
    const first = screen(await stack.slack.until(() => answersIn(reaction)[0]));
    expect(stack.service.requests.list().length - before).toBeLessThanOrEqual(ONE_WINDOW);
    expect(listedNames(first)).toEqual(newest(5));
    expect(first).toContain('the newest files; counting the rest…');
    const whole = screen(await stack.slack.until(() => answersIn(reaction)[1]));
    expect(listedNames(whole)).toEqual(newest(5));
    expect(whole).toContain('4,000 files · page 1 of 800');
    expect(lists()).toBeLessThanOrEqual(ONE_READING);
  });

  it('is searched first as far as it is known, and then whole', async () => {
    lists();
    const reaction = await typed('list scan-39');
    const first = screen(await stack.slack.until(() => answersIn(reaction)[0]));
    expect(first).toContain('with “scan-39” in the name; searching the rest…');
    const whole = screen(await stack.slack.until(() => answersIn(reaction)[1]));
    expect(whole).toContain('111 of 4,000 files with “scan-39” in the name · page 1 of 23');
    expect(lists()).toBeLessThanOrEqual(ONE_READING);
  });

  it('shows all of them with at most 3 requests after a restart', async () => {
    await stack.restart();
    lists();
    const shown = screen(await ada.types('/files', 'design'));
    expect(lists()).toBeLessThanOrEqual(3);
    expect(listedNames(shown)).toEqual(newest(5));
    expect(shown).toContain('4,000 files · page 1 of 800');
  });

  it('turns pages in place, each with at most 3 requests', async () => {
    const first = await ada.types('/files', 'design');
    lists();
    const second = await ada.presses(first, 'Older');
    expect(lists()).toBeLessThanOrEqual(3);
    expect(second.ts).toBe(first.ts);
    expect(listedNames(screen(second))).toEqual(newest(10).slice(5));
  });

  it('shows and counts a newly filed file with at most 3 requests', async () => {
    const files = [{ name: 'brand new.pdf', bytes: 'hello' }];
    await settledShare(
      stack.slack,
      await stack.slack.share({ channel: 'design', user: 'ada', files }),
    );
    lists();
    const shown = screen(await ada.types('/files', 'design'));
    expect(lists()).toBeLessThanOrEqual(3);
    expect(listedNames(shown)[0]).toBe('brand new.pdf');
    expect(shown).toContain('4,001 files · page 1 of 801');
  });

  it('drops a deleted file from its list, in place, with at most 4 requests', async () => {
    const first = await ada.types('/files brand', 'design');
    lists();
    const asked = await ada.asksToDelete(first, 'brand new.pdf');
    expect(lists()).toBeLessThanOrEqual(3);
    const after = await ada.presses(asked, 'Delete file');
    // The file itself; then what is new, of which a list with the newest first needs the front twice.
    expect(lists()).toBeLessThanOrEqual(order === 'newest-first' ? 4 : 3);
    expect(screen(after)).toContain('among 4,000 files.');
  });

  it('does not report a file as gone when the list ends before it', async () => {
    const name = order === 'oldest-first' ? 'scan-3999.pdf' : 'scan-0.pdf';
    const seen = await ada.types(`/files ${name}`, 'design');
    const { behaviour } = stack.service;
    behaviour.set(behaviour.profile(), { ...behaviour.current(), listPaging: everyList('cut') });
    await stack.restart();
    const answered = screen(await ada.deletes(seen, name));
    expect(answered).not.toContain('gone already');
    expect(answered).toMatch(/delete/i);
  });
});

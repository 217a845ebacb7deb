import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Posted } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { FLOOR_PLANS, FOLDER, PROJECT, QUOTES } from '../support/app-settings.ts';
import { createMovableClock } from '../support/fake-clock.ts';
import { asksWhere, person, placeOfButton, screen } from '../support/person.ts';
import { lineOf, linkChannel, settledShare, threadOf } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

/** After so long a file that still fails gets a line, in milliseconds. */
const PATIENCE_MS = 10 * 60_000;

describe.each([
  ['that was linked', 'design', 'Floor plans', FLOOR_PLANS],
  ['on the default folder', 'general', 'All files', FOLDER],
])('in a channel %s nobody asked for lines', (_, channel, folderName, folder) => {
  const clock = createMovableClock();
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ quiet: true, service: { clock }, appOptions: { clock } });
    await linkChannel(stack, 'design', FLOOR_PLANS);
  });
  afterAll(() => stack.stop());
  beforeEach(() => stack.service.faults.clear());

  const filedIn = `Filed in Office move › ${folderName}: `;
  const isThere = (name: string) =>
    stack.service.store.files(folder).some((file) => file.name === name);
  const share = (name: string, deliver = true) =>
    stack.slack.share({ channel, user: 'ben', files: [{ name, bytes: name }], deliver });
  const line = (posted: Posted, pattern: RegExp) => lineOf(stack.slack, posted, pattern);
  const thread = (posted: Posted) => threadOf(stack.slack, posted);

  const triesAgain = (posted: Posted, { ts, blocks }: { ts: string; blocks?: unknown }) =>
    stack.slack.press({
      ...{ message: { channel: posted.channel, ts }, user: 'ben' },
      ...placeOfButton({ blocks }, 'Try again'),
    });

  it('a filed file gets a reaction only, and “Where is this filed?” says where', async () => {
    const posted = await share('plan.txt');
    await settledShare(stack.slack, posted);
    expect(await asksWhere(stack.slack, 'ben', posted)).toContain(`${filedIn}plan.txt`);
    expect(await thread(posted)).toEqual([]);
  });

  it('what was shared while the app was away is in one report, with a reaction each', async () => {
    await stack.stopApp();
    const posted = await Promise.all([share('first.txt', false), share('second.txt', false)]);
    await stack.startApp();
    for (const one of posted) await settledShare(stack.slack, one);
    clock.skip(10_000);
    await stack.slack.until(async () =>
      (await stack.slack.state(channel)).some(({ text }) =>
        /^While I was away, 2 files were shared here: 2 filed/.test(String(text)),
      ),
    );
    for (const one of posted) expect(await thread(one)).toEqual([]);
  });

  it('a refused file gets its line at once, which says when it is filed after all', async () => {
    stack.service.faults.set({ mode: 'status', status: 409 }, { only: ['upload', 'create'] });
    const posted = await share('refused.txt');
    await settledShare(stack.slack, posted, 'warning');
    const refused = await line(posted, /^Couldn’t be filed: refused\.txt/);
    stack.service.faults.clear();
    await triesAgain(posted, refused);
    expect((await line(posted, new RegExp(`^${filedIn}refused\\.txt`))).ts).toBe(refused.ts);
  });

  it('an outage gets a line after ten minutes only, and a short one never', async () => {
    stack.service.faults.set({ mode: 'outage' });
    const short = await share('short.txt');
    await stack.slack.until(async () =>
      (await asksWhere(stack.slack, 'ben', short)).includes('can’t be reached'),
    );
    stack.service.faults.clear();
    clock.skip(PATIENCE_MS / 2);
    await settledShare(stack.slack, short);
    stack.service.faults.set({ mode: 'outage' });
    const long = await share('long.txt');
    await settledShare(stack.slack, long, 'hourglass_flowing_sand');
    clock.skip(PATIENCE_MS);
    const waits = await line(long, /^Waiting: long\.txt\. .*can’t be reached/);
    expect(await thread(short)).toEqual([]);
    stack.service.faults.clear();
    await triesAgain(long, waits);
    expect((await line(long, new RegExp(`^${filedIn}long\\.txt`))).ts).toBe(waits.ts);
  });

  it('a deleted file is put back, and its message has its check mark again', async () => {
    const posted = await share('gone.txt');
    await settledShare(stack.slack, posted);
    const ben = person(stack.slack, 'ben');
    const answer = await ben.deletes(await ben.types('/files', channel), 'gone.txt');
    expect(screen(answer)).toContain('Deleted gone.txt.');
    expect(screen(await ben.presses(answer, 'Put back'))).toContain(
      'Putting gone.txt back. The message gets its check mark when that is done.',
    );
    await stack.slack.until(() => isThere('gone.txt') || undefined);
    await settledShare(stack.slack, posted);
    expect(await thread(posted)).toEqual([]);
  });

  it('a save by hand is confirmed in the thread', async () => {
    const posted = await share('saved.txt');
    await settledShare(stack.slack, posted);
    await stack.slack.shortcut({ callbackId: 'save_files', user: 'ada', message: posted });
    await stack.slack.until(() => stack.slack.views('ada').length > 0);
    const values = { [FOLDER_FIELD]: `${PROJECT}/${QUOTES}` };
    await stack.slack.submitView({ user: 'ada', values });
    await line(posted, /^Filed in Office move › Quotes: saved\.txt\nSaved by/);
    expect(await thread(posted)).toHaveLength(1);
    stack.slack.closeView({ user: 'ada' });
  });
});

import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../src/playground/file-service/index.ts';
import { FLOOR_PLANS, FOLDER } from '../support/app-settings.ts';
import { createFakeClock, createFastClock, createMovableClock } from '../support/fake-clock.ts';
import { answersIn, type Person, person, placeOfButton, screen } from '../support/person.ts';
import { listedNames } from '../support/shown-view.ts';
import { lineOf, linkChannel, settledShare, threadOf } from '../support/slack-channel.ts';
import { byProfile, refusedFor, type Stack, sha256, startStack } from '../support/start-stack.ts';

let stack: Stack;
let ben: Person;
beforeAll(async () => {
  stack = await startStack({ appOptions: { clock: createFastClock(20) } });
  ben = person(stack.slack, 'ben');
});
afterAll(() => stack.stop());
beforeEach(() => stack.service.faults.clear());

const bytes = randomBytes(20_000);

async function share(name: string, channel = 'general') {
  const files = [{ name, bytes }];
  return stack.slack.share({ channel, user: 'ben', files });
}

const filed = (name: string) =>
  stack.service.store.files(FOLDER).filter((file) => file.name === name);

describe('/files while the service is in trouble', () => {
  it.each<[Fault, string]>([
    [{ mode: '500' }, 'the file service is down. Try again in a minute.'],
    [{ mode: '503' }, 'the file service is down.'],
    [{ mode: 'outage' }, 'the file service can’t be reached.'],
    [{ mode: 'reset-before' }, 'the file service can’t be reached.'],
    [{ mode: 'html' }, 'the file service sent an answer I can’t read.'],
    [{ mode: 'cut' }, 'the file service'],
    [{ mode: 'hang' }, 'the file service didn’t answer in time.'],
    [{ mode: '401' }, 'Pigeonhole can’t sign in to the file service. Ask whoever runs'],
    [{ mode: '403' }, 'I have no access to this folder. Ask for access'],
    [{ mode: '404' }, 'the project or folder isn’t in the file service. A workspace admin can'],
  ])('is answered privately and plainly (%j)', async (fault, words) => {
    stack.service.faults.set(fault, { only: 'list' });
    const request = { command: '/files', user: 'ben', channel: 'general' };
    const reaction = await stack.slack.command(request);
    expect(reaction).toMatchObject({ status: 200, body: '' });
    const seen = await stack.slack.until(() => answersIn(reaction)[0]);
    const cause = ['403', '404'].includes(fault.mode) ? refusedFor(words) : words;
    expect(screen(seen)).toContain(`| I couldn’t list the files: ${cause}`);
    expect(screen(seen)).toMatch(/- For your admin: [0-9a-f]{8}$/);
    expect(screen(seen)).not.toMatch(/ at |node:|\.ts|Error|127\.0\.0\.1|http/);
  });

  it('shows what can be read of an odd response', async () => {
    await linkChannel(stack, 'design', FLOOR_PLANS);
    await settledShare(stack.slack, await share('readable.bin', 'design'));
    stack.service.faults.set({ mode: 'malformed' });
    const shown = screen(await ben.types('/files', 'design'));
    expect(listedNames(shown)).toEqual(['readable.bin']);
    expect(shown).toContain('couldn’t read the details of 1 file.');
  });
});

describe('a share while the service is in trouble', () => {
  it('is reported with its reason when refused, and filed when somebody tries again', async () => {
    stack.service.faults.set({ mode: 'status', status: 409 }, { only: ['upload', 'create'] });
    const posted = await share('refused.bin');
    await settledShare(stack.slack, posted, 'warning');
    const line = await lineOf(stack.slack, posted, /^Couldn’t be filed: refused\.bin/);
    expect(line.text).toMatch(/the file service refused it/i);
    stack.service.faults.clear();
    const message = { channel: posted.channel, ts: line.ts };
    await stack.slack.press({ message, user: 'cleo', ...placeOfButton(line, 'Try again') });
    await settledShare(stack.slack, posted);
    expect((await lineOf(stack.slack, posted, /^Filed in/)).ts).toBe(line.ts);
    expect(filed('refused.bin')).toMatchObject([{ sha256: sha256(bytes) }]);
    expect(await threadOf(stack.slack, posted)).toHaveLength(1);
  });

  it.each<[Fault, RegExp]>([
    [{ mode: 'outage' }, /^Waiting: .*Trying again/s],
    [{ mode: '502' }, /^Waiting: .*Trying again/s],
    [{ mode: '401' }, /^Waiting: .*to fix it, and I’ll file this then/s],
  ])('is reported as waiting, and filed when somebody tries again (%j)', async (fault, waits) => {
    stack.service.faults.set(fault, { only: ['upload', 'create'] });
    const name = `waits-${fault.mode}.bin`;
    const posted = await share(name);
    const line = await lineOf(stack.slack, posted, waits);
    stack.service.faults.clear();
    const message = { channel: posted.channel, ts: line.ts };
    await stack.slack.press({ message, user: 'cleo', ...placeOfButton(line, 'Try again') });
    await settledShare(stack.slack, posted);
    expect((await lineOf(stack.slack, posted, /^Filed in/)).ts).toBe(line.ts);
    expect(filed(name)).toMatchObject([{ sha256: sha256(bytes) }]);
  });

  it('waits when the default folder is gone, and is filed in the folder that is linked', async () => {
    stack.service.faults.set({ mode: '404' }, { only: ['upload', 'create'] });
    const posted = await share('homeless.bin');
    // Real accounts have no known code for this: they refuse the file.
    const waits =
      /^Waiting: homeless\.bin\. The folder is gone\. I’ll file it once that’s fixed, or another folder is chosen\./;
    const cause = byProfile({ specified: waits, real: /the file service refused it/ });
    const line = await lineOf(stack.slack, posted, cause);
    stack.service.faults.clear();
    const text = 'link 23423235/67811603';
    await stack.slack.command({ command: '/files', text, user: 'ada', channel: 'general' });
    await stack.slack.until(async () => screen(await ben.types('/files help')).includes('Quotes'));
    const message = { channel: posted.channel, ts: line.ts };
    const retry = byProfile({ specified: null, real: 'Try again' });
    if (retry) await stack.slack.press({ message, user: 'ben', ...placeOfButton(line, retry) });
    await lineOf(stack.slack, posted, /^Filed in Office move › Quotes: homeless\.bin/);
    expect(stack.service.store.files(67811603).map(({ name }) => name)).toEqual(['homeless.bin']);
  });
});

describe('an outage while many files are on their way', () => {
  const NAMES = Array.from({ length: 30 }, (_, index) => `${index}.txt`);
  /** The least time between two edits of a line while its files are on their way, in milliseconds. */
  const EDIT_AFTER_MS = 3_000;

  function countOf(text: string): number {
    const counts = [...text.matchAll(/^Waiting: (?:(\d+) files?|(.*?)(?: and (\d+) more)?\. )/gm)];
    return counts.reduce((sum, [, files, names, more = '0']) => {
      return sum + Number(files ?? Number(more) + (names?.split(', ').length ?? 0));
    }, 0);
  }

  const clock = createMovableClock();
  let away: Stack;
  beforeEach(async () => {
    away = await startStack({ appOptions: { clock } });
  });
  afterEach(() => away.stop());

  const shareAll = () =>
    away.slack.share({
      ...{ channel: 'general', user: 'ben' },
      files: NAMES.map((name) => ({ name, bytes: name })),
    });

  /** Moves time on, half a second at a time, until `check` holds. */
  const until = (check: () => boolean | Promise<boolean>) =>
    expect
      .poll(() => {
        clock.skip(500);
        return check();
      })
      .toBe(true);

  it('is what the line says at once, counts each file once, and edits it rarely', async () => {
    const { slack, service } = away;
    service.faults.set({ mode: 'outage' });
    const begunAt = clock.now();
    const posted = await shareAll();
    await lineOf(slack, posted, /can’t be reached/);
    const tries = () =>
      service.requests.list().filter(({ operation }) => operation === 'upload').length;
    await until(() => tries() > 3 * NAMES.length);
    const said = slack.calls.filter(({ method }) => /^chat\.(post|update)/.test(method));
    const elapsedMs = clock.now() - begunAt;
    const texts = said.map(({ args }) => String(args['text']));
    expect(texts[0]).toContain('can’t be reached');
    expect(texts.map(countOf)).toEqual(texts.map(() => NAMES.length));
    expect(texts.join('\n')).not.toContain('Sending');
    expect(said.length).toBeLessThanOrEqual(3 + elapsedMs / EDIT_AFTER_MS);
    service.faults.clear();
    clock.skip(60_000);
    await lineOf(slack, posted, /^Filed in .* and 25 more/);
  });

  it('is what the line says soon if the service takes files and never answers', async () => {
    const { slack, service } = away;
    service.faults.set({ mode: 'hang' });
    const posted = await shareAll();
    await until(async () =>
      (await threadOf(slack, posted)).some(({ text }) =>
        /^Waiting: 30 files\. The file service isn’t answering\.$/.test(String(text)),
      ),
    );
    service.faults.clear();
    await until(async () =>
      (await threadOf(slack, posted)).some(({ text }) => /^Filed in/.test(String(text))),
    );
  });
});

describe('a slow answer', () => {
  it('is shown when it comes, with a notice meanwhile', async () => {
    const [clock, serviceClock] = [createFakeClock(Date.now()), createFakeClock(Date.now())];
    const slow = await startStack({ service: { clock: serviceClock }, appOptions: { clock } });
    slow.service.faults.set({ mode: 'slow', ms: 2_000 }, { only: 'list' });
    const request = { command: '/files', user: 'ben', channel: 'general' };
    const { ephemerals } = await slow.slack.command(request);
    await expect.poll(() => serviceClock.sleepers()).toBe(1);
    await clock.advance(1_000);
    const said = await slow.slack.until(() => ephemerals[0]);
    expect(screen(said)).toContain('This takes a moment. The answer comes in a new message.');
    await serviceClock.advance(2_000);
    const shown = await slow.slack.until(() => ephemerals[1]);
    expect(screen(shown)).toContain('# Office move › All files');
    await slow.stop();
  });
});

describe('a 429 from the service', () => {
  it('is reported at once with how long the service asks to wait', async () => {
    const busy = await startStack();
    busy.service.faults.set({ mode: '429', ms: 30_000 }, { only: 'list' });
    const shown = screen(await person(busy.slack, 'ben').types('/files'));
    expect(shown).toMatch(/the file service is busy\. Try again in about (30|29) s\./);
    await busy.stop();
  });

  it('is what the line of a file says that waits for it, never that it is being sent', async () => {
    const { slack, service } = stack;
    service.faults.next({ mode: '429', ms: 60_000 }, 1, 'upload');
    const posted = await share('held.bin');
    const line = await lineOf(slack, posted, /^Waiting: held\.bin\. The file service is busy\./);
    expect(line.text).toMatch(/Trying again (in a few seconds|at )/);
    await settledShare(slack, posted);
    await lineOf(slack, posted, /^Filed in/);
    const said = slack.calls.filter(({ method }) => /^chat\./.test(method));
    expect(JSON.stringify(said)).not.toContain('Sending held.bin');
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Posted } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { FLOOR_PLANS, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { asksWhere, person, screen, unlink } from '../support/person.ts';
import { announced, linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

/*
 * What members ask while the service is down and the app has just started, without any name or list
 * in its caches.
 */

let stack: Stack;
let posted: Posted;
beforeAll(async () => {
  const appOptions = { clock: createFastClock(20), requestTimeoutMs: 10_000 };
  stack = await startStack({ env: WITHOUT_DEFAULT, appOptions });
  await linkChannel(stack, 'general', FLOOR_PLANS);
  const files = [{ name: 'plan.txt', bytes: 'a plan' }];
  posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
  await settledShare(stack.slack, posted);
});
afterAll(() => stack.stop());

describe.each(['outage', 'hang'] as const)('while the service is away (%s)', (mode) => {
  beforeEach(async () => {
    await stack.stopApp();
    stack.service.faults.set({ mode });
    await stack.startApp();
  });
  afterEach(() => stack.service.faults.clear());

  const WHY = 'the file service (is down|can’t be reached|isn’t answering|didn’t answer)';

  it.each([
    ['/files', `(I couldn’t list the files: |As of .* ago: )${WHY}`],
    ['/files plan', `(I couldn’t list the files: |As of .* ago: )${WHY}`],
    ['/folders', `I couldn’t list the folders: ${WHY}`],
    ['/files link Office move/Quotes', `Nothing was linked: ${WHY}`],
    ['/files status', 'All filed'],
    ['/files announce', 'Announcements are off'],
    ['/files help', 'I file what’s shared here in \\*.*Floor plans\\*'],
  ])('%s is answered', async (command, answer) => {
    const ada = person(stack.slack, 'ada');
    // For one window after a start the app may answer that the service is busy.
    const shown = await stack.slack.until(async () => {
      const text = screen(await ada.types(command));
      return text.includes('is busy') ? undefined : text;
    });
    expect(shown).toMatch(new RegExp(answer));
  });

  it('“Where is this filed?” shows where the files of a message are', async () => {
    expect(await asksWhere(stack.slack, 'ben', posted)).toMatch(
      /Filed in .*Floor plans: .*plan\.txt/,
    );
  });

  it('turning announcements on and unlinking are announced in the channel', async () => {
    const types = (text: string) =>
      announced(stack, 'general', () =>
        stack.slack.command({ command: '/files', text, user: 'ada', channel: 'general' }),
      );
    expect((await types('announce on')).text).toContain('turned announcements on');
    const gone = await announced(stack, 'general', () => unlink(stack.slack, 'ada', 'general'));
    expect(gone.text).toContain('unlinked this channel from');
    stack.service.faults.clear();
    await linkChannel(stack, 'general', FLOOR_PLANS);
  });

  it('the forms open, and take a folder by its numbers', async () => {
    const { slack } = stack;
    const { channel, ts } = posted;
    await slack.command({ command: '/files', text: 'link', user: 'ada', channel });
    await slack.until(() => slack.views('ada').length > 0);
    slack.closeView({ user: 'ada' });
    await slack.shortcut({ callbackId: 'save_files', user: 'ada', message: { channel, ts } });
    const [form] = await slack.until(() => slack.views('ada').length > 0 && slack.views('ada'));
    const at = { view: form?.id ?? '', user: 'ada', actionId: FOLDER_FIELD, typed: '12/345' };
    // By a clock that runs so fast, the app may have no time left: then it asks to type again.
    const options = await slack.until(async () => {
      const shown = JSON.stringify((await slack.suggest(at)).body);
      return shown.includes('Type again in a moment') ? undefined : shown;
    });
    expect(options).toContain('"value":"12/345"');
    slack.closeView({ user: 'ada' });
  });
});

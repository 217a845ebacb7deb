import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Posted } from '../../src/playground/embedded-slack/index.ts';
import { FLOOR_PLANS, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { answersIn, person, screen } from '../support/person.ts';
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
    ['/files', `I couldn’t list the files: ${WHY}`],
    ['/files plan', `I couldn’t list the files: ${WHY}`],
    ['/folders', `I couldn’t list the folders: ${WHY}`],
    ['/files link Office move/Quotes', `Nothing was linked: ${WHY}`],
    ['/files status', 'Nothing needs attention'],
    ['/files announce', 'Announcements are off'],
    ['/files help', 'Files shared in this channel are filed in \\*.*Floor plans\\*'],
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
    const { channel, ts } = posted;
    const called = { callbackId: 'where_filed', user: 'ben', message: { channel, ts } };
    const asked = await stack.slack.shortcut(called);
    const shown = screen(await stack.slack.until(() => answersIn(asked)[0]));
    expect(shown).toMatch(/Filed in .*Floor plans: .*plan\.txt/);
  });

  it('turning announcements on and unlinking are announced in the channel', async () => {
    const types = (text: string) =>
      announced(stack, 'general', () =>
        stack.slack.command({ command: '/files', text, user: 'ada', channel: 'general' }),
      );
    expect((await types('announce on')).text).toContain('turned announcements on');
    expect((await types('unlink')).text).toContain('unlinked this channel from');
    stack.service.faults.clear();
    await linkChannel(stack, 'general', FLOOR_PLANS);
  });

  it('the forms open with their address field', async () => {
    const { slack } = stack;
    const { channel, ts } = posted;
    await slack.command({ command: '/files', text: 'link', user: 'ada', channel });
    await slack.until(() => slack.views('ada').length > 0);
    slack.closeView({ user: 'ada' });
    await slack.shortcut({ callbackId: 'save_files', user: 'ada', message: { channel, ts } });
    const [form] = await slack.until(() => slack.views('ada').length > 0 && slack.views('ada'));
    expect(JSON.stringify(form?.blocks)).toContain('web address');
    slack.closeView({ user: 'ada' });
  });
});

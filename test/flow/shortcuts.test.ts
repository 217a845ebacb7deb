import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Posted } from '../../src/playground/embedded-slack/index.ts';
import { asksWhere, placeOfButton, screen } from '../support/person.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.stop());

const share = (name: string, threadTs?: string) =>
  stack.slack.share({
    channel: 'general',
    user: 'ben',
    files: [{ name, bytes: name }],
    ...(threadTs ? { threadTs } : {}),
  });

/** Returns the answer to a member who asks where a message is filed. */
const where = (message: Pick<Posted, 'channel' | 'ts'>, user = 'cleo') =>
  asksWhere(stack.slack, user, message);

/** Returns what a member alone sees in a message's thread. */
async function inThread({ channel, ts }: Pick<Posted, 'channel' | 'ts'>, user = 'cleo') {
  const seen = () => stack.slack.ephemerals(user, channel).findLast((one) => one.threadTs === ts);
  return screen(await stack.slack.until(seen));
}

describe('Where is this filed?', () => {
  it('shows the folder and the sharer, also for a reply in a thread', async () => {
    const posted = await share('top.txt');
    await settledShare(stack.slack, posted);
    const shown = await where(posted);
    expect(shown).toContain('Filed in Office move › All files: top.txt');
    expect(shown).toContain('Shared by');
    const reply = await share('reply.txt', posted.ts);
    await lineOf(stack.slack, reply, /reply\.txt/);
    expect(await where(reply)).toContain('Filed in Office move › All files: reply.txt');
  });

  it('shows why a file was not filed, with a button for members who may press it', async () => {
    stack.service.faults.set({ mode: 'status', status: 409 }, { only: 'upload' });
    const posted = await share('refused.txt');
    await settledShare(stack.slack, posted, 'warning');
    expect(await where(posted)).toMatch(/Couldn’t be filed: refused\.txt[\s\S]*\[Try again →/);
    const forPartner = await where(posted, 'dan');
    expect(forPartner).toContain('Couldn’t be filed: refused.txt');
    expect(forPartner).not.toContain('Press Try again');
    expect(forPartner).not.toContain('[Try again →');
    const line = await lineOf(stack.slack, posted, /refused\.txt/);
    const message = { channel: posted.channel, ts: line.ts };
    await stack.slack.press({ message, user: 'dan', ...placeOfButton(line, 'Try again') });
    expect(await inThread(posted, 'dan')).toContain('People from other workspaces can’t do that.');
    stack.service.faults.clear();
    const view = stack.slack.views('cleo').at(-1);
    const again = { view: view?.id ?? '', user: 'cleo', ...placeOfButton(view ?? {}, 'Try again') };
    await stack.slack.press(again);
    await settledShare(stack.slack, posted);
    expect(screen(stack.slack.views('cleo').at(-1) ?? {})).toContain('Done.');
  });

  it('shows that a file waits while the service is down', async () => {
    stack.service.faults.set({ mode: '500' }, { only: 'upload' });
    const posted = await share('waits.txt');
    await lineOf(stack.slack, posted, /^Waiting/);
    expect(await where(posted)).toContain('Waiting: waits.txt');
    stack.service.faults.clear();
  });

  it('explains itself on an unknown message, and on one without files', async () => {
    const files = [{ name: 'unknown.txt', bytes: 'u' }];
    const unseen = await stack.slack.share({
      channel: 'general',
      user: 'ben',
      files,
      deliver: false,
    });
    expect(await where(unseen)).toContain('I haven’t filed anything from this message');
    const words = await stack.slack.say({ channel: 'general', user: 'ben', text: 'hello' });
    expect(await where(words)).toContain('This message has no files.');
  });
});

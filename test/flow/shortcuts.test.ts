import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Posted } from '../../src/playground/embedded-slack/index.ts';
import { answersIn, screen } from '../support/person.ts';
import { type Stack, settledShare, startStack } from '../support/start-stack.ts';
import { lineOf } from '../support/thread-of.ts';

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
async function where({ channel, ts }: Pick<Posted, 'channel' | 'ts'>, user = 'cleo') {
  const message = { channel, ts };
  const asked = await stack.slack.shortcut({ callbackId: 'where_filed', user, message });
  return screen(await stack.slack.until(() => answersIn(asked)[0]));
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
    stack.service.faults.set({ mode: '403' }, { only: 'upload' });
    const posted = await share('refused.txt');
    await settledShare(stack.slack, posted, 'warning');
    expect(await where(posted)).toMatch(/Couldn’t be filed: refused\.txt[\s\S]*\[Retry →/);
    const forPartner = await where(posted, 'dan');
    expect(forPartner).toContain('Couldn’t be filed: refused.txt');
    expect(forPartner).not.toContain('[Retry →');
    stack.service.faults.clear();
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

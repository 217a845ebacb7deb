import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import type { Ephemeral, Posted, ShownMessage } from '../../src/playground/embedded-slack/index.ts';
import { PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createFastClock, LATER_MS } from '../support/fake-clock.ts';
import { type Person, person } from '../support/person.ts';
import { lineOf, linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
let ada: Person;
beforeEach(async () => {
  stack = await startStack({
    env: WITHOUT_DEFAULT,
    appOptions: { historyEveryMs: 0, clock: createFastClock(4, LATER_MS) },
  });
  ada = person(stack.slack, 'ada');
});
afterEach(() => stack.stop());

/** Posts a message with A.txt and B.txt, and delivers no event. */
function shareBoth(): Promise<Posted> {
  const files = ['A.txt', 'B.txt'].map((name) => ({ name, bytes: `bytes of ${name}` }));
  return stack.slack.share({ channel: 'general', user: 'ben', files, deliver: false });
}

async function messageAt({ ts }: Posted): Promise<ShownMessage> {
  const found = (await stack.slack.state('general')).find((message) => message.ts === ts);
  if (!found) throw new Error('There is no such message');
  return found;
}

/** Returns the message as it was before B.txt was added. */
async function withoutAdded(posted: Posted): Promise<ShownMessage> {
  const message = await messageAt(posted);
  return { ...message, files: (message.files ?? []).slice(0, 1) };
}

/** Delivers the event of an edit that added B.txt to the message, with what it was before or not. */
async function tellOfEdit(posted: Posted, { saysBefore = true } = {}): Promise<void> {
  const message = await messageAt(posted);
  const previous_message = saysBefore ? await withoutAdded(posted) : undefined;
  const edit = { type: 'message', subtype: 'message_changed', hidden: true, ts: '1900000000.1' };
  const { channel } = posted;
  await stack.slack.sendEvent({ ...edit, channel, message, previous_message, event_ts: edit.ts });
}

/** Links the channel; resolves with the offer to file its earlier files. */
async function linkAndCount(): Promise<Ephemeral> {
  await linkChannel(stack, 'general', QUOTES);
  return stack.slack.until(() =>
    stack.slack
      .ephemerals('ada', 'general')
      .find(({ text }) => text.includes('shared here before')),
  );
}

/** Resolves with the report of the earlier files once they are filed. */
async function reported(): Promise<string | undefined> {
  const done = /earlier files?: \d+ filed\./;
  const report = await stack.slack.until(async () =>
    (await stack.slack.state('general')).find(({ text }) => done.test(text ?? '')),
  );
  return report.text;
}

/** Delivers the event of the message as it was before B.txt was added. */
async function tellOfShare(posted: Posted): Promise<void> {
  const { channel, ts } = posted;
  const before = await withoutAdded(posted);
  await stack.slack.sendEvent({ ...before, type: 'message', channel, event_ts: ts });
}

const filed = () => stack.service.store.files(QUOTES).map(({ name }) => name);

describe('a message from before the link to which an edit adds a file', () => {
  it('has its other files filed with the channel’s earlier files', async () => {
    const posted = await shareBoth();
    const offer = await linkAndCount();
    await tellOfEdit(posted);
    await lineOf(stack.slack, posted, /^Filed .*B\.txt$/);
    await ada.presses(offer, 'File them');
    expect(await reported()).toMatch(/^1 earlier file: 1 filed\.\nFiled: A\.txt/);
    expect(filed().toSorted()).toEqual(['A.txt', 'B.txt']);
    await lineOf(stack.slack, posted, /^Filed .*: B\.txt, A\.txt$/);
    await settledShare(stack.slack, posted);
  });

  it('says how to have a waiting file filed, and not that somebody skipped it', async () => {
    const { slack } = stack;
    const posted = await shareBoth();
    await tellOfShare(posted);
    await slack.until(() => slack.ephemerals('ben', 'general')[0]);
    const offer = await ada.types(`/files link ${PROJECT}/${QUOTES}`);
    await tellOfEdit(posted);
    const line = await lineOf(slack, posted, /filed in .*: B\.txt/);
    expect(line.text).toContain('A.txt was shared before this channel had a folder.');
    await settledShare(slack, posted, 'warning');
    await ada.presses(offer, 'File it');
    await lineOf(slack, posted, /^Filed in .*: A\.txt, B\.txt$/);
    await settledShare(slack, posted);
    expect(filed().toSorted()).toEqual(['A.txt', 'B.txt']);
  });
});

describe('an edit that adds a file, and does not say what the message was before', () => {
  const silently = (posted: Posted) => tellOfEdit(posted, { saysBefore: false });
  /** Links the channel, and posts a message that is younger than the link, also by Slack's clock. */
  const shareLinked = async () => {
    await stack.restart({ clock: systemClock });
    await linkChannel(stack, 'general', QUOTES);
    return shareBoth();
  };
  /** Shares and files something else: the effects of earlier events have shown by then. */
  const afterAnother = async () => {
    const files = [{ name: 'C.txt', bytes: 'c' }];
    const another = await stack.slack.share({ channel: 'general', user: 'cleo', files });
    await settledShare(stack.slack, another);
  };

  it('has the added file filed at once, and once', async () => {
    const posted = await shareLinked();
    await tellOfShare(posted);
    await lineOf(stack.slack, posted, /^Filed in .*: A\.txt$/);
    await silently(posted);
    await silently(posted);
    await lineOf(stack.slack, posted, /^Filed in .*: A\.txt, B\.txt$/);
    await tellOfEdit(posted);
    await afterAnother();
    expect(filed()).toEqual(['A.txt', 'B.txt', 'C.txt']);
  });

  it('has all files filed of a message that had none before', async () => {
    const posted = await shareLinked();
    await silently(posted);
    await lineOf(stack.slack, posted, /^Filed in .*: A\.txt, B\.txt$/);
    expect(filed()).toEqual(['A.txt', 'B.txt']);
  });

  it('leaves the files of a message from before the link to the offer of earlier files', async () => {
    const posted = await shareBoth();
    const offer = await linkAndCount();
    await silently(posted);
    await afterAnother();
    expect(filed()).toEqual(['C.txt']);
    await ada.presses(offer, 'File them');
    expect(await reported()).toMatch(/^2 earlier files: 2 filed\./);
  });
});

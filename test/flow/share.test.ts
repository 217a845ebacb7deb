import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Posted, ShareRequest } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { lineOf, settledShare, threadOf } from '../support/slack-channel.ts';
import { type Stack, sha256, startStack } from '../support/start-stack.ts';

const SUBSCRIPTIONS = ['message', 'file_shared', 'member_joined_channel'];

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ slack: { subscriptions: SUBSCRIPTIONS } });
});
afterAll(() => stack.stop());

const filed = (name: string) =>
  stack.service.store.files(FOLDER).filter((file) => file.name === name);

function share(request: Partial<ShareRequest> & { files: ShareRequest['files'] }): Promise<Posted> {
  return stack.slack.share({ channel: 'general', user: 'ben', ...request });
}

/** Shares and awaits one more file: the effects of earlier events have shown by then. */
async function letOtherEventsShow(): Promise<void> {
  const name = `marker-${stack.slack.calls.length}.txt`;
  await settledShare(stack.slack, await share({ files: [{ name, bytes: name }] }));
}

/** Checks a successful share: the bytes, one reaction, one line in the thread. */
async function expectFiled(posted: Posted, files: { name: string; bytes: Uint8Array }[]) {
  await settledShare(stack.slack, posted);
  const line = await lineOf(stack.slack, posted, /^Filed in /);
  for (const { name, bytes } of files) {
    expect(line.text).toContain(name);
    expect(filed(name)).toMatchObject([{ byteSize: bytes.length, sha256: sha256(bytes) }]);
  }
  expect(await threadOf(stack.slack, posted)).toHaveLength(1);
  const message = await settledShare(stack.slack, posted);
  const reacted = [message, ...message.replies].filter((one) => one.reactions?.length);
  expect(reacted.map((one) => [one.ts, one.reactions?.map(({ name }) => name)])).toContainEqual([
    posted.ts,
    ['white_check_mark'],
  ]);
}

describe('a share', () => {
  it('is filed byte for byte in the default folder, with one reaction and one line', async () => {
    const file = { name: 'résumé 📎.pdf', bytes: randomBytes(300_000) };
    const posted = await share({ files: [file] });
    expect(posted.deliveries.map((one) => one.status)).toEqual([200]);
    await expectFiled(posted, [file]);
  });

  it('includes files that an edit adds to its message, reported on the same line', async () => {
    const { slack } = stack;
    const [one, two] = ['one.bin', 'two.bin'].map((name) => ({ name, bytes: randomBytes(2_000) }));
    if (!one || !two) throw new Error('There are two');
    const posted = await share({ files: [one, two], deliver: false });
    const [message] = (await slack.state('general')).filter(({ ts }) => ts === posted.ts);
    const before = { ...message, files: message?.files?.slice(0, 1) };
    const { channel } = posted;
    await slack.sendEvent({ ...before, type: 'message', channel, event_ts: posted.ts });
    await expectFiled(posted, [one]);
    const edit = {
      ...{ type: 'message', subtype: 'message_changed', hidden: true, channel, ts: '1900000000.1' },
      ...{ message, previous_message: before },
    };
    await slack.sendEvent({ ...edit, event_ts: '1900000000.1' });
    await slack.sendEvent({ ...edit, event_ts: '1900000000.2' });
    await lineOf(slack, posted, /two\.bin/);
    await expectFiled(posted, [one, two]);
  });

  it('may be a forwarded message with files', async () => {
    const { slack } = stack;
    const file = { name: 'forwarded.pdf', bytes: randomBytes(2_000) };
    const first = await share({ channel: 'random', files: [file], deliver: false });
    const posted = await slack.say({
      channel: 'general',
      user: 'ada',
      text: 'See',
      deliver: false,
    });
    const { channel, ts } = posted;
    const files = first.fileIds.map((id) => ({ id, file_access: 'check_file_info' }));
    const attachments = [{ is_share: true, is_msg_unfurl: true, ts: first.ts, files }];
    const user = slack.ids.users['ada'];
    await slack.sendEvent({ type: 'message', channel, ts, user, text: 'See', attachments });
    await expectFiled(posted, [file]);
  });

  it('has one reaction and one line for all of its many files', async () => {
    const files = Array.from({ length: 12 }, (_, index) => ({
      name: `page-${index}.png`,
      bytes: randomBytes(1_000 + index),
    }));
    const posted = await share({ files });
    await settledShare(stack.slack, posted);
    await expectFiled(posted, files.slice(0, 1));
    for (const { name, bytes } of files)
      expect(filed(name)).toMatchObject([{ sha256: sha256(bytes) }]);
  });

  it('is reported in its thread when it is in one', async () => {
    const parent = await stack.slack.say({ channel: 'general', user: 'cleo', text: 'The plans?' });
    const file = { name: 'plans.pdf', bytes: randomBytes(500) };
    const posted = await share({ threadTs: parent.ts, files: [file] });
    await settledShare(stack.slack, { ...posted, threadTs: parent.ts });
    await lineOf(stack.slack, parent, /plans\.pdf/);
    expect(filed('plans.pdf')).toMatchObject([{ sha256: sha256(file.bytes) }]);
    expect(await threadOf(stack.slack, parent)).toHaveLength(1);
  });

  it.each(['dm', 'board', 'design'])('is filed from %s', async (channel) => {
    const file = { name: `from-${channel}.bin`, bytes: randomBytes(800) };
    await expectFiled(await share({ channel, files: [file] }), [file]);
  });

  it('is filed without a subtype', async () => {
    const file = { name: 'plain.bin', bytes: randomBytes(10) };
    await expectFiled(await share({ files: [file], subtype: 'none' }), [file]);
  });

  it('is filed when its file is empty', async () => {
    const file = { name: 'empty.txt', bytes: Buffer.alloc(0) };
    await expectFiled(await share({ files: [file] }), [file]);
  });

  it('is filed once when it is delivered three times, and once more later', async () => {
    const file = { name: 'thrice.bin', bytes: randomBytes(2_000) };
    const posted = await share({ files: [file], deliver: 3 });
    expect(posted.deliveries.map(({ status }) => status)).toEqual([200, 200, 200]);
    await expectFiled(posted, [file]);
    await stack.slack.redeliver(posted.deliveries[0]?.eventId ?? '');
    await letOtherEventsShow();
    await expectFiled(posted, [file]);
  });

  it('is filed once for each message when a second message shares the same file', async () => {
    const { slack } = stack;
    const file = { name: 'twice shared.bin', bytes: randomBytes(900) };
    const first = await share({ files: [file] });
    await expectFiled(first, [file]);
    const again = { channel: 'general', user: 'cleo', text: 'Again', deliver: false };
    const { channel, ts } = await slack.say(again);
    const [message] = (await slack.state('general')).filter((one) => one.ts === first.ts);
    const user = slack.ids.users['cleo'];
    const second = { type: 'message', channel, ts, user, text: 'Again', files: message?.files };
    await slack.sendEvent({ ...second, event_ts: ts }, { times: 2 });
    await settledShare(slack, { channel, ts });
    await lineOf(slack, { channel, ts }, /^Filed in .*: twice shared\.bin$/);
    await letOtherEventsShow();
    const copy = { byteSize: 900, sha256: sha256(file.bytes) };
    expect(filed(file.name)).toMatchObject([copy, copy]);
  });

  it('is filed once when a file_shared event accompanies its message', async () => {
    const file = { name: 'beside.bin', bytes: randomBytes(2_000) };
    const posted = await share({ files: [file] });
    const event = {
      type: 'file_shared',
      file_id: posted.fileIds[0],
      file: { id: posted.fileIds[0] },
      user_id: stack.slack.ids.users['ben'],
      channel_id: posted.channel,
    };
    const [delivery] = await stack.slack.sendEvent(event, { channel: posted.channel });
    expect(delivery?.status).toBe(200);
    await letOtherEventsShow();
    await expectFiled(posted, [file]);
  });
});

describe('an event that is not a share', () => {
  it('changes nothing when it is an edit', async () => {
    const file = { name: 'edited.bin', bytes: randomBytes(200) };
    const posted = await share({ files: [file], text: 'first' });
    await expectFiled(posted, [file]);
    const edit = { channel: posted.channel, ts: posted.ts, text: 'second' };
    expect(await stack.slack.as('ben', 'chat.update', edit)).toMatchObject({ ok: true });
    await stack.slack.settled();
    await letOtherEventsShow();
    await expectFiled(posted, [file]);
  });

  it('leaves the file in the folder when it is the deletion of its message', async () => {
    const file = { name: 'kept.bin', bytes: randomBytes(200) };
    const posted = await share({ files: [file] });
    await expectFiled(posted, [file]);
    const place = { channel: posted.channel, ts: posted.ts };
    expect(await stack.slack.as('ben', 'chat.delete', place)).toMatchObject({ ok: true });
    await stack.slack.settled();
    await letOtherEventsShow();
    expect(filed('kept.bin')).toHaveLength(1);
  });

  it('files nothing when the file is the bot’s own', async () => {
    const { ids } = stack.slack;
    const donor = await share({ files: [{ name: 'donor.bin', bytes: 'donor' }], deliver: false });
    const message = {
      type: 'message',
      channel: donor.channel,
      user: ids.bot,
      bot_id: ids.botId,
      ts: donor.ts,
      files: [{ id: donor.fileIds[0], name: 'own.bin', size: 5, mode: 'hosted' }],
    };
    const [delivery] = await stack.slack.sendEvent(message, { from: ids.bot });
    expect(delivery?.status).toBe(200);
    await letOtherEventsShow();
    expect(filed('own.bin')).toEqual([]);
  });
});

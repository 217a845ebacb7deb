import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { lineOf, settledShare, threadOf } from '../support/slack-channel.ts';
import { type Stack, sha256, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ appOptions: { clock: createFastClock(30) } });
});
afterAll(() => stack.stop());

const filed = () => stack.service.store.files(FOLDER).map(({ name, sha256: hash }) => [name, hash]);

/** Uploads bytes, and returns the attachment of an email that stands for them. */
async function attachmentOf(filename: string, bytes: Buffer): Promise<Json> {
  const posted = await stack.slack.share({
    channel: 'board',
    user: 'ada',
    files: [{ name: filename, bytes }],
    deliver: false,
  });
  const messages = await stack.slack.state('board');
  const [file] = messages.find(({ ts }) => ts === posted.ts)?.files ?? [];
  const mimetype = 'application/octet-stream';
  return { filename, size: bytes.length, mimetype, url: file?.url_private, metadata: null };
}

const shareEmail = (name: string, variant: object) =>
  stack.slack.share({
    channel: 'general',
    user: 'ben',
    files: [{ name, bytes: '<p>Hello</p>', mimetype: 'text/html', variant }],
  });

/** Returns the question to the sharer that names a file and says that it was deleted in Slack. */
const questionAbout = (name: string) =>
  stack.slack
    .ephemerals('ben')
    .find(({ text }) => text.includes(name) && text.includes('deleted in Slack'));

it('the attachments of an email are filed, and what cannot be had is said', async () => {
  const [plan, offer] = [randomBytes(900), randomBytes(700)];
  const attachments = [
    await attachmentOf('plan.pdf', plan),
    await attachmentOf('offer.pdf', offer),
    { filename: 'unseen.pdf', size: 3, mimetype: 'application/pdf', url: null },
  ];
  const posted = await shareEmail('Re: the move', { fields: { mode: 'email', attachments } });
  await settledShare(stack.slack, posted, 'warning');
  const line = await lineOf(stack.slack, posted, /^2 of 3 filed in .*: plan\.pdf, offer\.pdf/);
  expect(line.text).toContain(
    '1 of 3 couldn’t be filed: Re: the move – Slack doesn’t hand out emails',
  );
  expect(await threadOf(stack.slack, posted)).toHaveLength(1);
  expect(filed()).toEqual([
    ['plan.pdf', sha256(plan)],
    ['offer.pdf', sha256(offer)],
  ]);
});

it('an attachment is asked for again in the data of its email, and has the address of then', async () => {
  const bytes = randomBytes(500);
  const there = await attachmentOf('late.pdf', bytes);
  const moved = { ...there, url: String(there['url']).replace(/[^/]*$/, 'moved') };
  const away = { ...there, url: `${stack.slack.origin}/files-pri/T0-F00000000/away` };
  const variant = {
    fields: { mode: 'email', attachments: [moved] },
    early: { attachments: [away] },
  };
  const posted = await shareEmail('Re: late', variant);
  await lineOf(stack.slack, posted, /^1 of 2 filed in .*: late\.pdf/);
  expect(filed()).toContainEqual(['late.pdf', sha256(bytes)]);
});

it('an attachment listed before another is filed with its own bytes', async () => {
  const [first, second] = [randomBytes(600), randomBytes(600)];
  const [agenda, minutes] = [
    await attachmentOf('agenda.pdf', first),
    await attachmentOf('minutes.pdf', second),
  ];
  // At first Slack lists only the attachment that it has taken in, and does not hand it out yet.
  const away = { ...minutes, url: `${stack.slack.origin}/files-pri/T0-F00000000/away` };
  const variant = {
    fields: { mode: 'email', attachments: [agenda, minutes] },
    early: { attachments: [away] },
  };
  const posted = await shareEmail('Re: minutes', variant);
  await lineOf(stack.slack, posted, /^1 of 2 filed in .*: minutes\.pdf/);
  expect(filed()).toContainEqual(['minutes.pdf', sha256(second)]);
});

it('the attachments of an email that came as an identifier alone are filed', async () => {
  const bytes = randomBytes(800);
  const attachments = [await attachmentOf('stub.pdf', bytes)];
  const noAddress = { url_private: undefined, url_private_download: undefined };
  const stub = { mode: 'file_access', file_access: 'check_file_info', name: null, ...noAddress };
  const posted = await shareEmail('Re: stub', {
    fields: { mode: 'email', attachments },
    early: { ...stub, title: null, filetype: null, attachments: undefined },
  });
  const line = await lineOf(stack.slack, posted, /^1 of 2 filed in .*: stub\.pdf/);
  expect(line.text).toContain('1 of 2 couldn’t be filed: Re: stub – Slack doesn’t hand out emails');
  expect(filed()).toContainEqual(['stub.pdf', sha256(bytes)]);
});

it('the sharer of an email that is deleted in Slack is asked about its filed attachment', async () => {
  const attachments = [await attachmentOf('asked.pdf', randomBytes(400))];
  const posted = await shareEmail('Re: asked', { fields: { mode: 'email', attachments } });
  await lineOf(stack.slack, posted, /^1 of 2 filed in .*: asked\.pdf/);
  await stack.slack.as('ben', 'files.delete', { file: posted.fileIds[0] });
  await stack.slack.until(() => questionAbout('asked.pdf'), AbortSignal.timeout(10_000));
});

it('an attachment elsewhere is not fetched', async () => {
  const attachments = [{ filename: 'far.pdf', size: 3, url: 'https://files.example.com/far.pdf' }];
  const posted = await shareEmail('Re: far', { fields: { mode: 'email', attachments } });
  await lineOf(stack.slack, posted, /far\.pdf – Slack gave me a link outside Slack/);
});

describe('where deletions in Slack are followed', () => {
  const names = () => stack.service.store.files(FOLDER).map(({ name }) => name);
  beforeAll(async () => {
    await stack.stop();
    const appOptions = { clock: createFastClock(30) };
    stack = await startStack({ env: { ON_SLACK_DELETE: 'follow' }, appOptions });
  });

  it('the filed attachment of an email that is deleted is deleted too', async () => {
    const attachments = [await attachmentOf('followed.pdf', randomBytes(400))];
    const posted = await shareEmail('Re: gone', { fields: { mode: 'email', attachments } });
    await lineOf(stack.slack, posted, /^1 of 2 filed in/);
    expect(names()).toContain('followed.pdf');
    await stack.slack.as('ben', 'files.delete', { file: posted.fileIds[0] });
    await stack.slack.until(() => !names().includes('followed.pdf'), AbortSignal.timeout(10_000));
  });

  it('the sharer is asked if only the message is deleted, and the email lives on', async () => {
    const attachments = [await attachmentOf('living.pdf', randomBytes(400))];
    const posted = await shareEmail('Re: living', { fields: { mode: 'email', attachments } });
    await lineOf(stack.slack, posted, /^1 of 2 filed in/);
    const { channel, ts } = posted;
    await stack.slack.as('ben', 'chat.delete', { channel, ts });
    await stack.slack.until(() => questionAbout('living.pdf'), AbortSignal.timeout(10_000));
    expect(names()).toContain('living.pdf');
  });
});

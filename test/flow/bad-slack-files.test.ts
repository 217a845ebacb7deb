import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  FileVariant,
  Posted,
  SlackMessage,
} from '../../src/playground/embedded-slack/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { screen } from '../support/person.ts';
import { lineOf, linkChannel, settledShare, threadOf } from '../support/slack-channel.ts';
import { type Stack, sha256, startStack } from '../support/start-stack.ts';

/** Long also on this clock: what only takes its time is not to fail. */
const LONG_MS = 20 * 60_000;

let stack: Stack;
beforeAll(async () => {
  const patient = { requestTimeoutMs: LONG_MS, messageLeaseMs: LONG_MS };
  const worker = { concurrency: 32, leaseMs: LONG_MS };
  stack = await startStack({ appOptions: { clock: createFastClock(30), ...patient, worker } });
  // A link knows its folder's name: looking it up may take two seconds, a moment on this clock.
  await linkChannel(stack, 'general', FOLDER);
});
afterAll(() => stack.stop());

const bytes = randomBytes(40_000);
let count = 0;

async function shareVariant(variant: FileVariant): Promise<Posted & { name: string }> {
  count += 1;
  const name = `odd-${count}.bin`;
  const files = [{ name, bytes, variant }];
  return { name, ...(await stack.slack.share({ channel: 'general', user: 'ben', files })) };
}

/** What is said of a file that is on its way, as long as Slack may be wrong about it. */
const WITHOUT_REASON =
  /^(Waiting for Slack: |Waiting: [^ ]+( \(.* in line\))?$|Sending |Sent: [^ ]+ Checking|Filed in )/;

/** Returns everything that the line in a share's thread has said so far, oldest first. */
async function saidOf(posted: Posted): Promise<string[]> {
  const lines = await threadOf(stack.slack, posted);
  const isOfLine = (args: Record<string, unknown>) =>
    args['thread_ts'] === posted.ts || lines.some(({ ts }) => ts === args['ts']);
  return stack.slack.calls
    .filter(({ method, args }) => /^chat\.(post|update)/.test(method) && isOfLine(args))
    .map(({ args }) => String(args['text']));
}

const filed = (name: string) =>
  stack.service.store.files(FOLDER).filter((file) => file.name === name);

async function expectFiled(posted: Posted, name: string): Promise<void> {
  await settledShare(stack.slack, posted);
  expect(filed(name)).toMatchObject([{ sha256: sha256(bytes) }]);
}

async function retry(line: SlackMessage, posted: Posted): Promise<void> {
  const message = { channel: posted.channel, ts: line.ts };
  await stack.slack.press({ message, user: 'cleo', actionId: 'retry_share' });
}

// Each test has its own message and mostly waits, so they run concurrently.
describe('a Slack file that cannot be downloaded', () => {
  it.concurrent.each<[string, FileVariant, RegExp, boolean]>([
    ['a link', { mode: 'external' }, /Slack has only a link/, false],
    ['a canvas', { fields: { mode: 'space' } }, /canvases and lists/, false],
    ['an email', { fields: { mode: 'email' } }, /Slack doesn’t hand out emails/, false],
    ['of an unknown kind', { fields: { mode: 'hologram' } }, /canvases and lists/, false],
    [
      'shorter than said',
      { download: { answer: 'truncated' } },
      /download from Slack was incomplete/,
      true,
    ],
    ['answered 404 for good', { download: { answer: 404 } }, /Slack can’t find the file/, true],
    ['unknown to files.info', { mode: 'stub', info: 'file_not_found' }, /can’t find|deleted/, true],
  ])('is reported in the thread with its reason: %s', async (_what, variant, reason, canRetry) => {
    const posted = await shareVariant(variant);
    const message = await settledShare(stack.slack, posted, 'warning');
    const line = await lineOf(stack.slack, posted, /^Couldn’t be filed/);
    expect(line.text).toMatch(reason);
    expect(line.text).not.toMatch(/\bF[0-9A-Z]{8,}: /);
    expect(message.reactions?.map(({ name }) => name)).toEqual(['warning']);
    expect(screen(line).includes('[Try again → retry_share')).toBe(canRetry);
    expect(await threadOf(stack.slack, posted)).toHaveLength(1);
    expect(filed(posted.name)).toEqual([]);
  });

  it.concurrent.each<[string, FileVariant]>([
    ['a tombstone', { mode: 'tombstone' }],
    ['answered 410', { download: { answer: 410 } }],
  ])('is said to be deleted in Slack, and needs nobody: %s', async (_what, variant) => {
    const posted = await shareVariant(variant);
    const line = await lineOf(stack.slack, posted, /^Deleted in Slack before it was filed: /);
    expect(screen(line)).not.toContain('[Try again');
    const messages = await stack.slack.state(posted.channel);
    expect(messages.find(({ ts }) => ts === posted.ts)?.reactions ?? []).toEqual([]);
    expect(filed(posted.name)).toEqual([]);
  });

  it.concurrent.each<[string, FileVariant, RegExp]>([
    ['hidden by the plan', { mode: 'hidden_by_limit' }, /older than your Slack plan shows/],
    ['a sign-in page', { download: { answer: 'html' } }, /sent its sign-in page/],
    ['leads to the sign-in page', { download: { answer: 'sign-in' } }, /doesn’t let me read/],
    ['answered 401', { download: { answer: 401 } }, /doesn’t let me read the file/],
    ['answered 403', { download: { answer: 403 } }, /doesn’t let me read the file/],
    ['withheld', { mode: 'stub', info: 'access_denied' }, /doesn’t let me read the file/],
  ])('is told after a while and tried on, as it may pass: %s', async (_what, variant, reason) => {
    const posted = await shareVariant(variant);
    const line = await lineOf(stack.slack, posted, reason);
    expect(line.text).toMatch(/^Waiting: .* Trying again/);
    expect(screen(line)).toContain('[Try again → retry_share');
    const [message] = (await stack.slack.state(posted.channel)).filter(
      ({ ts }) => ts === posted.ts,
    );
    expect(message?.reactions?.map(({ name }) => name)).toEqual(['hourglass_flowing_sand']);
    const before = (await saidOf(posted)).filter((text) => !reason.test(text));
    expect(before).not.toEqual([]);
    for (const text of before) expect(text).toMatch(WITHOUT_REASON);
    stack.slack.setFileVariant(posted.fileIds[0] ?? '', {});
    await retry(line, posted);
    await settledShare(stack.slack, posted);
    expect(stack.service.store.files(FOLDER).map(({ sha256 }) => sha256)).toContain(sha256(bytes));
  });

  it.concurrent('can be retried on the same line once the cause is fixed', async () => {
    const posted = await shareVariant({ download: { answer: 404 } });
    const line = await lineOf(stack.slack, posted, /^Couldn’t be filed.*can’t find the file/);
    stack.slack.setFileVariant(posted.fileIds[0] ?? '', {});
    await retry(line, posted);
    await expectFiled(posted, posted.name);
    const after = await lineOf(stack.slack, posted, /^Filed in Office move › /);
    expect(after.ts).toBe(line.ts);
    expect(await threadOf(stack.slack, posted)).toHaveLength(1);
    const message = await settledShare(stack.slack, posted);
    expect(message.reactions?.map(({ name }) => name)).toEqual(['white_check_mark']);
  });

  it.concurrent('does not hold back the other files of its message', async () => {
    const files = [
      { name: 'good.bin', bytes },
      { name: 'bad.bin', bytes, variant: { mode: 'external' as const } },
    ];
    const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
    await settledShare(stack.slack, posted, 'warning');
    const line = await lineOf(
      stack.slack,
      posted,
      /1 of 2 filed in Office move › All files: good\.bin/,
    );
    expect(line.text).toContain('1 of 2 couldn’t be filed: bad.bin – Slack has only a link');
    expect(filed('good.bin')).toMatchObject([{ sha256: sha256(bytes) }]);
  });
});

describe('a Slack file that is not ready at first', () => {
  it.concurrent.each<[string, FileVariant]>([
    ['404 at first', { download: { answer: 404, times: 2 } }],
    ['an id alone in the message', { mode: 'stub' }],
    ['no address at first', { urlAfterInfos: 2 }],
    ['a connection that breaks', { download: { answer: 'cut', times: 1 } }],
    ['too busy at first', { download: { answer: 429, times: 1 } }],
    ['failing at first', { download: { answer: 503, times: 2 } }],
    ['truncated at first', { download: { answer: 'truncated', times: 2 } }],
    ['two connections that break', { download: { answer: 'cut', times: 2 } }],
    ['the sign-in page at first', { download: { answer: 'html', times: 3 } }],
    ['led to the sign-in page at first', { download: { answer: 'sign-in', times: 3 } }],
    ['answered 401 at first', { download: { answer: 401, times: 3 } }],
    ['answered 403 at first', { download: { answer: 403, times: 3 } }],
    ['answered 410 at first', { download: { answer: 410, times: 3 } }],
    ['said to be deleted at first', { early: { mode: 'tombstone' } }],
    ['said to be withheld at first', { early: { file_access: 'access_denied' } }],
    ['said to be away at first', { early: { file_access: 'file_not_found' } }],
    ['said to be hidden at first', { early: { mode: 'hidden_by_limit' } }],
    ['of an unknown kind at first', { early: { mode: 'hologram' } }],
    ['of another size at first', { early: { size: 7 } }],
  ])('is filed once it is ready: %s', async (_what, variant) => {
    const posted = await shareVariant(variant);
    await expectFiled(posted, posted.name);
    await lineOf(stack.slack, posted, new RegExp(`^Filed in Office move › .*: ${posted.name}$`));
  });

  it.concurrent('is filed under a made-up name when it has none', async () => {
    const posted = await shareVariant({ nameless: true });
    await expectFiled(posted, `unnamed-${posted.fileIds[0]}.bin`);
  });

  it.concurrent('is filed as Slack serves it if all downloads are whole and equal', async () => {
    const posted = await shareVariant({ statedSize: 85_162 });
    await expectFiled(posted, posted.name);
  });

  it.concurrent('is filed if its message states no type, and it is a web page', async () => {
    const page = Buffer.from('<!DOCTYPE html><html><title>Report</title></html>');
    const variant = { early: { mimetype: '', filetype: '' } };
    const files = [{ name: 'report.html', bytes: page, mimetype: 'text/html', variant }];
    const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
    await settledShare(stack.slack, posted);
    expect(filed('report.html')).toMatchObject([{ sha256: sha256(page) }]);
  });

  it.concurrent('is not taken for the sign-in page, whatever Slack states of it', async () => {
    const unstated = { mimetype: '', filetype: '', size: null };
    const variant = { early: unstated, download: { answer: 'html' as const, times: 3 } };
    const posted = await shareVariant(variant);
    await expectFiled(posted, posted.name);
  });

  it('is filed when it is behind a redirect of Slack’s', async () => {
    stack.slack.setDownloadRedirects(true);
    const posted = await shareVariant({});
    await expectFiled(posted, posted.name);
    stack.slack.setDownloadRedirects(false);
  });
});

describe('a file address that is not Slack’s', () => {
  const seen: (string | undefined)[] = [];
  const trap = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end('gotcha');
  });
  beforeAll(() => new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => trap.close(resolve)));

  it('is never requested, with or without the token, and the thread says why', async () => {
    const { port } = trap.address() as AddressInfo;
    const addresses = [
      `http://127.0.0.1:${port}/a`,
      `http://localhost:${port}/a`,
      'file:///etc/passwd',
    ];
    const shared = addresses.map(async (url_private_download) => {
      const posted = await shareVariant({ fields: { url_private_download } });
      await lineOf(stack.slack, posted, /^Couldn’t be filed.*a link outside Slack/);
    });
    await Promise.all(shared);
    expect(seen).toEqual([]);
  });
});

import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_OPTIONS } from '../../src/app-options.ts';
import type { FileVariant, Posted } from '../../src/playground/embedded-slack/index.ts';
import { type GetFile, getFile, slackFetch } from '../../src/slack/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import { type Stack, sha256, startStack } from '../support/start-stack.ts';

/** Long also on this clock: what only takes its time is not to fail. */
const LONG_MS = 2 * 60 * 60_000;
const clock = createFastClock(200);

/** What becomes of the answers to downloads, by the name of the file. */
const changed = new Map<string, (answer: Awaited<ReturnType<GetFile>>) => typeof answer>();

let stack: Stack;
beforeAll(async () => {
  const files: GetFile = async (url, options) => {
    const answer = await getFile(url, options);
    const [, change] = [...changed].find(([name]) => url.pathname.endsWith(name)) ?? [];
    return change ? change(answer) : answer;
  };
  const patient = { requestTimeoutMs: LONG_MS, messageLeaseMs: LONG_MS };
  const worker = { concurrency: 32, leaseMs: LONG_MS };
  const network = { ...DEFAULT_OPTIONS.network, slack: slackFetch, files };
  stack = await startStack({ appOptions: { clock, ...patient, worker, network } });
});
afterAll(() => stack.stop());

function share(file: {
  name: string;
  bytes: Buffer;
  mimetype?: string;
  variant?: FileVariant;
}): Promise<Posted> {
  return stack.slack.share({ channel: 'general', user: 'ben', files: [file] });
}

const filed = (name: string) =>
  stack.service.store.files(FOLDER).filter((file) => file.name === name);

/** A complete answer with these bytes in place of another. */
function instead(answer: Awaited<ReturnType<GetFile>>, bytes: Buffer, type: string) {
  answer.destroy();
  const headers = { 'content-type': type, 'content-length': String(bytes.length) };
  return Object.assign(Readable.from([bytes]), { statusCode: 200, headers });
}

describe('downloads that are equal, but not as Slack states the file', () => {
  it.concurrent('are not the file within two minutes: what comes then is', async () => {
    const bytes = randomBytes(85_162);
    let since = 0;
    let parts = 0;
    changed.set('film.bin', (answer) => {
      since ||= clock.now();
      if (clock.now() - since > 90_000) return answer;
      parts += 1;
      return instead(answer, bytes.subarray(0, 42_000), 'application/octet-stream');
    });
    await settledShare(stack.slack, await share({ name: 'film.bin', bytes }));
    expect(parts).toBeGreaterThan(0);
    expect(filed('film.bin')).toMatchObject([{ sha256: sha256(bytes) }]);
  });

  it.concurrent('are not the file if they are a web page, however often it comes', async () => {
    const page = '<!DOCTYPE html><html><head><title>Gateway: sign in</title></head></html>';
    changed.set('report.html', (answer) => instead(answer, Buffer.from(page), 'text/html'));
    const bytes = Buffer.from(`<html>${'x'.repeat(5_000)}</html>`);
    const posted = await share({ name: 'report.html', bytes, mimetype: 'text/html' });
    await settledShare(stack.slack, posted, 'warning');
    const line = await lineOf(stack.slack, posted, /^Couldn’t be filed/);
    expect(line.text).toContain('the download from Slack was incomplete');
    expect(filed('report.html')).toEqual([]);
  });

  it.concurrent('are the file also when they come after many minutes of failures', async () => {
    const bytes = randomBytes(42_000);
    const variant: FileVariant = { statedSize: 85_162, download: { answer: 503, times: 5 } };
    await settledShare(stack.slack, await share({ name: 'photo.bin', bytes, variant }));
    expect(filed('photo.bin')).toMatchObject([{ sha256: sha256(bytes) }]);
  });
});

it('a source file that begins like a web page is filed, though its download states no length', async () => {
  changed.set('index.php', (answer) => {
    delete answer.headers['content-length'];
    return answer;
  });
  const bytes = Buffer.from('<!DOCTYPE html>\n<?php echo 1;');
  const variant = { fields: { filetype: 'php' } };
  const posted = await share({ name: 'index.php', bytes, mimetype: 'text/plain', variant });
  await settledShare(stack.slack, posted);
  expect(filed('index.php')).toMatchObject([{ sha256: sha256(bytes) }]);
});

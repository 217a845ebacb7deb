import { expect, it, onTestFinished } from 'vitest';
import { FOLDER } from '../support/app-settings.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import { deliverFiles } from '../support/slack-requests.ts';
import { startStack } from '../support/start-stack.ts';

const FILES = 3_000;
const PATIENCE_MS = 600_000;

it(
  'the app files each file of a message with 3,000 files once',
  async () => {
    const stack = await startStack();
    onTestFinished(() => stack.stop());
    const page = { name: 'page.txt', bytes: Buffer.from('a page') };
    const one = await stack.slack.share({ channel: 'general', user: 'ben', files: [page] });
    const { files: [shared] = [] } = await settledShare(stack.slack, one);
    // Each file has its own name, and the bytes of the shared file.
    const names = Array.from({ length: FILES }, (_, n) => `scan ${n}.txt`);
    const files = names.map((name, n) => ({ ...shared, id: `F0BIG${n}`, name }));
    const posted = await stack.slack.say({ channel: 'general', user: 'ben', text: 'All of it' });
    expect((await deliverFiles(stack, { ts: posted.ts, files })).status).toBe(200);
    const filed = () => stack.service.store.files(FOLDER).length;
    await expect.poll(filed, { interval: 500, timeout: PATIENCE_MS }).toBe(FILES + 1);
    await settledShare(stack.slack, posted);
    await lineOf(stack.slack, posted, /^Filed in Office move › All files/);
    const inFolder = stack.service.store.files(FOLDER).map(({ name }) => name);
    expect(inFolder.toSorted()).toEqual(['page.txt', ...names].toSorted());
  },
  PATIENCE_MS,
);

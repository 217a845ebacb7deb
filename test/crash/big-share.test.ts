import { expect, it, onTestFinished } from 'vitest';
import { FOLDER } from '../support/app-settings.ts';
import { settledShare, startStack } from '../support/start-stack.ts';
import { lineOf } from '../support/thread-of.ts';

const FILES = 3_000;

it('a message of 3,000 files is filed, each of them once', async () => {
  const stack = await startStack();
  onTestFinished(() => stack.stop());
  const files = Array.from({ length: FILES }, (_, n) => ({
    name: `scan ${n}.txt`,
    bytes: Buffer.from(`page ${n}`),
  }));
  const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
  await settledShare(stack.slack, posted);
  await lineOf(stack.slack, posted, /^Filed in All files/);
  const filed = stack.service.store.files(FOLDER).map(({ name }) => name);
  expect(filed.toSorted()).toEqual(files.map(({ name }) => name).toSorted());
}, 600_000);

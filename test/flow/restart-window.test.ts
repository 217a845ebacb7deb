import { expect, it, onTestFinished } from 'vitest';
import type { AppOptions } from '../../src/app-options.ts';
import { settledShare, startStack } from '../support/start-stack.ts';

const WINDOW_MS = 3_000;

it('a start sends nothing to the service until one window after the previous process', async () => {
  const stack = await startStack({ env: { FILES_RATE_LIMIT: `25/${WINDOW_MS / 1_000}s` } });
  onTestFinished(() => stack.stop());
  const share = async (name: string) => {
    const request = { channel: 'general', user: 'ben', files: [{ name, bytes: name }] };
    await settledShare(stack.slack, await stack.slack.share(request));
  };
  await share('before.txt');
  await stack.stopApp();
  const before = stack.service.requests.list();
  await stack.startApp();
  await share('after.txt');
  const after = stack.service.requests.list().slice(before.length);
  const quietMs = (after[0]?.at ?? 0) - (before.at(-1)?.at ?? 0);
  expect(quietMs).toBeGreaterThanOrEqual(WINDOW_MS);
});

it('a start on a shared database waits also until a process that has not ended can send no more', async () => {
  const shared: AppOptions['aroundLedger'] = (ledger) => ({
    ...ledger,
    embedded: false,
    endRun: async () => undefined,
  });
  const stack = await startStack({
    env: { FILES_RATE_LIMIT: '25/1s' },
    appOptions: { aroundLedger: shared, graceMs: 500 },
  });
  onTestFinished(() => stack.stop());
  const before = stack.service.requests.list().length;
  const restartedAt = Date.now();
  await stack.restart();
  const request = { channel: 'general', user: 'ben', files: [{ name: 'a', bytes: 'a' }] };
  await settledShare(stack.slack, await stack.slack.share(request));
  const first = stack.service.requests.list()[before];
  expect((first?.at ?? 0) - restartedAt).toBeGreaterThanOrEqual(500 + 2_000 + 1_000);
});

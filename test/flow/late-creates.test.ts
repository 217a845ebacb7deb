import { expect, it } from 'vitest';
import type { AttachmentUse } from '../../src/playground/file-service/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { settledShare, startStack } from '../support/start-stack.ts';

const LANDS_AFTER_MS = 1_500;
/** A timer may fire a little early by the clock of the service. */
const EARLY_MS = 100;
const LONG_ENOUGH_MS = 2_500;
const TOO_SHORT_MS = 50;

/** Shares a file whose create lands after the app gave up; returns how often it is filed. */
async function filedTimes(attachmentUse: AttachmentUse, settleMs: number): Promise<number> {
  const stack = await startStack({
    service: { attachmentUse },
    appOptions: { requestTimeoutMs: 700, settleMs, backoffScale: 0.01 },
  });
  try {
    const { slack, service } = stack;
    const landed = Promise.withResolvers<void>();
    service.requests.onRequest(({ operation, ms }) => {
      if (operation === 'create' && ms >= LANDS_AFTER_MS - EARLY_MS) landed.resolve();
    });
    service.faults.next({ mode: 'slow', ms: LANDS_AFTER_MS }, 1, 'create');
    const files = [{ name: 'late.pdf', bytes: 'late' }];
    await settledShare(slack, await slack.share({ channel: 'general', user: 'ben', files }));
    await landed.promise;
    return service.store.files(FOLDER).filter(({ name }) => name === 'late.pdf').length;
  } finally {
    await stack.stop();
  }
}

it.concurrent.each(['once', 'often'] as const)(
  'a create that lands late is filed once when an attachment may be used %s',
  async (attachmentUse) => {
    expect(await filedTimes(attachmentUse, LONG_ENOUGH_MS)).toBe(1);
  },
);

it.concurrent('a create is filed twice when the look comes before it lands and attachments may be used often', async () => {
  expect(await filedTimes('often', TOO_SHORT_MS)).toBe(2);
});

import axios, { AxiosError, type InternalAxiosRequestConfig } from 'axios';
import { expect, it } from 'vitest';
import { listen } from '../../src/http-server.ts';
import type { AttachmentUse } from '../../src/playground/file-service/index.ts';
import { getFile } from '../../src/slack/index.ts';
import { FOLDER } from '../support/app-settings.ts';
import { settledShare } from '../support/slack-channel.ts';
import { startStack } from '../support/start-stack.ts';

const HOUR_MS = 3_600_000;

/** The way to the file service: its first create gets no answer, and arrives only at `land`. */
function lateLine() {
  const http = axios.getAdapter('http');
  let late: InternalAxiosRequestConfig | null = null;
  return {
    service: (request: InternalAxiosRequestConfig) => {
      if (late || request.method !== 'post' || !request.url?.endsWith('/files'))
        return http(request);
      late = request;
      return Promise.reject(new AxiosError('The connection was lost', 'ECONNRESET'));
    },
    isLost: () => late !== null,
    land: async () => {
      const { signal: _, ...request } = late ?? expect.unreachable('no create was sent');
      await http(request);
    },
  };
}

/**
 * Shares a file whose first create is lost, and lands after the given request of the app that
 * follows; returns how often it is filed.
 */
async function filedTimes(
  attachmentUse: AttachmentUse,
  { landsAfter, settleMs }: { landsAfter: 'list' | 'create'; settleMs: number },
): Promise<number> {
  const { service, isLost, land } = lateLine();
  const network = { service, slack: fetch, files: getFile, listen };
  const stack = await startStack({ service: { attachmentUse }, appOptions: { settleMs, network } });
  try {
    const landed = Promise.withResolvers<void>();
    const unwatch = stack.service.requests.onRequest(({ operation }) => {
      if (!isLost() || operation !== landsAfter) return;
      unwatch();
      land().then(landed.resolve, landed.reject);
    });
    const files = [{ name: 'late.pdf', bytes: 'late' }];
    const share = await stack.slack.share({ channel: 'general', user: 'ben', files });
    await settledShare(stack.slack, share);
    await landed.promise;
    return stack.service.store.files(FOLDER).filter(({ name }) => name === 'late.pdf').length;
  } finally {
    await stack.stop();
  }
}

it.concurrent.each(['once', 'often'] as const)(
  'a create that lands late is filed once when an attachment may be used %s',
  async (attachmentUse) => {
    expect(await filedTimes(attachmentUse, { landsAfter: 'list', settleMs: HOUR_MS })).toBe(1);
  },
);

it.concurrent('a create is filed twice when the look comes before it lands and attachments may be used often', async () => {
  expect(await filedTimes('often', { landsAfter: 'create', settleMs: 50 })).toBe(2);
});

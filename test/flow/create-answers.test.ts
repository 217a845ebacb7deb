import { afterAll, beforeAll, expect, it } from 'vitest';
import { FOLDER } from '../support/app-settings.ts';
import { type Stack, settledShare, startStack } from '../support/start-stack.ts';

const AN_HOUR_MS = 3_600_000;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    // Few places, so that creates go together.
    env: { FILES_RATE_LIMIT: '8/1s' },
    // What is found only after this time is not found here.
    seams: { settleMs: AN_HOUR_MS },
    service: { createAnswer: 'first' },
  });
});
afterAll(() => stack.stop());

it('files at once what a create of many made that was answered with one record alone', async () => {
  const files = Array.from({ length: 12 }, (_, n) => ({ name: `page ${n}.png`, bytes: `${n}` }));
  await settledShare(
    stack.slack,
    await stack.slack.share({ channel: 'general', user: 'ben', files }),
  );
  const pages = stack.service.store.files(FOLDER).filter(({ name }) => name.startsWith('page '));
  expect(pages).toHaveLength(12);
  const requests = stack.service.requests.list();
  expect(requests.filter(({ operation }) => operation === 'create').length).toBeLessThan(12);
});

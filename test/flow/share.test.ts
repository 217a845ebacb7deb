import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FOLDER, type Stack, settledShare, sha256, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.stop());

const filed = (name: string) =>
  stack.service.store.files(FOLDER).filter((file) => file.name === name);

describe('a share', () => {
  it('lands byte for byte in the default folder, with one reaction and one line', async () => {
    const bytes = randomBytes(300_000);
    const posted = await stack.slack.share({
      channel: 'general',
      user: 'ben',
      files: [{ name: 'résumé 📎.pdf', bytes }],
    });
    expect(posted.deliveries.map((one) => one.status)).toEqual([200]);
    const message = await settledShare(stack.slack, posted);
    expect(filed('résumé 📎.pdf')).toMatchObject([{ byteSize: 300_000, sha256: sha256(bytes) }]);
    await stack.slack.until(async () =>
      (await stack.slack.state('general')).some(
        (one) => one.ts === message.ts && one.replies.length === 1,
      ),
    );
    expect(message.reactions).toHaveLength(1);
  });
});

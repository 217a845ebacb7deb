import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DEMO_API_KEY } from '../../src/playground/file-service/index.ts';
import { settledShare } from '../support/slack-channel.ts';
import { startStack } from '../support/start-stack.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('a stolen database reveals names, but no file contents, tokens or keys', async () => {
  const dataDir = temporaryFolder();
  const stack = await startStack({ env: { DATA_DIR: dataDir } });
  onTestFinished(() => stack.stop());
  const files = [{ name: 'plan.txt', bytes: 'the treasure is under the oak' }];
  const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
  await settledShare(stack.slack, posted);
  const loot = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name), 'latin1'));
  const holds = (text: string) => loot.some((file) => file.includes(text));
  expect(holds('plan.txt')).toBe(true);
  const { botToken, signingSecret } = stack.slack;
  for (const secret of [botToken, signingSecret, DEMO_API_KEY, 'under the oak'])
    expect(holds(secret)).toBe(false);
});

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DEMO_API_KEY } from '../../src/playground/file-service/index.ts';
import { settledShare, startStack } from '../support/start-stack.ts';

it('a stolen database tells names, and neither bytes nor tokens nor keys', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pigeonhole-stolen-'));
  const stack = await startStack({ env: { DATA_DIR: dataDir } });
  onTestFinished(async () => {
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
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

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { loadConfig } from '../../src/config.ts';
import { createAppSwitch } from '../../src/playground/app-switch.ts';
import { startedSlack } from './embedded-slack/started-slack.ts';

it('starts an app that listens on 127.0.0.1 alone', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'app-switch-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const slack = await startedSlack();
  const config = loadConfig({
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    FILES_ACCOUNT_URL: 'http://127.0.0.1:9/none',
    FILES_API_KEY: 'key',
    FILES_CONTACT: 'ops@example.com',
    DATA_DIR: directory,
    PORT: '0',
  });
  let port = 0;
  const connectApp = (url: string) => {
    port = Number(new URL(url).port);
  };
  const app = createAppSwitch({ config, slack: { ...slack, connectApp }, logger: silentLogger });
  await app.start();
  onTestFinished(() => app.stop());
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).ok).toBe(true);
  await expect(once(connect(port, '127.0.0.2'), 'connect')).rejects.toThrow();
});

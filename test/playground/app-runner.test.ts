import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { loadConfig } from '../../src/config.ts';
import { createAppRunner } from '../../src/playground/app-runner.ts';
import type { EmbeddedSlack } from '../../src/playground/embedded-slack/index.ts';
import { startPlayground } from '../../src/playground/start-playground.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startedSlack } from './embedded-slack/started-slack.ts';

const configFor = (slack: EmbeddedSlack) =>
  loadConfig({
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    FILES_ACCOUNT_URL: 'http://127.0.0.1:9/none',
    FILES_API_KEY: 'key',
    FILES_CONTACT: 'ops@example.com',
    DATA_DIR: temporaryFolder(),
    PORT: '0',
  });

it('starts an app that listens on 127.0.0.1 only', async () => {
  const slack = await startedSlack();
  const config = configFor(slack);
  let port = 0;
  const connectApp = (url: string) => {
    port = Number(new URL(url).port);
  };
  const app = createAppRunner({ config, slack: { ...slack, connectApp }, logger: silentLogger });
  await app.start();
  onTestFinished(() => app.stop());
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).ok).toBe(true);
  await expect(once(connect(port, '127.0.0.2'), 'connect')).rejects.toThrow();
});

it('gives work in hand at a stop as much time as the product does', async () => {
  const directory = temporaryFolder();
  const start = { fresh: true, port: 0, profile: 'specified', logger: silentLogger } as const;
  const playground = await startPlayground({ ...start, dataDir: join(directory, 'data') });
  onTestFinished(() => playground.stop());
  const { slack, service, app } = playground;
  service.faults.set({ mode: 'slow', ms: 2_000 });
  const creating = Promise.withResolvers<void>();
  service.faults.intercept(({ operation }) => {
    if (operation === 'create') creating.resolve();
    return undefined;
  });
  const file = { name: 'late.txt', bytes: 'Twelve spots.\n' };
  await slack.share({ channel: 'general', user: 'ben', files: [file] });
  await creating.promise;
  await app.stop();
  expect(service.store.files().map(({ name }) => name)).toContain('late.txt');
});

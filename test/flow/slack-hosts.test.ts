import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { silentLogger } from '../../src/base/index.ts';
import { loadConfig } from '../../src/config.ts';
import { listen } from '../../src/http-server.ts';
import { type GetFile, getFile, slackFetch, type WebFetch } from '../../src/slack/index.ts';
import { appSettings, FOLDER } from '../support/app-settings.ts';
import { startEmbedded } from '../support/embedded.ts';
import { putEmptyLedger } from '../support/open-empty-ledger.ts';
import { settledShare } from '../support/slack-channel.ts';
import { sha256 } from '../support/start-stack.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const bytes = randomBytes(900);

/**
 * Starts an app that finds Slack in this cloud of Slack's: what it sends to Slack's hosts reaches an
 * embedded Slack. `asked`: the host of each download, and the token that was sent to it.
 */
async function startIn(cloud: string, signedHost: string) {
  const hosts = { files: `https://files.${cloud}`, signed: `https://${signedHost}` };
  const embedded = await startEmbedded({ slack: { hosts } });
  const { slack, service } = embedded;
  onTestFinished(() => embedded.stop());
  const asked: [host: string, authorization: string | undefined][] = [];
  const here = (address: string | URL) => {
    const { pathname, search } = new URL(address);
    return new URL(pathname + search, slack.origin);
  };
  const files: GetFile = (url, options) => {
    asked.push([url.host, options.headers['authorization']]);
    return getFile(here(url), options);
  };
  const api: WebFetch = (address, init) => slackFetch(here(address).href, init);
  const DATA_DIR = temporaryFolder();
  await putEmptyLedger(DATA_DIR);
  const SLACK_API_URL = `https://${cloud}/api/`;
  const settings = { ...appSettings(embedded), DATA_DIR, SLACK_API_URL, LOG_LEVEL: 'silent' };
  const app = createApp(loadConfig(settings), {
    logger: silentLogger,
    settleMs: 50,
    network: { service: 'http', slack: api, files, listen },
  });
  const { port } = await app.start();
  onTestFinished(() => app.stop());
  slack.connectApp(`http://127.0.0.1:${port}`);
  return { slack, service, asked };
}

it.each([
  ['slack.com', 'slack-files.com'],
  ['slack-gov.com', 'slack-files-gov.com'],
])(
  'a file that a signed address serves is filed, and the token goes to files.%s alone',
  async (cloud, signedHost) => {
    const { slack, service, asked } = await startIn(cloud, signedHost);
    const variant = {
      fields: { url_private_download: null },
      download: { answer: 'signed' as const },
    };
    const files = [{ name: 'plan.bin', bytes, variant }];
    const posted = await slack.share({ channel: 'general', user: 'ben', files });
    await settledShare(slack, posted);
    expect(service.store.files(FOLDER)).toMatchObject([{ sha256: sha256(bytes) }]);
    expect(asked).toEqual([
      [`files.${cloud}`, `Bearer ${slack.botToken}`],
      [signedHost, undefined],
    ]);
  },
);

import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import {
  type EmbeddedSlack,
  startEmbeddedSlack,
} from '../../src/playground/embedded-slack/index.ts';
import {
  DEMO_API_KEY,
  type FaultMode,
  type FileService,
  startFileService,
} from '../../src/playground/file-service/index.ts';
import { appSettings, FOLDER, PROJECT } from '../support/app-settings.ts';
import { type MainProcess, startMain } from '../support/main-process.ts';
import { person, screen } from '../support/person.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import type { AtEnd } from '../support/start-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FAULTS: FaultMode[] = ['500', '401', '403', 'html', 'reset-before', 'cut'];

interface World {
  slack: EmbeddedSlack;
  service: FileService;
  directory: string;
}

async function openWorld(atEnd: AtEnd): Promise<World> {
  const directory = temporaryFolder(atEnd);
  const slack = await startEmbeddedSlack({
    dataDir: join(directory, 'slack'),
    retryDelaysMs: [0, 20],
  });
  const rateLimit = { requests: 1_000, windowMs: 1_000 };
  const dataDir = join(directory, 'service');
  const service = await startFileService({ dataDir, clock: systemClock, rateLimit });
  atEnd(async () => {
    await slack.stop();
    await service.stop();
  });
  return { slack, service, directory };
}

function start(world: World, more: Record<string, string>): MainProcess {
  return startMain(world.directory, {
    ...appSettings(world),
    DATA_DIR: join(world.directory, 'app'),
    LOG_LEVEL: 'debug',
    ...more,
  });
}

/** Shares a file successfully, and causes the failures most likely to be logged in full. */
async function liveThrough({ slack, service }: World): Promise<void> {
  const ben = person(slack, 'ben');
  const files = [{ name: 'well.txt', bytes: 'well' }];
  await settledShare(slack, await slack.share({ channel: 'general', user: 'ben', files }));
  for (const mode of FAULTS) {
    service.faults.set({ mode });
    await ben.types('/files');
  }
  service.faults.set({ mode: 'status', status: 409 });
  slack.lose('chat.postMessage');
  const refused = await slack.share({ channel: 'general', user: 'ben', files });
  await lineOf(slack, refused, /^Couldn’t be filed/);
  service.faults.clear();
  for (const error of ['invalid_auth', 500, 'missing_scope'] as const) {
    slack.fail('users.info', error);
    await ben.types(`/files link ${PROJECT}/${FOLDER}`);
  }
  await settledShare(slack, await slack.share({ channel: 'dm', user: 'ben', files }));
  await slack.sendForged('wrong signature', { type: 'event_callback', token: 'old' });
  // After a create without an answer, the list has no file until a look has found its record.
  const listed = async () => {
    const list = await ben.types('/files');
    return screen(list).includes(' / Delete ') && list;
  };
  await ben.deletes(await vi.waitUntil(listed, { timeout: 20_000, interval: 500 }));
}

function secretsIn(output: string, slack: EmbeddedSlack): string[] {
  const { botToken, appToken, signingSecret } = slack;
  const secrets = [botToken, appToken, signingSecret, DEMO_API_KEY, 'xoxb-', 'xapp-', '/response/'];
  return secrets.filter((secret) => output.includes(secret));
}

describe('the log at debug level', () => {
  // Most of it is waiting, so both ways run concurrently.
  it.concurrent.for<[string, (slack: EmbeddedSlack) => Record<string, string>]>([
    ['over HTTP', () => ({})],
    ['in Socket Mode', ({ appToken }) => ({ SLACK_APP_TOKEN: appToken })],
  ])(
    'contains no token, key, secret or response address %s',
    async ([_way, settings], { onTestFinished: atEnd }) => {
      const world = await openWorld(atEnd);
      const { slack } = world;
      const app = start(world, settings(slack));
      const [, port] = await app.wrote(/"port":(\d+).*is running/);
      slack.connectApp(`http://127.0.0.1:${port}`);
      await liveThrough(world);
      expect(await app.stop()).toBe(0);
      expect(app.output()).toContain('A command could not be answered');
      expect(app.output()).toContain('A file was refused');
      expect(secretsIn(app.output(), slack)).toEqual([]);
    },
  );
});

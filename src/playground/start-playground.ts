import { join } from 'node:path';
import { type Logger, systemClock } from '../base/index.ts';
import { loadConfig } from '../config.ts';
import { FOLDER_FIELD } from '../surfaces/link/folder-form-view.ts';
import { SETTINGS_CHOICES } from '../surfaces/settings/settings-view.ts';
import { createAppRunner } from './app-runner.ts';
import { prepareDataFolder } from './data-folder.ts';
import { demoSeed, GENERAL_FOLDER } from './demo-seed.ts';
import { type EmbeddedSlack, startEmbeddedSlack } from './embedded-slack/index.ts';
import { PlaygroundError } from './errors.ts';
import {
  DEMO_API_KEY,
  type FileService,
  type ProfileName,
  startFileService,
} from './file-service/index.ts';
import { type PageServer, startPageServer } from './page-server/page-server.ts';
import type { Playground } from './playground.ts';

interface StartPlaygroundOptions {
  /** Where the playground keeps its files. */
  dataDir: string;
  /** Whether `dataDir` is emptied first. */
  fresh: boolean;
  /** The page's port; 0 is any that is free. */
  port: number;
  /** The file service's initial profile. */
  profile: ProfileName;
  /** The app's logger. */
  logger: Logger;
}

export interface RunningPlayground extends Playground {
  page: PageServer;
  /** Stops the page, the app, the embedded Slack and the file service, in this order. */
  stop(): Promise<void>;
}

/** How long the app may take to link #general, in milliseconds. */
const LINK_WITHIN_MS = 15_000;

/**
 * Starts the file service, the embedded Slack, the app between them and the page. If a part fails,
 * closes the others and rejects with `PlaygroundError`. The service's files persist between starts.
 * The embedded Slack starts empty each time; so does the app's ledger, which refers to its channels.
 */
export async function startPlayground(options: StartPlaygroundOptions): Promise<RunningPlayground> {
  const { dataDir, fresh, port, profile, logger } = options;
  const closers: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  const part = async <T>(name: string, start: () => Promise<T>): Promise<T> => {
    try {
      return await start();
    } catch (error) {
      await stop();
      const why = error instanceof Error ? error.message : String(error);
      throw new PlaygroundError(`${name} could not start: ${why}`, { cause: error });
    }
  };

  await part('The playground', async () => {
    const unlock = prepareDataFolder(dataDir, { fresh });
    closers.push(async () => unlock());
  });
  const clock = systemClock;
  const service = await part('The file service', () =>
    startFileService({ dataDir: join(dataDir, 'service'), clock, seed: demoSeed, profile }),
  );
  closers.push(() => service.stop());
  const slack = await part('The playground’s Slack', () =>
    startEmbeddedSlack({
      dataDir: join(dataDir, 'slack'),
      unfurlDomains: [new URL(service.accountUrl).hostname],
    }),
  );
  closers.push(() => slack.stop());
  const app = createAppRunner({ config: configOf(dataDir, { slack, service }), slack, logger });
  await part('Pigeonhole', () => app.start());
  closers.push(() => app.stop());
  await part('The workspace', () => addFirstMessages(slack));
  const playground = { slack, service, app };
  const uploadsDir = join(dataDir, 'uploads');
  const page = await part('The page', () =>
    startPageServer({ ...playground, port, uploadsDir, clock }),
  );
  closers.push(() => page.stop());
  return { ...playground, page, stop };
}

function configOf(
  dataDir: string,
  { slack, service }: { slack: EmbeddedSlack; service: FileService },
) {
  return loadConfig({
    SLACK_API_URL: slack.apiUrl,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_BOT_TOKEN: slack.botToken,
    FILES_ACCOUNT_URL: service.accountUrl,
    FILES_API_KEY: DEMO_API_KEY,
    FILES_CONTACT: 'playground@pigeonhole.example',
    DATA_DIR: join(dataDir, 'app'),
    PORT: '0',
  });
}

/** Has an admin link #general, with lines to be seen, and posts a few messages as members. */
async function addFirstMessages(slack: EmbeddedSlack): Promise<void> {
  const general = { channel: 'general' };
  const ada = { ...general, user: 'ada' };
  await slack.say({ ...ada, text: 'Morning! From today our files go where we find them again.' });
  await slack.command({ ...ada, command: '/files', text: 'link' });
  const within = AbortSignal.timeout(LINK_WITHIN_MS);
  await slack.until(() => slack.views('ada')[0], within);
  const values = { [FOLDER_FIELD]: GENERAL_FOLDER, [SETTINGS_CHOICES]: ['lines'] };
  await slack.submitView({ user: 'ada', values });
  await slack.until(
    async () => (await slack.state('general')).some(({ bot_id }) => bot_id),
    within,
  );
  await slack.say({ ...general, user: 'ben', text: 'Nice. So I just share them here?' });
  await slack.say({
    channel: 'design',
    user: 'cleo',
    text: 'This channel has no folder yet. An admin can give it one: try `/folders`, as Ada.',
  });
}

import { randomUUID } from 'node:crypto';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { createApp } from '../../../src/app.ts';
import { silentLogger, systemClock } from '../../../src/base/index.ts';
import { loadConfig } from '../../../src/config.ts';
import type { EmbeddedSlack } from '../../../src/playground/embedded-slack/index.ts';
import { appSettings } from '../../support/app-settings.ts';
import { startEmbedded } from '../../support/embedded.ts';
import { person } from '../../support/person.ts';
import { lineOf } from '../../support/slack-channel.ts';
import { withLines } from '../../support/with-lines.ts';
import type { Bench, BenchContext, Report } from '../report/report.ts';

/** Counts the product's files whose code runs on each of the main paths. */
export const crossing: Bench = {
  name: 'crossing',
  title: 'Files of the product that a share, a list and a delete cross',
  run,
};

/** The main actions, with the most files that each may cross. */
const MOST = { share: 45, list: 28, delete: 35 };
type Path = keyof typeof MOST;

const SRC = new URL('../../../src/', import.meta.url).href;
const OURS = new RegExp(`^${SRC}(?!playground/)`);

async function run({ directory }: BenchContext): Promise<Report> {
  const crossed = await withApp(directory, measurePaths);
  const paths = Object.entries(MOST).map(([path, most]) => {
    return { path, most, files: crossed[path as Path] };
  });
  return {
    tables: [
      {
        title: 'Files whose code ran',
        columns: ['way', 'files'],
        rows: paths.map(({ path, files }) => [path, String(files.length)]),
      },
    ],
    goals: paths.map(({ path, most, files }) => ({
      what: `files that a ${path} crosses`,
      goal: `at most ${most}`,
      found: String(files.length),
      met: files.length <= most,
    })),
    notes: [
      'A file counts when one of its functions is called between the request of Slack’s and the last of what people see; the loops that run anyway count with it. `--verbose` lists them.',
    ],
    raw: paths.map(({ path, files }) => `${path}: ${files.join(' ')}`),
  };
}

async function measurePaths(slack: EmbeddedSlack): Promise<Record<Path, string[]>> {
  const ada = person(slack, 'ada');
  const share = async (name: string) => {
    const files = [{ name, bytes: 'bytes' }];
    const posted = await slack.share({ channel: 'general', user: 'ada', files });
    await lineOf(slack, posted, /^Filed in/);
  };
  // Code that runs once in a process belongs to no path.
  await share('first.txt');
  await ada.deletes(await ada.types('/files'), 'first.txt');
  const coverage = await startCoverage();
  const shared = await coverage.during(() => share('second.txt'));
  const listed = await coverage.during(() => ada.types('/files'));
  const list = await ada.types('/files');
  const deleted = await coverage.during(() => ada.deletes(list, 'second.txt'));
  coverage.stop();
  return { share: shared, list: listed, delete: deleted };
}

const QUIET_MS = 2_000;

async function startCoverage() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const called = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    // The module itself counts as a function, too, and starts where the file does.
    const ran = result.filter(({ functions }) =>
      functions.some(({ ranges: [whole] }) => whole && whole.count > 0 && whole.startOffset > 0),
    );
    return ran.filter(({ url }) => OURS.test(url)).map(({ url }) => url.slice(SRC.length));
  };
  return {
    async during(action: () => Promise<unknown>): Promise<string[]> {
      // The remaining work of earlier actions must not count for the next path.
      await systemClock.sleep(QUIET_MS);
      await called();
      await action();
      return (await called()).sort();
    },
    stop: () => session.disconnect(),
  };
}

async function withApp<T>(
  directory: string,
  use: (slack: EmbeddedSlack) => Promise<T>,
): Promise<T> {
  // It has its own random source, so that its draws do not count for the product's paths.
  const random = { fraction: Math.random, id: randomUUID };
  const embedded = await startEmbedded({ directory, service: { random }, slack: { random } });
  const dataDir = join(embedded.dataDir, 'app');
  const settings = { ...appSettings(embedded), DATA_DIR: dataDir, LOG_LEVEL: 'silent' };
  const app = createApp(loadConfig(settings), {
    logger: silentLogger,
    aroundLedger: withLines,
  });
  try {
    embedded.slack.connectApp(`http://127.0.0.1:${(await app.start()).port}`);
    return await use(embedded.slack);
  } finally {
    await app.stop();
    await embedded.stop();
  }
}

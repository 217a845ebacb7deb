import { createLogger, PigeonholeError, silentLogger, systemClock } from '../base/index.ts';
import { readEnvironment } from '../config.ts';
import { createOnSignal } from '../shutdown.ts';
import {
  type PlaygroundOptions,
  readPlaygroundOptions,
  replayWelcome,
  requireDashes,
  shareLine,
  USAGE,
  welcome,
} from './command-line.ts';
import { PlaygroundError, UsageError } from './errors.ts';
import { readReplay } from './replay/replay-file.ts';
import { startReplay } from './replay/replay-server.ts';
import { requireFiles, shareFiles } from './share-files.ts';
import type { RunningPlayground } from './start-playground.ts';

/** How long the files of `--share` may take, from the start on, in milliseconds. */
const SHARE_WITHIN_MS = 60_000;
/** How long stopping may take, in milliseconds. */
const STOP_WITHIN_MS = 5_000;

const print = (text: string) => process.stdout.write(`${text}\n`);
const printError = (text: string) => process.stderr.write(`${text}\n`);

async function main(): Promise<void> {
  const environment = readEnvironment();
  requireDashes(environment);
  const options = readPlaygroundOptions(process.argv.slice(2), environment['PLAYGROUND_PORT']);
  if (options.help) return void print(USAGE);
  if (options.replay !== null) return showReplay(options.replay, options.port);
  await requireFiles(options.share);
  const deadline = AbortSignal.timeout(SHARE_WITHIN_MS);
  const logger = options.verbose ? createLogger('info') : silentLogger;
  // Imported late, so that `--help` and a replay do not wait for the app to load.
  const { startPlayground } = await import('./start-playground.ts');
  const playground = await startPlayground({ ...options, logger });
  stopOnSignals(playground);
  const { address, movedFrom } = playground.page;
  print(welcome({ address, movedFrom, dataDir: options.dataDir, profile: options.profile }));
  const allFiled = await share(playground, options, deadline);
  if (options.exit) await stop(playground, allFiled ? 0 : 1);
}

async function showReplay(path: string, port: number): Promise<void> {
  const running = await startReplay(readReplay(path), port);
  stopOnSignals(running);
  print(replayWelcome(running.page));
}

async function share(
  playground: RunningPlayground,
  { share: paths }: PlaygroundOptions,
  deadline: AbortSignal,
): Promise<boolean> {
  if (paths.length === 0) return true;
  const outcomes = await shareFiles(playground, paths, deadline);
  for (const outcome of outcomes) print(shareLine(outcome));
  return outcomes.every(({ record }) => record?.sameBytes);
}

interface Stoppable {
  stop(): Promise<void>;
}

function stopOnSignals(playground: Stoppable): void {
  const onSignal = createOnSignal({
    clock: systemClock,
    stop: () => {
      print('\n  Closing…');
      void stop(playground, 0);
    },
    endAtOnce: () => process.exit(1),
  });
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

async function stop(playground: Stoppable, code: number): Promise<void> {
  const tooLong = setTimeout(() => process.exit(code), STOP_WITHIN_MS);
  await playground
    .stop()
    .catch((error: unknown) => printError(`  Not all could be closed: ${error}`));
  clearTimeout(tooLong);
  process.exit(code);
}

try {
  await main();
} catch (error) {
  if (error instanceof UsageError) {
    printError(`${error.message}\nAll options: npm run playground -- --help`);
    process.exit(2);
  }
  const isForPeople = error instanceof PigeonholeError || error instanceof PlaygroundError;
  printError(isForPeople ? error.message : String(error));
  process.exit(1);
}

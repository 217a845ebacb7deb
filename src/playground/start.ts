import { createLogger, PigeonholeError, silentLogger, systemClock } from '../base/index.ts';
import { readEnvironment } from '../config.ts';
import {
  type PlaygroundOptions,
  readPlaygroundOptions,
  USAGE,
  UsageError,
} from './playground-options.ts';
import { ReplayError, readReplay, startReplay } from './replay/index.ts';
import { requireFiles, shareFiles } from './share-files.ts';
import { StartError } from './start-error.ts';
import type { RunningPlayground } from './start-playground.ts';
import { replayWelcome, shareLine, welcome } from './welcome.ts';

/** How long the files of `--share` may take, from the start on, in milliseconds. */
const SHARE_WITHIN_MS = 60_000;
/** How long stopping may take, in milliseconds. */
const STOP_WITHIN_MS = 5_000;

/**
 * Some versions of npm repeat the terminal's Ctrl-C; a second signal within this many milliseconds
 * is ignored.
 */
const SAME_SIGNAL_MS = 300;

const say = (text: string) => process.stdout.write(`${text}\n`);
const complain = (text: string) => process.stderr.write(`${text}\n`);

async function main(): Promise<void> {
  const options = readPlaygroundOptions(
    process.argv.slice(2),
    readEnvironment()['PLAYGROUND_PORT'],
  );
  if (options.help) return void say(USAGE);
  if (options.replay !== null) return showReplay(options.replay, options.port);
  await requireFiles(options.share);
  const deadline = AbortSignal.timeout(SHARE_WITHIN_MS);
  const logger = options.verbose ? createLogger('info') : silentLogger;
  // Imported late, so that `--help` and a replay do not wait for the app to load.
  const { startPlayground } = await import('./start-playground.ts');
  const playground = await startPlayground({ ...options, logger });
  endOnSignals(playground);
  const { address, movedFrom } = playground.page;
  say(welcome({ address, movedFrom, dataDir: options.dataDir, profile: options.profile }));
  const allFiled = await share(playground, options, deadline);
  if (options.exit) await end(playground, allFiled ? 0 : 1);
}

async function showReplay(path: string, port: number): Promise<void> {
  const running = await startReplay(readReplay(path), port);
  endOnSignals(running);
  say(replayWelcome(running.page));
}

async function share(
  playground: RunningPlayground,
  { share: paths }: PlaygroundOptions,
  deadline: AbortSignal,
): Promise<boolean> {
  if (paths.length === 0) return true;
  const outcomes = await shareFiles(playground, paths, deadline);
  for (const outcome of outcomes) say(shareLine(outcome));
  return outcomes.every(({ record }) => record?.sameBytes);
}

interface Stoppable {
  stop(): Promise<void>;
}

function endOnSignals(playground: Stoppable): void {
  let endingSince: number | null = null;
  const onSignal = () => {
    const now = systemClock.now();
    if (endingSince !== null && now - endingSince > SAME_SIGNAL_MS) process.exit(1);
    if (endingSince !== null) return;
    endingSince = now;
    say('\n  Closing…');
    void end(playground, 0);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

async function end(playground: Stoppable, code: number): Promise<void> {
  const tooLong = setTimeout(() => process.exit(code), STOP_WITHIN_MS);
  await playground
    .stop()
    .catch((error: unknown) => complain(`  Not all could be closed: ${error}`));
  clearTimeout(tooLong);
  process.exit(code);
}

try {
  await main();
} catch (error) {
  if (error instanceof UsageError) {
    complain(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
  const forPeople = [PigeonholeError, ReplayError, StartError];
  const isForPeople = error instanceof Error && forPeople.some((kind) => error instanceof kind);
  complain(isForPeople ? error.message : String(error));
  process.exit(1);
}

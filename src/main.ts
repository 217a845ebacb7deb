import { parseArgs } from 'node:util';
import { createApp } from './app.ts';
import { createLogger, messageOf, PigeonholeError, systemClock, VERSION } from './base/index.ts';
import { checkAccount } from './check-account.ts';
import { loadConfig, mistypedNames, readEnvironment } from './config.ts';
import { createOnSignal } from './shutdown.ts';

/** Only the owner may read the files that the process writes. */
const OWNER_ONLY = 0o077;

const OPTIONS = {
  /** Only tries the settings: see checkAccount. */
  check: { type: 'boolean', default: false },
  /** Only says which options there are. */
  help: { type: 'boolean', default: false },
  /** A ledger that is new is meant to be: see checkLedger. */
  'new-ledger': { type: 'boolean', default: false },
  /** Only says which version this is. */
  version: { type: 'boolean', default: false },
} as const;

const HELP =
  'The options are --check (tries the settings), --new-ledger (begins with an empty ledger), --version and --help, each behind "npm start -- ". All else is set in the environment or in .env.';

/** Reads the command line. Throws CONFIG_INVALID for an option that does not exist. */
function readOptions() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    // What follows is advice for command lines with file names.
    const [reason = ''] = messageOf(error).split('. ');
    const problem = `${reason}. ${HELP}`;
    throw new PigeonholeError('CONFIG_INVALID', problem, { cause: error });
  }
}

// Without a `--` of its own before it, npm takes an option for one of npm's.
function keptByNpm(option: string): string {
  return `npm kept --${option} for itself. Type: npm start -- --${option}`;
}

/** Starts the app, and stops it at SIGTERM or SIGINT; a second Ctrl-C ends the process at once. */
async function main(): Promise<void> {
  // Who reads the output may end first, as `head` does, or its disk may be full.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  process.umask(OWNER_ONLY);
  const options = readOptions();
  if (options.version || options.help) {
    process.stdout.write(`${options.help ? HELP : VERSION}\n`);
    process.exit(0);
  }
  const environment = readEnvironment();
  for (const name of Object.keys(OPTIONS))
    if (environment[`npm_config_${name.replace('-', '_')}`] === 'true')
      throw new PigeonholeError('CONFIG_INVALID', keptByNpm(name));
  if (options.check) {
    const works = await checkAccount(environment, (line) => process.stdout.write(`${line}\n`));
    process.exit(works ? 0 : 1);
  }
  const config = loadConfig(environment);
  const logger = createLogger(config.logLevel);
  for (const { name, meant } of mistypedNames(environment))
    logger.warn({ name, meant }, 'Unknown setting; its name may be mistyped');
  const app = createApp(config, { logger, newLedger: options['new-ledger'] });
  const stop = async (signal: NodeJS.Signals) => {
    logger.info({ signal }, 'Stopping: work in hand is finished first');
    await app.stop();
    logger.info('Stopped');
    process.exit(0);
  };
  const onSignal = createOnSignal({ clock: systemClock, stop, endAtOnce: () => process.exit(1) });
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('unhandledRejection', (error) => {
    logger.error({ error }, 'Unhandled error; exiting. What was in hand goes on at the next start');
    process.exit(1);
  });
  const { checkService } = await app.start();
  void checkService();
}

try {
  await main();
} catch (error) {
  const known = error instanceof PigeonholeError;
  // A start that was stopped on purpose needs no message, and the stop ends the process.
  if (!known || error.code !== 'STOPPED') {
    process.stderr.write(`Pigeonhole cannot start.\n${known ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

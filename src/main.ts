import { parseArgs } from 'node:util';
import { createApp } from './app.ts';
import { createLogger, PigeonholeError, systemClock } from './base/index.ts';
import { loadConfig, mistypedNames, readEnvironment } from './config.ts';
import { createOnSignal } from './shutdown.ts';

/** Only the owner may read the files that the process writes. */
const OWNER_ONLY = 0o077;

/** Returns whether the command line has `--new-ledger`. Throws CONFIG_INVALID for anything else. */
function readCommandLine(): boolean {
  try {
    const { values } = parseArgs({ options: { 'new-ledger': { type: 'boolean' } } });
    return values['new-ledger'] ?? false;
  } catch (cause) {
    const given = process.argv.slice(2).join(' ');
    const problem = `Pigeonhole does not know “${given}”. Its only argument is --new-ledger (npm start -- --new-ledger); all else is set in the environment or in .env.`;
    throw new PigeonholeError('CONFIG_INVALID', problem, { cause });
  }
}

/** Starts the app, and stops it at SIGTERM or SIGINT; a second Ctrl-C ends the process at once. */
async function main(): Promise<void> {
  process.umask(OWNER_ONLY);
  const newLedger = readCommandLine();
  const environment = readEnvironment();
  const config = loadConfig(environment);
  const logger = createLogger(config.logLevel);
  for (const { name, meant } of mistypedNames(environment))
    logger.warn({ name, meant }, 'Unknown setting; its name may be mistyped');
  const app = createApp(config, { logger, newLedger });
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

import { createApp } from './app.ts';
import { createLogger, PigeonholeError } from './base/index.ts';
import { loadConfig, readEnvironment } from './config.ts';

/** Starts the app, and ends it at SIGTERM or SIGINT; a second signal ends the process at once. */
async function main(): Promise<void> {
  const config = loadConfig(readEnvironment());
  const logger = createLogger(config.logLevel);
  const app = createApp(config, { logger });
  let stopping = false;
  const onSignal = async (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'Stopping: work in hand is finished first');
    await app.stop();
    process.exit(0);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('unhandledRejection', (error) => {
    logger.error(
      { error },
      'A fault that nothing caught; the process ends, and the ledger remembers',
    );
    process.exit(1);
  });
  await app.start();
}

try {
  await main();
} catch (error) {
  const known = error instanceof PigeonholeError;
  process.stderr.write(`Pigeonhole cannot start.\n${known ? error.message : String(error)}\n`);
  process.exit(1);
}

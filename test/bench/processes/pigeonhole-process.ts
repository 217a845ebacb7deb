import { createApp } from '../../../src/app.ts';
import { createLogger } from '../../../src/base/index.ts';
import { loadConfig } from '../../../src/config.ts';
import { withLines } from '../../support/with-lines.ts';
import { pigeonholeSettings, serveApp } from './measured-app.ts';

// With a line for each share, the most that it does.
serveApp(async (options) => {
  const config = loadConfig(pigeonholeSettings(options));
  const logger = createLogger(config.logLevel);
  return (await createApp(config, { logger, aroundLedger: withLines }).start()).port;
});

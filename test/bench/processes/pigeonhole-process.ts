import { createApp } from '../../../src/app.ts';
import { createLogger } from '../../../src/base/index.ts';
import { loadConfig } from '../../../src/config.ts';
import { pigeonholeSettings, serveApp } from './measured-app.ts';

serveApp(async (options) => {
  const config = loadConfig(pigeonholeSettings(options));
  return (await createApp(config, { logger: createLogger(config.logLevel) }).start()).port;
});

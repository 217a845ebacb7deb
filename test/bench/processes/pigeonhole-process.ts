import { createApp } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config.ts';
import { pigeonholeSettings, serveApp } from './measured-app.ts';

serveApp(
  async (options) => (await createApp(loadConfig(pigeonholeSettings(options))).start()).port,
);

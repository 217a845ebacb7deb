import { createApp } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config.ts';
import type { AppCalls, AppStart } from './app-start.ts';
import { measuredCalls } from './measured.ts';
import { pigeonholeEnvironment } from './pigeonhole-environment.ts';
import { serveCalls } from './serve-calls.ts';

async function start(options: AppStart): Promise<number> {
  const app = createApp(loadConfig(pigeonholeEnvironment(options)));
  return (await app.start()).port;
}

serveCalls<AppCalls>({ start, ...measuredCalls() });

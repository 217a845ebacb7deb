import { createApp } from '../../src/app.ts';
import type { AppOptions } from '../../src/app-options.ts';
import { createLogger } from '../../src/base/index.ts';
import { loadConfig } from '../../src/config.ts';

/** An instance's orders, in its one argument as JSON. */
export interface InstanceOrders {
  env: Record<string, string>;
  appOptions: Partial<Omit<AppOptions, 'clock' | 'random' | 'logger'>>;
}

// Runs the real app in a process of its own; sends its port once it runs.
const orders: InstanceOrders = JSON.parse(process.argv[2] ?? '');
const config = loadConfig(orders.env);
const app = createApp(config, { ...orders.appOptions, logger: createLogger(config.logLevel) });
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', async () => {
  await app.stop();
  process.exit(0);
});
process.send?.(await app.start());

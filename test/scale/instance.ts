import { createApp } from '../../src/app.ts';
import { createLogger } from '../../src/base/index.ts';
import { loadConfig } from '../../src/config.ts';
import type { Seams } from '../../src/seams.ts';

/** What an instance is told, as JSON in its one argument. */
export interface InstanceOrders {
  env: Record<string, string>;
  seams: Partial<Omit<Seams, 'clock' | 'random' | 'logger' | 'checkpoint'>>;
}

// The real app in a process of its own; tells its port when it runs.
const orders: InstanceOrders = JSON.parse(process.argv[2] ?? '');
const config = loadConfig(orders.env);
const app = createApp(config, { ...orders.seams, logger: createLogger(config.logLevel) });
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', async () => {
  await app.stop();
  process.exit(0);
});
process.send?.(await app.start());

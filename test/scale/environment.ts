import { join } from 'node:path';
import { vi } from 'vitest';
import type { EmbeddedSlack } from '../../src/playground/embedded-slack/index.ts';
import type { FileService } from '../../src/playground/file-service/index.ts';
import { type AppProcess, startAppProcess } from '../support/app-process.ts';
import type { AppProcessOptions } from '../support/app-process-main.ts';
import { appSettings } from '../support/app-settings.ts';
import { startEmbedded } from '../support/embedded.ts';
import { type LoadBalancer, startLoadBalancer } from './load-balancer.ts';
import { type StartedPostgres, startPostgres } from './start-postgres.ts';
import { type StartedRedis, startRedis } from './start-redis.ts';

/** The account's rate limit: the product's, five times as fast. */
export const LIMIT = { requests: 25, windowMs: 2_000 };

/** Everything that instances share: Slack, the file service, a database, a Redis. */
export interface ScaleEnvironment {
  slack: EmbeddedSlack;
  service: FileService;
  postgres: StartedPostgres;
  redis: StartedRedis;
  databaseUrl: string;
  loadBalancer: LoadBalancer;
  /** Starts more instances and sends events to them. `options`: beside those of APP_OPTIONS. */
  startInstances(count: number, options?: AppOptions): Promise<AppProcess[]>;
  stop(): Promise<void>;
}

type AppOptions = AppProcessOptions['appOptions'];

const APP_OPTIONS: AppOptions = {
  worker: { concurrency: 32, leaseMs: 3_000 },
  requestTimeoutMs: 3_000,
  settleMs: 300,
  messageLeaseMs: 3_000,
  backoffScale: 0.1,
  historyEveryMs: 5,
  graceMs: 2_000,
};

/**
 * Starts everything but the instances, which share the limit over Redis unless told otherwise. Every
 * third event goes to two of them.
 */
export async function startScaleEnvironment({
  sharesLimit = true,
} = {}): Promise<ScaleEnvironment> {
  const postgres = await startPostgres();
  const redis = await startRedis();
  const databaseUrl = await postgres.createDatabase();
  const loadBalancer = await startLoadBalancer(3);
  const embedded = await startEmbedded({
    service: { rateLimit: LIMIT },
    slack: { retryDelaysMs: [0, 200, 1_000], appUrl: loadBalancer.url },
  });
  const env = {
    ...appSettings(embedded),
    FILES_RATE_LIMIT: `${LIMIT.requests}/${LIMIT.windowMs / 1000}s`,
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(embedded.dataDir, 'app'),
    ...(sharesLimit && { REDIS_URL: redis.url }),
    LOG_LEVEL: 'error',
  };
  const instances: AppProcess[] = [];
  return {
    slack: embedded.slack,
    service: embedded.service,
    postgres,
    redis,
    databaseUrl,
    loadBalancer,
    startInstances: async (count, options) => {
      const appOptions = { ...APP_OPTIONS, ...options };
      const starting = Array.from({ length: count }, () => startInstance({ env, appOptions }));
      const started = await Promise.all(starting);
      instances.push(...started);
      loadBalancer.ports.push(...started.map(({ port }) => port));
      await nextSecond();
      return started;
    },
    stop: async () => {
      await Promise.all(instances.map((instance) => instance.stop()));
      await embedded.stop();
      await Promise.all([loadBalancer.stop(), redis.stop(), postgres.remove()]);
    },
  };
}

// The embedded Slack's timestamps have whole seconds, so a share in the second of a start looks
// earlier than the start.
async function nextSecond(): Promise<void> {
  const startedIn = Math.floor(Date.now() / 1000);
  await vi.waitUntil(() => Math.floor(Date.now() / 1000) > startedIn, { timeout: 20_000 });
}

/** Starts an instance; rejects if the process ends before the app runs. */
async function startInstance(options: AppProcessOptions): Promise<AppProcess> {
  const app = await startAppProcess(options).started;
  if (!app) throw new Error('The instance ended before it ran');
  return app;
}

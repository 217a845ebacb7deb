import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import {
  type EmbeddedSlack,
  startEmbeddedSlack,
} from '../../src/playground/embedded-slack/index.ts';
import { type FileService, startFileService } from '../../src/playground/file-service/index.ts';
import { appSettings } from '../support/app-settings.ts';
import { type StartedPostgres, startPostgres } from '../support/start-postgres.ts';
import { type StartedRedis, startRedis } from '../support/start-redis.ts';
import type { InstanceOrders } from './instance.ts';
import { type EventSpreader, startEventSpreader } from './spread-events.ts';
import { type Instance, startInstance } from './start-instance.ts';

/** The account's rate limit: the product's, five times as fast. */
export const LIMIT = { requests: 25, windowMs: 2_000 };

/** Everything that instances share: Slack, the file service, a database, a Redis. */
export interface Surroundings {
  slack: EmbeddedSlack;
  service: FileService;
  postgres: StartedPostgres;
  redis: StartedRedis;
  databaseUrl: string;
  events: EventSpreader;
  /** Starts more instances and sends events to them. */
  startInstances(count: number): Promise<Instance[]>;
  stop(): Promise<void>;
}

const APP_OPTIONS: InstanceOrders['appOptions'] = {
  worker: { concurrency: 32, leaseMs: 3_000 },
  requestTimeoutMs: 3_000,
  settleMs: 300,
  messageLeaseMs: 3_000,
  backoffScale: 0.1,
  historyEveryMs: 5,
  graceMs: 2_000,
};

/** Starts everything but the instances. Every third event goes to two of them. */
export async function startSurroundings(): Promise<Surroundings> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pigeonhole-scale-'));
  const postgres = await startPostgres();
  const redis = await startRedis();
  const databaseUrl = await postgres.createDatabase();
  const events = await startEventSpreader(3);
  const service = await startFileService({
    dataDir: join(dataDir, 'service'),
    clock: systemClock,
    rateLimit: LIMIT,
  });
  const slack = await startEmbeddedSlack({
    dataDir: join(dataDir, 'slack'),
    retryDelaysMs: [0, 200, 1_000],
    appUrl: events.url,
  });
  const env = {
    ...appSettings({ slack, service }),
    FILES_RATE_LIMIT: `${LIMIT.requests}/${LIMIT.windowMs / 1000}s`,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    LOG_LEVEL: 'error',
  };
  const instances: Instance[] = [];
  return {
    slack,
    service,
    postgres,
    redis,
    databaseUrl,
    events,
    startInstances: async (count) => {
      const starting = Array.from({ length: count }, () =>
        startInstance({ env, appOptions: APP_OPTIONS }),
      );
      const started = await Promise.all(starting);
      instances.push(...started);
      events.ports.push(...started.map(({ port }) => port));
      await nextSecond();
      return started;
    },
    stop: async () => {
      await Promise.all(instances.map((instance) => instance.stop()));
      await slack.stop();
      await Promise.all([service.stop(), events.stop(), redis.stop(), postgres.remove()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

// The embedded Slack's timestamps have whole seconds, so a share in the second of a start looks
// earlier than the start.
async function nextSecond(): Promise<void> {
  const startedIn = Math.floor(Date.now() / 1000);
  await vi.waitUntil(() => Math.floor(Date.now() / 1000) > startedIn, { timeout: 20_000 });
}

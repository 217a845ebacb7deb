import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/index.ts';
import {
  type EmbeddedSlack,
  startEmbeddedSlack,
} from '../../src/playground/embedded-slack/index.ts';
import {
  type AttachmentUse,
  type FileService,
  startFileService,
} from '../../src/playground/file-service/index.ts';
import { appSettings } from '../support/app-settings.ts';
import { type ShareWatch, watchShares } from '../support/watch-shares.ts';
import type { Orders } from './app-process.ts';
import type { KillPoint } from './kill-point.ts';
import { type LedgerReading, readLedger } from './read-ledger.ts';
import { type AppProcess, type StartingApp, startAppProcess } from './start-app-process.ts';

export interface WorldOptions {
  /** In the form of FILES_RATE_LIMIT, default 1000/1s; the service itself sets no limit. */
  rateLimit?: string;
  appOptions?: Orders['appOptions'];
  /** How often the service lets an attachment be used. Default: once. */
  attachmentUse?: AttachmentUse;
}

/** Slack and the file service, which keep running while the app dies and comes back. */
export interface CrashWorld {
  slack: EmbeddedSlack;
  service: FileService;
  watch: ShareWatch;
  /** Starts the app in a process of its own, and has Slack's events sent there. */
  start(): Promise<AppProcess>;
  /** The same without waiting for the start, so that the process can be killed during it. */
  begin(kill?: KillPoint | null): StartingApp;
  /** Reads the ledger; the app must not be running. */
  readLedger(): LedgerReading;
  stop(): Promise<void>;
}

const QUICK: Orders['appOptions'] = {
  worker: { concurrency: 32, leaseMs: 5_000 },
  requestTimeoutMs: 1_000,
  settleMs: 300,
  messageLeaseMs: 1_500,
  backoffScale: 0.02,
  historyEveryMs: 2,
  graceMs: 2_000,
};

/**
 * Starts everything but the app. Events that the app does not acknowledge are redelivered, as in
 * Slack.
 */
export async function startCrashWorld(options: WorldOptions = {}): Promise<CrashWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pigeonhole-crash-'));
  const service = await startFileService({
    dataDir: join(dataDir, 'service'),
    clock: systemClock,
    rateLimit: { requests: 10_000, windowMs: 1_000 },
    attachmentUse: options.attachmentUse ?? 'once',
  });
  const slack = await startEmbeddedSlack({
    dataDir: join(dataDir, 'slack'),
    retryDelaysMs: [0, 1_500, 4_000],
  });
  const orders: Orders = {
    kill: null,
    appOptions: { ...QUICK, ...options.appOptions },
    env: {
      ...appSettings({ slack, service }),
      ...(options.rateLimit ? { FILES_RATE_LIMIT: options.rateLimit } : {}),
      DATA_DIR: join(dataDir, 'app'),
      LOG_LEVEL: 'silent',
    },
  };
  const begin = (kill: KillPoint | null = null) => {
    const starting = startAppProcess({ ...orders, kill });
    const started = starting.started.then((app) => {
      if (app) slack.connectApp(`http://127.0.0.1:${app.port}`);
      return app;
    });
    return { ...starting, started };
  };
  return {
    slack,
    service,
    watch: watchShares(slack, service),
    begin,
    start: async () => {
      const app = await begin().started;
      if (!app) throw new Error('The app did not start');
      return app;
    },
    readLedger: () => readLedger(join(dataDir, 'app')),
    stop: async () => {
      await slack.stop();
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

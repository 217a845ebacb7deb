import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EmbeddedSlack } from '../../src/playground/embedded-slack/index.ts';
import type { AttachmentUse, FileService } from '../../src/playground/file-service/index.ts';
import { type AppProcess, type StartingApp, startAppProcess } from '../support/app-process.ts';
import type { AppProcessOptions, KillPoint } from '../support/app-process-main.ts';
import { appSettings } from '../support/app-settings.ts';
import { startEmbedded } from '../support/embedded.ts';
import { type ShareWatch, watchShares } from '../support/watch-shares.ts';

export interface EnvironmentOptions {
  /** In the form of FILES_RATE_LIMIT, default 1000/1s; the service itself sets no limit. */
  rateLimit?: string;
  appOptions?: AppProcessOptions['appOptions'];
  /** How often the service lets an attachment be used. Default: once. */
  attachmentUse?: AttachmentUse;
}

/** Slack and the file service, which keep running while the app dies and comes back. */
export interface CrashEnvironment {
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

const QUICK: AppProcessOptions['appOptions'] = {
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
export async function startCrashEnvironment(
  options: EnvironmentOptions = {},
): Promise<CrashEnvironment> {
  const embedded = await startEmbedded({
    service: {
      rateLimit: { requests: 10_000, windowMs: 1_000 },
      attachmentUse: options.attachmentUse ?? 'once',
    },
    slack: { retryDelaysMs: [0, 1_500, 4_000] },
  });
  const { slack, service } = embedded;
  const appDir = join(embedded.dataDir, 'app');
  const process: AppProcessOptions = {
    appOptions: { ...QUICK, ...options.appOptions },
    env: {
      ...appSettings(embedded),
      ...(options.rateLimit ? { FILES_RATE_LIMIT: options.rateLimit } : {}),
      DATA_DIR: appDir,
      LOG_LEVEL: 'silent',
    },
  };
  const begin = (kill: KillPoint | null = null) => {
    const starting = startAppProcess({ ...process, kill });
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
    readLedger: () => readLedger(appDir),
    stop: embedded.stop,
  };
}

interface LedgerReading {
  /** The number of transfers in each state. */
  states: Record<string, number>;
  /** Transfers with work left, and shares whose message must still be edited. */
  open: { transfers: number; messages: number };
  /** The `ts` of shares that a report covers: they have no line of their own. */
  reported: Set<string>;
}

/** Reads the ledger of an app that is not running. */
function readLedger(dataDir: string): LedgerReading {
  const database = new DatabaseSync(join(dataDir, 'pigeonhole.sqlite'));
  const rows = (query: string) => database.prepare(query).all();
  const count = (query: string) => Number(rows(query)[0]?.['n']);
  try {
    const states = rows('select state, count(*) as n from transfers group by state');
    const reported = rows('select ts from shares where report_id is not null');
    return {
      states: Object.fromEntries(states.map((row) => [String(row['state']), Number(row['n'])])),
      open: {
        transfers: count(`select count(*) as n from jobs where kind in ('upload', 'folder')`),
        messages: count(`select count(*) as n from jobs where kind = 'message'`),
      },
      reported: new Set(reported.map((row) => String(row['ts']))),
    };
  } finally {
    database.close();
  }
}

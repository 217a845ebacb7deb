import {
  type Clock,
  createLogger,
  type Logger,
  type Random,
  systemClock,
  systemRandom,
} from './base/index.ts';
import type { Config } from './config.ts';
import { listen } from './http-server.ts';
import {
  type Dialect,
  type Ledger,
  postgresDialect,
  postgresPool,
  sqliteDialect,
} from './ledger/index.ts';
import type { ServiceAdapter } from './service/index.ts';
import { type GetFile, getFile, slackFetch, type WebFetch } from './slack/index.ts';

/**
 * What the composition root takes from outside, so that tests can move time or put something between
 * two rooms. The product uses the real ones.
 */
export interface AppOptions {
  clock: Clock;
  random: Random;
  logger: Logger;
  /** Files on their way at once, and how long a lease on one holds unless renewed, in milliseconds. */
  worker: { concurrency: number; leaseMs: number };
  /** How long the service's client waits for one answer, in milliseconds. */
  requestTimeoutMs: number;
  /**
   * How long after a create without an answer was sent, in milliseconds, a list without its record
   * shows that it had no effect: longer than a create may take, as one that takes effect after that
   * would be made twice where an attachment may be used again.
   */
  settleMs: number;
  /**
   * How long a lease on a message in Slack holds unless renewed, in milliseconds: longer than a post
   * may take to reach Slack, and as late as it is when the process dies over it.
   */
  messageLeaseMs: number;
  /** Stretches or shrinks the waits before files and messages are tried again; 1 in the product. */
  backoffScale: number;
  /** The time between two reads of Slack's history, in milliseconds. */
  historyEveryMs: number;
  /** How often Slack is asked at most who a person is, and which channels they are in, in milliseconds. */
  personEveryMs: number;
  /** How long work in hand may go on at the stop, in milliseconds. */
  graceMs: number;
  /** When events are answered; `before` is what Bolt does by itself, and loses files. */
  acknowledge: 'after' | 'before';
  network: Network;
  /** Opens the database, not yet migrated. */
  openDialect: (config: Config, logger: Logger) => Dialect;
  /** Stands between the ledger and all who use it. */
  aroundLedger: (ledger: Ledger) => Ledger;
}

/** How bytes leave and come in. */
export interface Network {
  /** Carries requests to the file service. */
  service: ServiceAdapter;
  /** Carries calls of Slack's Web API, and answers to commands and presses. */
  slack: WebFetch;
  /** Carries downloads of Slack's files. */
  files: GetFile;
  /** Takes in Slack's requests, and those of probes. */
  listen: typeof listen;
}

const REQUEST_TIMEOUT_MS = 60_000;
/** How long the service may still be at a create whose answer nobody waits for any more. */
const LATEST_LANDING_MS = 120_000;

/** Those of the product. */
export function defaultAppOptions(config: Config): AppOptions {
  return {
    clock: systemClock,
    random: systemRandom,
    logger: createLogger(config.logLevel),
    worker: { concurrency: 32, leaseMs: 30_000 },
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    settleMs: REQUEST_TIMEOUT_MS + LATEST_LANDING_MS,
    messageLeaseMs: 60_000,
    backoffScale: 1,
    // Slack's history methods allow 50 calls a minute (tier 3).
    historyEveryMs: 1_200,
    // Its method for their channels allows 50 calls a minute for all people together (tier 3).
    personEveryMs: 3_000,
    graceMs: 20_000,
    acknowledge: 'after',
    network: { service: 'http', slack: slackFetch, files: getFile, listen },
    openDialect: chooseDialect,
    aroundLedger: (ledger) => ledger,
  };
}

// PostgreSQL at its address where the settings name one, else SQLite in `dataDir`.
function chooseDialect({ databaseUrl, dataDir }: Config, logger: Logger): Dialect {
  if (databaseUrl === null) return sqliteDialect(dataDir);
  const onError = (error: Error) => logger.warn({ error }, 'A database connection was lost');
  return postgresDialect(postgresPool(databaseUrl, onError));
}

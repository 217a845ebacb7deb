import { type Clock, type Logger, type Random, systemClock, systemRandom } from './base/index.ts';
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
 * What the composition root is given, so that tests can move time or wrap a part. Production gives
 * the logger alone, and uses DEFAULT_OPTIONS.
 */
export interface AppOptions {
  clock: Clock;
  random: Random;
  logger: Logger;
  /** The most filing jobs at once, and how long a lease holds unless renewed, in milliseconds. */
  worker: { concurrency: number; leaseMs: number };
  /** How long the service's client waits for one response, in milliseconds. */
  requestTimeoutMs: number;
  /**
   * How long after an unanswered create was sent, in milliseconds, a list without its record proves
   * that it had no effect. Must be longer than a create may take: one that takes effect later is
   * repeated, and so filed twice if the service lets an attachment be used again.
   */
  settleMs: number;
  /**
   * How long a lease on a message in Slack holds unless renewed, in milliseconds: longer than a
   * post may take to reach Slack. If the process dies while it posts, the message is that late.
   */
  messageLeaseMs: number;
  /** Factor for the waits before files and messages are retried; 1 in production. */
  backoffScale: number;
  /** The time between two reads of Slack's history, in milliseconds. */
  historyEveryMs: number;
  /** How long Slack's data on a person, and on channels, is cached, in milliseconds. */
  keepPersonMs: number;
  /** How long running work may continue after a stop began, in milliseconds. */
  graceMs: number;
  /** When events are acknowledged, seen from the listeners; `before`, as in Bolt, loses files. */
  acknowledge: 'after' | 'before';
  /** Whether the operator said that the ledger is meant to be new. */
  newLedger: boolean;
  network: Network;
  /** Opens the database, not yet migrated. */
  openDialect: (config: Config, logger: Logger) => Dialect;
  /** Wraps the ledger for all its users. */
  aroundLedger: (ledger: Ledger) => Ledger;
}

/** All network traffic, out and in. */
export interface Network {
  /** Carries requests to the file service. */
  service: ServiceAdapter;
  /** Carries calls of Slack's Web API, and responses to commands and button presses. */
  slack: WebFetch;
  /** Carries downloads of Slack's files. */
  files: GetFile;
  /** Receives requests from Slack and from probes. */
  listen: typeof listen;
}

const REQUEST_TIMEOUT_MS = 60_000;
/** How long a create may still take effect after its request has timed out, in milliseconds. */
const LATEST_LANDING_MS = 120_000;

export type GivenOptions = Pick<AppOptions, 'logger'> & Partial<AppOptions>;

export const DEFAULT_OPTIONS: Omit<AppOptions, 'logger'> = {
  clock: systemClock,
  random: systemRandom,
  worker: { concurrency: 32, leaseMs: 30_000 },
  requestTimeoutMs: REQUEST_TIMEOUT_MS,
  settleMs: REQUEST_TIMEOUT_MS + LATEST_LANDING_MS,
  messageLeaseMs: 60_000,
  backoffScale: 1,
  // Slack's history methods allow 50 calls a minute (tier 3).
  historyEveryMs: 1_200,
  // Slack's methods for a person's channels, and for a channel, each allow 50 calls a minute for all
  // people (tier 3).
  keepPersonMs: 3_000,
  graceMs: 20_000,
  acknowledge: 'after',
  newLedger: false,
  network: { service: 'http', slack: slackFetch, files: getFile, listen },
  openDialect: chooseDialect,
  aroundLedger: (ledger) => ledger,
};

// PostgreSQL if the settings hold its address, else SQLite in `dataDir`.
function chooseDialect({ databaseUrl, postgresTls, dataDir }: Config, logger: Logger): Dialect {
  if (databaseUrl === null) return sqliteDialect(dataDir);
  const onError = (error: Error) => logger.warn({ error }, 'A database connection was lost');
  return postgresDialect(postgresPool(databaseUrl, onError, postgresTls));
}

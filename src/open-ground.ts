import { webApi } from '@slack/bolt';
import type { AppOptions } from './app-options.ts';
import type { Closing } from './closing.ts';
import type { Config } from './config.ts';
import { type Ledger, openLedger } from './ledger/index.ts';
import {
  createServiceClient,
  createThrottle,
  type ServiceClient,
  type Throttle,
} from './service/index.ts';
import { openWorkspace, type Workspace, webClientOptions } from './slack/index.ts';
import { createPace } from './worker/index.ts';

const CLOSE_WITHIN_MS = 1_000;

/** What all work stands on. */
export interface Ground {
  ledger: Ledger;
  throttle: Throttle;
  service: ServiceClient;
  workspace: Workspace;
  /** Ends the waits between reads of Slack's history. */
  stopReading(): void;
}

/** Opens the ledger, the way to the file service and the way to Slack, each named to `closing`. */
export async function openGround(
  config: Config,
  options: AppOptions,
  closing: Closing,
): Promise<Ground> {
  const { clock } = options;
  const opened = (name: string, close: () => Promise<unknown>) =>
    closing.opened({ name, close, withinMs: CLOSE_WITHIN_MS });
  const startedAt = clock.now();
  const dialect = options.openDialect(config, options.logger);
  const ledger = options.aroundLedger(await openLedger(dialect, startedAt));
  opened('ledger', () => ledger.close());
  const { service, throttle } = createService(config, options, await ledger.beginRun(startedAt));
  opened('run', () => ledger.endRun(startedAt, clock.now()));
  opened('throttle', () => throttle.stop());
  const stopping = new AbortController();
  const workspace = await connectWorkspace(config, options, stopping.signal);
  const stopReading = () => stopping.abort(new Error('stopping'));
  return { ledger, throttle, service, workspace, stopReading };
}

function createService(config: Config, options: AppOptions, lastSentAt: number | null) {
  const { files, redisUrl, redisTlsVerify } = config;
  const { clock, random, logger, requestTimeoutMs, network } = options;
  const throttle = createThrottle({
    account: files.accountUrl,
    limit: files.rateLimit,
    redis: redisUrl === null ? undefined : { url: redisUrl, verifyCertificate: redisTlsVerify },
    quietUntil:
      redisUrl === null && lastSentAt !== null ? lastSentAt + files.rateLimit.windowMs : undefined,
    clock,
    random,
    logger,
  });
  const service = createServiceClient({
    ...files,
    throttle,
    clock,
    random,
    logger,
    requestTimeoutMs,
    adapter: network.service,
  });
  return { service, throttle };
}

function connectWorkspace(
  { slack }: Config,
  { clock, logger, historyEveryMs, network }: AppOptions,
  stopping: AbortSignal,
): Promise<Workspace> {
  return openWorkspace({
    client: new webApi.WebClient(
      slack.botToken,
      webClientOptions(slack.apiUrl, logger, network.slack),
    ),
    token: slack.botToken,
    slackApiUrl: slack.apiUrl,
    getFile: network.files,
    pace: createPace(historyEveryMs, clock, stopping),
  });
}

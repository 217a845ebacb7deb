import { App as BoltApp, LogLevel, webApi } from '@slack/bolt';
import { type Clock, createBackgrounds } from './base/index.ts';
import type { Config } from './config.ts';
import {
  type Ledger,
  LedgerError,
  openLedger,
  postgresDialect,
  postgresPool,
  sqliteDialect,
} from './ledger/index.ts';
import { registerListeners } from './listeners/index.ts';
import { listen } from './listening.ts';
import { createProbes, notFound, type ProbeOptions } from './probes.ts';
import { realSeams, type Seams } from './seams.ts';
import {
  createDirectory,
  createServiceClient,
  createThrottle,
  type ServiceClient,
  type Throttle,
} from './service/index.ts';
import {
  acknowledgeAfter,
  createReceiver,
  type Identity,
  type Inlet,
  openWorkspace,
  slackLogger,
  type Workspace,
  webClientOptions,
} from './slack/index.ts';
import {
  CatchUpSchedule,
  countEarlier,
  createFindDestination,
  createPace,
  createProgressBoard,
  createSemaphore,
  startBackfill,
  Teller,
  type TransferContext,
  Worker,
} from './worker/index.ts';

const LARGE_FILES_AT_ONCE = 3;
/** The oldest copy of a list that may answer while the service is saturated. */
const COPY_AGE_MS = 5_000;

/** Pigeonhole, put together and not yet running. */
export interface App {
  /** Opens everything and begins to work. Rejects, with all closed again, when something is missing. */
  start(): Promise<{ port: number }>;
  /** Ends in order: no more events, no more claims, work in hand, leases handed back, all closed. */
  stop(): Promise<void>;
}

/** The composition root: wires the rooms together. Wiring alone, no logic. */
export function createApp(config: Config, overrides: Partial<Seams> = {}): App {
  const seams = { ...realSeams(config), ...overrides };
  const closers: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse())
      await close().catch((error: unknown) =>
        seams.logger.error({ error }, 'Something could not be closed'),
      );
  };
  const start = async () => {
    try {
      return await run(config, seams, (close) => closers.push(close));
    } catch (error) {
      await stop();
      throw error;
    }
  };
  return { start, stop };
}

type OnStop = (close: () => Promise<unknown>) => void;

async function run(config: Config, seams: Seams, onStop: OnStop): Promise<{ port: number }> {
  const { clock, random, logger, checkpoint, backoffScale } = seams;
  const startedAt = clock.now();
  const ledger = seams.aroundLedger(await openLedger(chooseDialect(config, seams), startedAt));
  onStop(() => ledger.close());
  const { service, throttle } = createService(config, seams, await ledger.beginRun(startedAt));
  onStop(() => ledger.endRun(startedAt, clock.now()));
  onStop(() => throttle.stop());
  const stopping = new AbortController();
  const workspace = await connectWorkspace(config, seams, stopping.signal);

  // Others may be at work too: what they change in a folder is not in this instance's copies.
  const shared = config.redisUrl !== null;
  const progress = createProgressBoard(clock);
  const tools = { clock, random, logger, checkpoint, backoffScale };
  const common = { ledger, service, workspace, progress, ...tools };
  const directory = createDirectory({ service, clock });
  const findDestination = createFindDestination(ledger, config.files.destination);
  const teller = new Teller({ ...common, directory }, seams.tellClaimMs);
  const worker = createWorker({ ...common, onChange: () => teller.wake() }, seams);
  const wake = () => {
    worker.wake();
    teller.wake();
  };

  let eventsSince = clock.now();
  const reading = { ...common, findDestination, wake, eventsSince: () => eventsSince };
  const catchUps = new CatchUpSchedule(reading);
  const onReconnect = () => {
    eventsSince = clock.now();
    catchUps.runSoon();
  };
  const backgrounds = createBackgrounds(logger);
  const inlet = createReceiver({
    ...config.slack,
    slackApiUrl: config.slack.apiUrl,
    clock,
    logger,
    onReconnect,
  });
  const bolt = createBolt(config, seams, { inlet, identity: workspace.identity });
  registerListeners(bolt, {
    ...common,
    directory,
    findDestination,
    wake,
    backfill: {
      count: (channel) => countEarlier(channel, reading),
      start: (channel, options) => startBackfill(channel, options, reading),
    },
    copyAgeMs: () => (!shared && throttle.state().waiting.bulk > 0 ? COPY_AGE_MS : 0),
    inBackground: backgrounds.add,
  });

  const probed = { ledger, workspace, service, throttle, worker, clock, shared };
  const server = await listen(
    config.port,
    createProbes(probesOf(probed), inlet.requestListener ?? notFound),
  );
  onStop(() => teller.stop());
  onStop(() => worker.stop(seams.graceMs));
  onStop(() => backgrounds.settled());
  onStop(() => catchUps.stop());
  onStop(() => server.close());
  onStop(() => inlet.close());
  onStop(async () => stopping.abort(new Error('stopping')));

  await bolt.init();
  worker.start();
  teller.start();
  await inlet.open();
  eventsSince = clock.now();
  catchUps.start();
  logger.info(
    { port: server.port, socketMode: config.slack.appToken !== null },
    'Pigeonhole is running',
  );
  return { port: server.port };
}

function chooseDialect({ databaseUrl, dataDir }: Config, { logger }: Seams) {
  if (databaseUrl === null) return sqliteDialect(dataDir);
  const onError = (error: Error) => logger.warn({ error }, 'A database connection was lost');
  return postgresDialect(postgresPool(databaseUrl, onError));
}

function createService(config: Config, seams: Seams, lastSentAt: number | null) {
  const { files, redisUrl, redisTlsVerify } = config;
  const { clock, random, logger, requestTimeoutMs } = seams;
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
  const client = createServiceClient({
    ...files,
    throttle,
    clock,
    random,
    logger,
    requestTimeoutMs,
  });
  return { service: seams.aroundService(client), throttle };
}

function connectWorkspace(
  { slack }: Config,
  { clock, logger, historyEveryMs }: Seams,
  stopping: AbortSignal,
): Promise<Workspace> {
  return openWorkspace({
    client: new webApi.WebClient(slack.botToken, webClientOptions(slack.apiUrl, logger)),
    token: slack.botToken,
    slackApiUrl: slack.apiUrl,
    pace: createPace(historyEveryMs, clock, stopping),
  });
}

function createWorker(
  context: Omit<TransferContext, 'largeFiles' | 'settleMs'>,
  { settleMs, worker }: Seams,
): Worker {
  const largeFiles = createSemaphore(LARGE_FILES_AT_ONCE);
  return new Worker({ ...context, largeFiles, settleMs }, worker);
}

function createBolt(
  { slack }: Config,
  { logger, acknowledge }: Seams,
  { inlet, identity }: { inlet: Inlet; identity: Identity },
): BoltApp {
  const mustRedeliver = (error: unknown) =>
    originals(error).some((one) => one instanceof LedgerError);
  const receiver =
    acknowledge === 'after'
      ? acknowledgeAfter(inlet.receiver, { mustRedeliver, logger })
      : inlet.receiver;
  const bolt = new BoltApp({
    receiver,
    token: slack.botToken,
    botUserId: identity.botUserId,
    ...(identity.botId ? { botId: identity.botId } : {}),
    deferInitialization: true,
    logger: slackLogger(logger),
    logLevel: LogLevel.INFO,
    clientOptions: webClientOptions(slack.apiUrl, logger),
  });
  // Logged once, where the answer to Slack is decided.
  bolt.error(async (error) => {
    throw error;
  });
  return bolt;
}

// Bolt wraps what its listeners throw, once or twice.
function originals(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [error];
  const wrapped = 'originals' in error && Array.isArray(error.originals) ? error.originals : [];
  const inner = 'original' in error ? [error.original] : [];
  return [error, ...[...wrapped, ...inner].flatMap(originals)];
}

interface Probed {
  ledger: Ledger;
  workspace: Workspace;
  service: ServiceClient;
  throttle: Throttle;
  worker: Worker;
  clock: Clock;
  /** Whether other instances share the rate limit, over Redis. */
  shared: boolean;
}

function probesOf(probed: Probed): ProbeOptions {
  const { ledger, workspace, service, throttle, worker, clock, shared } = probed;
  const reachService = async () => {
    await service.listProjects({ lane: 'interactive' });
  };
  return {
    clock,
    checks: [
      { name: 'database', keepMs: 1_000, run: () => ledger.check() },
      { name: 'slack', keepMs: 30_000, run: () => workspace.check() },
      { name: 'service', keepMs: 60_000, run: reachService },
      ...(shared ? [{ name: 'redis', keepMs: 1_000, run: () => throttle.check() }] : []),
    ],
    gauges: {
      pigeonhole_transfers_waiting: {
        help: 'Transfers in the ledger that are not settled',
        value: () => ledger.countActive(),
      },
      pigeonhole_transfers_in_hand: {
        help: 'Transfers that this instance works on',
        value: () => worker.inHand,
      },
      pigeonhole_requests_in_window: {
        help: 'Places of the rate window taken',
        value: () => throttle.state().taken,
      },
      pigeonhole_requests_allowed: {
        help: 'Places of the rate window used at most',
        value: () => throttle.state().allowed,
      },
      pigeonhole_requests_waiting: {
        help: 'Calls to the service that wait for a place',
        value: () => throttle.state().waiting.bulk + throttle.state().waiting.interactive,
      },
    },
  };
}

import { type AppOptions, defaultAppOptions } from './app-options.ts';
import type { Config } from './config.ts';
import { createHealth, healthOptions } from './health.ts';
import { type ChannelRef, LedgerError, openLedger } from './ledger/index.ts';
import {
  createPersonalShares,
  type ListenerContext,
  listenForActions,
  listenForCommands,
  listenForEvents,
} from './listeners/index.ts';
import { createRefusalLog, type RefusalLog } from './refusal-log.ts';
import { createNameCache, createServiceClient, createThrottle } from './service/index.ts';
import { createBackgroundWork, createShutdown, type Shutdown } from './shutdown.ts';
import { createBoltApp, createReceiver, openWorkspace, slackTsBefore } from './slack/index.ts';
import {
  CatchUpSchedule,
  countEarlier,
  createFindDestination,
  createPace,
  createProgressBoard,
  filing,
  JobLoop,
  KeyBreaker,
  looking,
  notifying,
  OperatorWatch,
  reading,
} from './worker/index.ts';

/** The oldest copy of a list that may answer while the service is saturated. */
const COPY_AGE_MS = 5_000;
/** How long a lease on a channel's history holds unless renewed, in milliseconds. */
const READING_LEASE_MS = 60_000;
/** How many answers one person may ask for in a window, for each request that the account takes in it. */
const TURNS_SHARE = 0.4;

// How long the parts may take to close. With the grace of 20 s and a second for each backend, all of
// it is within the 30 s that supervisors commonly give.
const ABORTED_WORK_MS = 2_000;
const MESSAGE_IN_HAND_MS = 3_000;
const INLETS_MS = 7_000;
const BACKEND_MS = 1_000;

/** Pigeonhole, put together and not yet running. */
export interface App {
  /**
   * Opens everything and begins to work. Rejects, with all closed again, when something is missing,
   * or with STOPPED when it is stopped meanwhile.
   */
  start(): Promise<{ port: number }>;
  /**
   * Ends in order: no more events, no more claims, work in hand, leases handed back, all closed.
   * Takes at most the grace and a few seconds, whatever hangs.
   */
  stop(): Promise<void>;
}

/** The composition root: wires the rooms together, and does nothing else. */
export function createApp(config: Config, overrides: Partial<AppOptions> = {}): App {
  const options = { ...defaultAppOptions(config), ...overrides };
  const shutdown = createShutdown(options);
  const start = async () => {
    try {
      return await run(config, options, shutdown);
    } catch (error) {
      await shutdown.close();
      throw error;
    }
  };
  return { start, stop: () => shutdown.close() };
}

async function run(config: Config, options: AppOptions, shutdown: Shutdown) {
  const { logger, network, clock } = options;
  const { port, host } = config;
  const refusals = createRefusalLog(options);
  const backends = await openBackends(config, options, shutdown);
  const work = createWork(config, options, backends);
  const inlets = createInlets(config, options, { backends, work, refusals });
  // Before anything is let in: an event that finds Bolt without its authorization is answered and lost.
  await inlets.bolt.init();
  const listener = createListener(config, options, { backends, work, inlets });
  const server = await network.listen({ port, host, listener, clock, onRefused: refusals.count });
  const closeInlets = async () => {
    await Promise.all([inlets.receiver.close(), server.close()]);
    await refusals.close();
    await inlets.background.settled();
  };
  registerShutdown({ backends, work, closeInlets }, options, shutdown);

  await work.keyBreaker.start();
  await backends.ledger.openLinesDue(clock.now());
  work.worker.start();
  work.notifier.start();
  work.operatorWatch.start();
  await inlets.receiver.open();
  work.events.begin();
  work.catchUps.start();
  work.readers.start();
  const socketMode = config.slack.appToken !== null;
  logger.info({ port: server.port, socketMode }, 'Pigeonhole is running');
  return { port: server.port };
}

type Backends = Awaited<ReturnType<typeof openBackends>>;

/** Opens the ledger, the way to the file service and the way to Slack. */
async function openBackends(config: Config, options: AppOptions, shutdown: Shutdown) {
  const { clock } = options;
  const opened = (name: string, close: () => Promise<unknown>) =>
    shutdown.opened({ name, close, withinMs: BACKEND_MS });
  const startedAt = clock.now();
  const dialect = options.openDialect(config, options.logger);
  const ledger = options.aroundLedger(await openLedger(dialect, startedAt));
  opened('ledger', () => ledger.close());
  const throttle = openThrottle(config, options, await ledger.beginRun(startedAt));
  await ledger.beginCatchUps(slackTsBefore(startedAt));
  opened('run', () => ledger.endRun(startedAt, clock.now()));
  opened('throttle', () => throttle.stop());
  const { requestTimeoutMs, network } = options;
  const service = createServiceClient({
    ...config.files,
    throttle,
    clock,
    random: options.random,
    logger: options.logger,
    requestTimeoutMs,
    adapter: network.service,
  });
  const stopping = new AbortController();
  const workspace = await connectWorkspace(config, options, stopping.signal);
  const stopReading = () => stopping.abort(new Error('stopping'));
  return { startedAt, ledger, throttle, service, workspace, stopReading };
}

function openThrottle(
  { files, redisUrl, redisTlsVerify }: Config,
  { clock, logger }: AppOptions,
  lastSentAt: number | null,
) {
  return createThrottle({
    account: files.accountUrl,
    limit: files.rateLimit,
    redis: redisUrl === null ? undefined : { url: redisUrl, verifyCertificate: redisTlsVerify },
    quietUntil:
      redisUrl === null && lastSentAt !== null ? lastSentAt + files.rateLimit.windowMs : undefined,
    clock,
    logger,
  });
}

function connectWorkspace(
  { slack: { botToken, apiUrl } }: Config,
  { clock, logger, historyEveryMs, network }: AppOptions,
  stopping: AbortSignal,
) {
  return openWorkspace({
    token: botToken,
    slackApiUrl: apiUrl,
    logger,
    fetch: network.slack,
    getFile: network.files,
    pace: createPace(historyEveryMs, clock, stopping),
  });
}

type Work = ReturnType<typeof createWork>;

/** What files shares, says how they fare and catches up, not yet started. */
function createWork(config: Config, options: AppOptions, backends: Backends) {
  const { clock, random, logger, checkpoint, backoffScale, settleMs } = options;
  const { startedAt, ledger, service, workspace } = backends;
  const { operator } = config;
  const progress = createProgressBoard(clock);
  const tools = { clock, random, logger, checkpoint, backoffScale, progress, operator };
  const common = { ledger, service, workspace, ...tools };
  const names = createNameCache({ service, clock });
  const findDestination = createFindDestination(ledger, config.files.destination);
  const notifier = new JobLoop(
    { ...common, leaseMs: options.messageLeaseMs },
    notifying({ ...common, names }),
  );
  const keyBreaker = new KeyBreaker({ ...common, wake: () => wake() });
  const operatorWatch = new OperatorWatch(common);
  const toFile = {
    ...common,
    service: keyBreaker.guard(service),
    workspace: { ...workspace, download: operatorWatch.guard(workspace.download) },
    settleMs,
  };
  const { concurrency, leaseMs } = options.worker;
  const worker = new JobLoop({ ...common, leaseMs, onDone: () => notifier.wake() }, [
    filing(toFile, concurrency),
    looking(toFile),
  ]);
  const wake = () => {
    worker.wake();
    notifier.wake();
  };
  let eventsSince = clock.now();
  const events = {
    since: () => eventsSince,
    begin: () => {
      eventsSince = clock.now();
    },
  };
  const toRead = { ...common, findDestination, wake, eventsSince: events.since };
  const readers = new JobLoop(
    { ...common, leaseMs: READING_LEASE_MS, onDone: () => wake() },
    reading(toRead),
  );
  const catchUps = new CatchUpSchedule({ ...toRead, startedAt, wake: () => readers.wake() });
  const counting = new AbortController();
  const earlier = {
    count: (channel: ChannelRef) => countEarlier(channel, { ...toRead, signal: counting.signal }),
    begin: async (channel: ChannelRef, { startedBy }: { startedBy: string }) => {
      await ledger.beginBackfill(channel, { startedBy, now: clock.now() });
      readers.wake();
      wake();
    },
    stop: () => counting.abort(new Error('stopping')),
  };
  return {
    worker,
    notifier,
    keyBreaker,
    operatorWatch,
    catchUps,
    readers,
    earlier,
    events,
    wake,
    names,
    findDestination,
  };
}

type Inlets = ReturnType<typeof createInlets>;

/** What Slack reaches: the receiver, and the Bolt app behind it with its listeners. */
function createInlets(
  { slack, redisUrl, files, operator, linkBy }: Config,
  { clock, random, logger, acknowledge, network }: AppOptions,
  { backends, work, refusals }: { backends: Backends; work: Work; refusals: RefusalLog },
) {
  const { throttle, ledger, service, workspace } = backends;
  const onReconnect = () => {
    work.events.begin();
    work.catchUps.runSoon();
  };
  const common = { slackApiUrl: slack.apiUrl, clock, random, logger, fetch: network.slack };
  const onRefused = refusals.count;
  const receiver = createReceiver({ ...slack, ...common, onReconnect, onRefused });
  const mustRedeliver = (error: unknown) => error instanceof LedgerError;
  const { identity } = workspace;
  const { botToken } = slack;
  const delivery = { acknowledge, mustRedeliver };
  const bolt = createBoltApp({ inlet: receiver, identity, botToken, ...delivery, ...common });
  const background = createBackgroundWork(logger);
  // Others may be at work too: what they change in a folder is not in this instance's copies.
  const alone = redisUrl === null;
  const isBusy = () => throttle.state().waiting.bulk > 0;
  const { windowMs, requests } = files.rateLimit;
  const mostTurns = Math.ceil(requests * TURNS_SHARE);
  const context: ListenerContext = {
    ...{ ledger, service, workspace, clock, random, logger, isBusy, operator, linkBy },
    accountUrl: files.accountUrl,
    names: work.names,
    findDestination: work.findDestination,
    wake: work.wake,
    backfill: work.earlier,
    turns: createPersonalShares({ clock, most: mostTurns, windowMs }),
    copyAgeMs: () => (alone && isBusy() ? COPY_AGE_MS : 0),
    inBackground: background.add,
  };
  for (const listen of [listenForEvents, listenForCommands, listenForActions])
    listen(bolt, context);
  return { receiver, bolt, background };
}

/** What answers at the port: Slack's requests over HTTP, and probes. */
function createListener(
  { redisUrl }: Config,
  { clock, logger }: AppOptions,
  { backends, work, inlets }: { backends: Backends; work: Work; inlets: Inlets },
) {
  const { ledger, workspace, service, throttle } = backends;
  const { check: checkSocket, requestListener } = inlets.receiver;
  const watched = { ledger, workspace, service, throttle, worker: work.worker };
  const shared = redisUrl !== null;
  const health = healthOptions({ ...watched, clock, logger, shared, checkSocket });
  return createHealth(health, requestListener);
}

interface ToClose {
  backends: Backends;
  work: Work;
  closeInlets: () => Promise<void>;
}

// The notifier closes last, so that it can say what is filed meanwhile.
function registerShutdown(
  { backends, work, closeInlets }: ToClose,
  { graceMs }: AppOptions,
  shutdown: Shutdown,
) {
  const { catchUps, readers, earlier, worker, keyBreaker, operatorWatch, notifier } = work;
  const stopReaders = async () => {
    earlier.stop();
    const stopped = [catchUps.stop(), readers.stop(0)];
    backends.stopReading();
    await Promise.all(stopped);
  };
  const stopWorker = () => worker.stop(graceMs);
  const stopNotifier = () => notifier.stop(MESSAGE_IN_HAND_MS);
  const stopTrials = () => Promise.all([keyBreaker.stop(), operatorWatch.stop()]);
  shutdown.opened({ name: 'notifier', close: stopNotifier, withinMs: MESSAGE_IN_HAND_MS });
  shutdown.opened(
    { name: 'readers of history', close: stopReaders, withinMs: INLETS_MS },
    { name: 'inlets', close: closeInlets, withinMs: INLETS_MS },
    { name: 'trials of the key', close: stopTrials, withinMs: ABORTED_WORK_MS },
    { name: 'worker', close: stopWorker, withinMs: graceMs + ABORTED_WORK_MS },
  );
}

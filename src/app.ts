import { type AppOptions, DEFAULT_OPTIONS, type GivenOptions } from './app-options.ts';
import { createBackgroundWork, createOutage, VERSION } from './base/index.ts';
import { checkLedger } from './check-ledger.ts';
import { checkService } from './check-service.ts';
import type { Config } from './config.ts';
import { checksOf, createHealth, gaugesOf } from './health.ts';
import { createRefusalLog, listenerFor } from './http-server.ts';
import { type Ledger, LedgerError, openLedger } from './ledger/index.ts';
import {
  createPersonalQuota,
  type ListenerContext,
  listenForActions,
  listenForCommands,
  listenForEvents,
  listenForFolderSearch,
  listenForLinkModal,
  listenForSaveModal,
  listenForShortcuts,
} from './listeners/index.ts';
import {
  createFolderReader,
  createNameCache,
  createServiceClient,
  createThrottle,
} from './service/index.ts';
import { createShutdown, type Shutdown } from './shutdown.ts';
import {
  createBoltApp,
  createPaces,
  createReceiver,
  openWorkspace,
  slackTsFrom,
} from './slack/index.ts';
import { destinationFinder } from './transfers/index.ts';
import {
  announcing,
  CatchUpSchedule,
  CLAIM_OUTAGE,
  createEarlierCount,
  createEventWatch,
  deleting,
  filing,
  findMissing,
  JobLoop,
  keepLinkNames,
  leaveUnrecorded,
  notifyingReports,
  notifyingShares,
  OperatorWatch,
  reading,
  shareLineFor,
  type WorkerContext,
} from './worker/index.ts';

/** How long a lease on a channel's history holds unless renewed, in milliseconds. */
const READING_LEASE_MS = 60_000;
/** How often the ledger is read for due rows, beside each time that this process makes one due. */
const POLL_MS = 60_000;
/** The same where other instances write to it, too. */
const SHARED_POLL_MS = 5_000;
/** How many commands and presses of one person are served in a window, per request of its limit. */
const QUOTA_PER_REQUEST = 0.4;

// How long the parts may take to close. With the grace of 20 s and a second for each backend, the
// sum is within the 30 s that supervisors commonly allow. With Redis, the throttle also waits for
// its shared slots, which return one window after their calls; if it is killed, they expire later.
const ABORTED_WORK_MS = 2_000;
const MESSAGE_IN_HAND_MS = 2_000;
const INLETS_MS = 7_000;
const BACKEND_MS = 1_000;

/** Pigeonhole, assembled and not yet started. */
export interface App {
  /**
   * Opens all parts and begins to work. Rejects, with all parts closed again, when one cannot be
   * opened, or with STOPPED when the app is stopped meanwhile.
   */
  start(): Promise<Running>;
  /**
   * Stops taking events and claiming rows, waits for running jobs, releases their leases, and
   * closes all parts. Takes at most the grace and a few seconds, whatever hangs.
   */
  stop(): Promise<void>;
}

interface Running {
  port: number;
  /** Logs whether the service's address and the key are right: see checkService. Ends at a stop. */
  checkService(): Promise<void>;
}

/** The composition root: wires the rooms together, and does nothing else. */
export function createApp(config: Config, given: GivenOptions): App {
  const options = { ...DEFAULT_OPTIONS, ...given };
  const shutdown = createShutdown(options);
  const start = () =>
    run(config, options, shutdown).catch(async (error: unknown) => {
      await shutdown.close();
      throw error;
    });
  return { start, stop: shutdown.close };
}

async function run(config: Config, options: AppOptions, shutdown: Shutdown): Promise<Running> {
  const { clock, logger, network, graceMs } = options;
  const backends = await openBackends(config, options, shutdown);
  const work = createWork(config, options, backends);
  const inlets = createInlets(config, options, { backends, work });
  const { worker, notifier, readers } = work;
  // Closed after the worker, so that people are notified of what is filed meanwhile.
  shutdown.opened({
    name: 'notifier',
    close: () => notifier.stop(MESSAGE_IN_HAND_MS),
    withinMs: MESSAGE_IN_HAND_MS + BACKEND_MS,
  });
  const { port, host } = config;
  const { listener, onRefused, connection } = inlets;
  const server = await network.listen({ port, host, listener, clock, onRefused });
  const closeInlets = async () => {
    await Promise.all([connection?.close(), server.close()]);
    await backends.settled();
  };
  // The parts that take on work, from Slack and from the ledger, close together, before all others.
  shutdown.opened(
    { name: 'readers of history', close: () => readers.stop(0), withinMs: INLETS_MS },
    { name: 'inlets', close: closeInlets, withinMs: Math.max(INLETS_MS, graceMs) },
    { name: 'worker', close: () => worker.stop(graceMs), withinMs: graceMs + ABORTED_WORK_MS },
  );

  await backends.ledger.probeHolds({ at: clock.now() });
  await backends.ledger.makeOpenLinesDue(clock.now());
  shutdown.signal.throwIfAborted();
  worker.start();
  notifier.start();
  work.operatorWatch.start();
  backends.inBackground(findMissing(work.context));
  await connection?.open();
  shutdown.signal.throwIfAborted();
  work.catchUps.start();
  readers.start();
  const socketMode = config.slack.appToken !== null;
  logger.info({ version: VERSION, port: server.port, socketMode }, 'Pigeonhole is running');
  return { port: server.port, checkService: () => checkService({ ...options, ...backends }) };
}

type Backends = Awaited<ReturnType<typeof openBackends>>;

async function openBackends(config: Config, options: AppOptions, shutdown: Shutdown) {
  const { clock, logger, network } = options;
  const { files, slack } = config;
  const opened = (name: string, close: () => Promise<unknown>, withinMs = BACKEND_MS) =>
    shutdown.opened({ name, close, withinMs });
  const startedAt = clock.now();
  const dialect = options.openDialect(config, logger);
  const ledger = options.aroundLedger(await openLedger(dialect, startedAt));
  opened('ledger', () => ledger.close());
  await checkLedger({ ...options, config, ledger });
  const lifetime = { stopping: shutdown.signal, ...createBackgroundWork(logger) };
  const lastSentAt = await ledger.beginRun(startedAt);
  const isFirstRun = lastSentAt === null;
  const throttle = openThrottle(config, options, {
    ...{ ledger, lastSentAt },
    // The lines of waiting files give the reason.
    onRedisChange: () => lifetime.inBackground(ledger.makeOpenLinesDue(clock.now())),
  });
  await ledger.beginCatchUps(slackTsFrom(startedAt));
  const isAlone = config.redisUrl === null;
  const slotsMs = isAlone ? 0 : files.rateLimit.windowMs;
  opened('throttle', () => throttle.stop(), slotsMs + BACKEND_MS);
  opened('run', () => ledger.endRun(startedAt, clock.now()));
  const service = createServiceClient({ ...options, ...files, throttle, adapter: network.service });
  const workspace = await openWorkspace({
    ...options,
    ...slack,
    fetch: network.slack,
    getFile: network.files,
    paces: createPaces(options.historyEveryMs, clock),
  });
  return { startedAt, isFirstRun, ledger, throttle, isAlone, service, workspace, ...lifetime };
}

function openThrottle(
  { files, redisUrl, redisTlsVerify }: Config,
  { clock, random, logger }: AppOptions,
  given: { ledger: Ledger; lastSentAt: number | null; onRedisChange: () => void },
) {
  const { ledger, lastSentAt, onRedisChange } = given;
  const { accountUrl: account, rateLimit: limit } = files;
  const redis = redisUrl ? { url: redisUrl, verifyCertificate: redisTlsVerify } : undefined;
  const base = { account, limit, clock, logger };
  if (redis) return createThrottle({ ...base, redis, onRedisChange });
  if (!ledger.embedded)
    return createThrottle({ ...base, right: { sender: ledger, process: random.id() } });
  return createThrottle({
    ...base,
    quietUntil: lastSentAt === null ? undefined : lastSentAt + limit.windowMs,
  });
}

type Work = ReturnType<typeof createWork>;

/** Creates what files shares, notifies people and reads history; starts nothing. */
function createWork(config: Config, options: AppOptions, backends: Backends) {
  const { operator, files, linkBy, onSlackDelete } = config;
  const { clock, random, logger, backoffScale, settleMs, messageLeaseMs } = options;
  const { startedAt, isFirstRun, ledger, throttle, service, workspace } = backends;
  const { stopping, inBackground } = backends;
  const pollMs = ledger.embedded ? POLL_MS : SHARED_POLL_MS;
  // After an outage of the database: Slack may have given up events that were not recorded.
  let outageBeganAt = 0;
  const onChange = (lasts: boolean) => {
    if (lasts) outageBeganAt = clock.now();
    else catchUps.runSoon(clock.now() - outageBeganAt);
  };
  const outage = createOutage(logger, { ...CLAIM_OUTAGE, onChange });
  const tools = { ledger, clock, random, logger, outage, pollMs, stopping, inBackground };
  const wake = () => {
    for (const loop of [worker, notifier, readers]) loop.wake();
  };

  const operatorWatch = new OperatorWatch({ ...tools, isFirstRun, workspace, operator });
  const { team } = workspace.identity;
  const namesKept = keepLinkNames(service, { ledger, team, logger });
  const names = createNameCache({ service: { ...service, ...namesKept }, clock });
  const { pagesOf } = service;
  const folders = createFolderReader({ mirror: ledger, pagesOf, names, clock, logger });
  const context: WorkerContext = {
    ...{ ...tools, service, folders, names, workspace, operatorWatch },
    ...{ operator, linkBy, onSlackDelete, backoffScale, settleMs, wake },
    defaultFolder: files.destination,
    findDestination: destinationFinder(ledger.findLink, files.destination),
    uploads: new Map(),
    lastUpload: { at: 0 },
    rateLimit: files.rateLimit,
    ...{ messagePause: { until: 0 }, reactionPause: { until: 0 } },
    eventsSince: () => catchUps.eventsSince,
    maySend: throttle.maySend,
    isLimitAway: () => throttle.state().isRedisAway,
  };
  const notifier = new JobLoop({ ...tools, leaseMs: messageLeaseMs }, [
    notifyingShares(context),
    notifyingReports(context),
    ...(onSlackDelete === 'keep' ? [] : [deleting(context)]),
  ]);
  const { concurrency, leaseMs } = options.worker;
  const worker = new JobLoop({ ...tools, leaseMs, onDone: notifier.wake }, [
    filing(context, concurrency),
  ]);
  const catchUps = new CatchUpSchedule(context, startedAt);
  const readers = new JobLoop({ ...tools, leaseMs: READING_LEASE_MS, onDone: wake }, [
    ...reading(context),
    announcing(context),
  ]);
  const onUnrecorded = createEventWatch(tools);
  return { worker, notifier, readers, catchUps, operatorWatch, onUnrecorded, context };
}

/** Creates what Slack and probes reach: the port's listener, the receiver, and the Bolt app. */
function createInlets(
  config: Config,
  options: AppOptions,
  { backends, work }: { backends: Backends; work: Work },
) {
  const { slack } = config;
  const { catchUps, worker, onUnrecorded } = work;
  const onRefused = createRefusalLog({ ...options, ...backends });
  const toSlack = { ...options, ...slack, fetch: options.network.slack };
  const { receiver, requestListener, connection } = createReceiver({
    ...toSlack,
    onReconnect: (missingMs) => catchUps.runSoon(missingMs),
    onRefused,
    isFirst: (request) => backends.ledger.noteRequest(request, options.clock.wall()),
  });
  const bolt = createBoltApp({
    ...toSlack,
    receiver,
    identity: backends.workspace.identity,
    mustRedeliver: (error) => error instanceof LedgerError,
    onUnrecorded,
    inHand: backends.inBackground,
  });
  const context = listenerContext(config, options, { backends, work });
  const inlets = [listenForEvents, listenForCommands, listenForActions, listenForShortcuts];
  const forms = [listenForFolderSearch, listenForLinkModal, listenForSaveModal];
  for (const listen of [...inlets, ...forms]) listen(bolt, context);
  const parts = { ...options, ...backends, worker, connection };
  const health = createHealth({ ...options, checks: checksOf(parts), gauges: gaugesOf(parts) });
  const listener = listenerFor(requestListener, health);
  return { connection, onRefused, listener };
}

function listenerContext(
  { files }: Config,
  { clock }: AppOptions,
  { backends, work }: { backends: Backends; work: Work },
): ListenerContext {
  const { context } = work;
  const { windowMs, requests } = files.rateLimit;
  return {
    ...context,
    accountUrl: files.accountUrl,
    shareLineFor: (share, reader) => shareLineFor(share, reader, context),
    leaveUnrecorded: (share, error) => leaveUnrecorded(share, context, error),
    countEarlier: createEarlierCount(context),
    isBusy: backends.throttle.isBusy,
    wakeNotifier: work.notifier.wake,
    isAlone: backends.isAlone,
    quota: createPersonalQuota({ clock, most: Math.ceil(requests * QUOTA_PER_REQUEST), windowMs }),
  };
}

import { type AppOptions, DEFAULT_OPTIONS, type GivenOptions } from './app-options.ts';
import { createBackgroundWork, createOutage, VERSION } from './base/index.ts';
import { checkLedger } from './check-ledger.ts';
import { checkService } from './check-service.ts';
import type { Config } from './config.ts';
import { destinationFinder } from './core/index.ts';
import {
  announcing,
  CatchUpSchedule,
  CLAIM_OUTAGE,
  createEarlierCount,
  createEventWatch,
  deleting,
  type EngineContext,
  filing,
  findMissing,
  JobLoop,
  keepingMessages,
  keepLinkNames,
  reading,
} from './engine/index.ts';
import { checksOf, createHealth, gaugesOf } from './health.ts';
import { createRefusalLog, listenerFor } from './http-server.ts';
import { type Ledger, LedgerError, type MessageRow, openLedger } from './ledger/index.ts';
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
import { deletedInSlack } from './surfaces/deleted-in-slack/copies-view.ts';
import { HELP_LINES, listenForPeople, locateFolders, nameService } from './surfaces/index.ts';
import type { RenderContext } from './surfaces/kit/render-context.ts';
import type { SurfaceContext } from './surfaces/kit/surface-context.ts';
import { leaveUnrecorded } from './surfaces/notices/leave-unrecorded.ts';
import { notifyOfHold, notifyOfToken } from './surfaces/notices/notify-hold.ts';
import { OperatorWatch } from './surfaces/notices/operator-watch.ts';
import { renderReport } from './surfaces/reports/render-report.ts';
import { renderShare, shareLineFor } from './surfaces/share-line/render-share.ts';

/** How long a lease on a channel's history holds unless renewed, in milliseconds. */
const READING_LEASE_MS = 60_000;
/** How often the ledger is read for due rows, beside each time that this process makes one due. */
const POLL_MS = 60_000;
/** The same where other instances write to it, too. */
const SHARED_POLL_MS = 5_000;

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
  nameService(config.files.name);
  locateFolders(config.files.folderUrl);
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
  backends.inBackground(findMissing(work.context));
  await connection?.open();
  backends.progress.isRunning = true;
  work.operatorWatch.start();
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
  const begunTs = slackTsFrom(clock.wall());
  const dialect = options.openDialect(config, logger);
  const ledger = options.aroundLedger(await openLedger(dialect, startedAt));
  opened('ledger', () => ledger.close());
  await checkLedger({ ...options, config, ledger });
  const lifetime = { stopping: shutdown.signal, ...createBackgroundWork(logger) };
  const lastRun = await ledger.beginRun(startedAt, begunTs);
  const throttle = openThrottle(config, options, {
    ...{ ledger, lastSentAt: lastRun?.endedAt ?? null },
    // The lines of waiting files give the reason.
    onHeld: () => lifetime.inBackground(ledger.makeOpenLinesDue(clock.now())),
  });
  const isAlone = config.redisUrl === null;
  const slotsMs = isAlone ? 0 : files.rateLimit.windowMs;
  opened('throttle', () => throttle.stop(), slotsMs + BACKEND_MS);
  // A first start that fails is no run: the next one is the first, and says that the ledger is new. On a
  // database that others use, one of them may be running by then.
  const progress = { isRunning: lastRun !== null || !ledger.embedded };
  opened('run', () =>
    progress.isRunning ? ledger.endRun(startedAt, clock.now()) : ledger.abandonRun(startedAt),
  );
  const service = createServiceClient({ ...options, ...files, throttle, adapter: network.service });
  const workspace = await openWorkspace({
    ...options,
    ...slack,
    fetch: network.slack,
    getFile: network.files,
    paces: createPaces(options.historyEveryMs, clock),
  });
  return { begunTs, lastRun, progress, ledger, throttle, isAlone, service, workspace, ...lifetime };
}

function openThrottle(
  { files, redisUrl, redisTlsVerify }: Config,
  { clock, random, logger }: AppOptions,
  given: { ledger: Ledger; lastSentAt: number | null; onHeld: () => void },
) {
  const { ledger, lastSentAt, onHeld } = given;
  const { accountUrl: account, rateLimit: limit } = files;
  const redis = redisUrl ? { url: redisUrl, verifyCertificate: redisTlsVerify } : undefined;
  const base = { account, limit, clock, logger, onHeld };
  if (redis) return createThrottle({ ...base, redis });
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
  const { begunTs, lastRun, ledger, throttle, service, workspace } = backends;
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

  const operatorWatch = new OperatorWatch({
    ...tools,
    isFirstRun: lastRun === null,
    workspace,
    operator,
  });
  const { team } = workspace.identity;
  const namesKept = keepLinkNames(service, { ledger, team, logger });
  const names = createNameCache({ service: { ...service, ...namesKept }, clock });
  const { pagesOf } = service;
  const folders = createFolderReader({ mirror: ledger, pagesOf, names, clock, logger });
  const uploads: EngineContext['uploads'] = new Map();
  const heldBack = () => {
    const { isRedisAway, heldUntil: until, isStarting } = throttle.state();
    if (isRedisAway) return { code: 'SERVICE_LIMIT_AWAY' as const, until: null };
    if (until === null) return null;
    return { code: isStarting ? null : ('SERVICE_RATE_LIMITED' as const), until };
  };
  const surfaces: RenderContext = {
    ...tools,
    names,
    workspace,
    uploads,
    operator,
    linkBy,
    heldBack,
  };
  const notices: EngineContext['notices'] = {
    ofHold: (scope) => notifyOfHold(scope, surfaces),
    ofToken: () => notifyOfToken(surfaces),
    ofUnrecorded: (share, error) => leaveUnrecorded(share, surfaces, error),
    channelsListed: (channels) => operatorWatch.channelsListed(channels),
    ofDeleted: deletedInSlack,
  };
  const context: EngineContext = {
    ...{ ...tools, service, folders, names, workspace, uploads, notices },
    ...{ onSlackDelete, backoffScale, settleMs, wake },
    defaultFolder: files.destination,
    findDestination: destinationFinder(ledger.findLink, files.destination),
    lastUpload: { at: 0 },
    rateLimit: files.rateLimit,
    ...{ messagePause: { until: 0 }, reactionPause: { until: 0 } },
    eventsSince: () => catchUps.eventsSince,
    maySend: throttle.maySend,
    standsBy: throttle.standsBy,
  };
  const renderers = {
    share: (message: MessageRow) => renderShare(message, surfaces),
    report: (message: MessageRow) => renderReport(message, surfaces),
  };
  const notifier = new JobLoop({ ...tools, leaseMs: messageLeaseMs }, [
    keepingMessages(renderers, context),
    ...(onSlackDelete === 'keep' ? [] : [deleting(context)]),
  ]);
  const { concurrency, leaseMs } = options.worker;
  const worker = new JobLoop({ ...tools, leaseMs, onDone: notifier.wake }, [
    filing(context, concurrency),
  ]);
  const catchUps = new CatchUpSchedule(context, { begunTs, wasAway: lastRun?.wasAway ?? true });
  const readers = new JobLoop({ ...tools, leaseMs: READING_LEASE_MS, onDone: wake }, [
    ...reading(context),
    announcing(context),
  ]);
  const onUnrecorded = createEventWatch(tools);
  return { worker, notifier, readers, catchUps, operatorWatch, onUnrecorded, context, surfaces };
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
  const context = listenerContext(config, { backends, work });
  listenForPeople(bolt, context);
  const parts = { ...options, ...backends, worker, connection };
  const health = createHealth({ ...options, checks: checksOf(parts), gauges: gaugesOf(parts) });
  const listener = listenerFor(requestListener, health);
  return { connection, onRefused, listener };
}

function listenerContext(
  { files }: Config,
  { backends, work }: { backends: Backends; work: Work },
): SurfaceContext {
  const { context, surfaces } = work;
  return {
    ...{ ...context, ...surfaces },
    accountUrl: files.accountUrl,
    shareLineFor: (share, reader) => shareLineFor(share, reader, surfaces),
    leaveUnrecorded: context.notices.ofUnrecorded,
    countEarlier: createEarlierCount(context),
    isBusy: backends.throttle.isBusy,
    wakeNotifier: work.notifier.wake,
    helpLines: HELP_LINES,
  };
}

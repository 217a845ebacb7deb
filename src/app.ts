import { type AppOptions, defaultAppOptions } from './app-options.ts';
import {
  type Clock,
  createBackgrounds,
  createPersonalShares,
  type PersonalShares,
} from './base/index.ts';
import { type Closing, createClosing } from './closing.ts';
import type { Config } from './config.ts';
import { LedgerError } from './ledger/index.ts';
import {
  type ListenerContext,
  listenForActions,
  listenForCommands,
  listenForEvents,
} from './listeners/index.ts';
import type { Listening } from './listening.ts';
import { type Ground, openGround } from './open-ground.ts';
import { probed } from './probed.ts';
import { createProbes, notFound } from './probes.ts';
import { createRefusals, type Refusals } from './refusals.ts';
import { createDirectory } from './service/index.ts';
import { createBoltApp, createReceiver } from './slack/index.ts';
import {
  Backfills,
  CatchUpSchedule,
  createFindDestination,
  createProgressBoard,
  createSemaphore,
  KeyBreaker,
  Teller,
  type TransferContext,
  Worker,
} from './worker/index.ts';

const LARGE_FILES_AT_ONCE = 3;
/** The oldest copy of a list that may answer while the service is saturated. */
const COPY_AGE_MS = 5_000;
/** How many answers one person may ask for in a window, for each request that the account takes in it. */
const TURNS_SHARE = 0.4;

// How long the parts may take to close. With the grace of 20 s and a second for each part of the
// ground, all of it is within the 30 s that supervisors commonly give.
const ABORTED_WORK_MS = 2_000;
const MESSAGE_IN_HAND_MS = 3_000;
const INLETS_MS = 7_000;

/** Pigeonhole, put together and not yet running. */
export interface App {
  /**
   * Opens everything and begins to work. Rejects, with all closed again, when something is missing,
   * or with STOPPED when it is stopped meanwhile.
   */
  start(): Promise<{ port: number }>;
  /**
   * Ends in order: no more events, no more claims, work in hand, leases handed back, all closed.
   * Takes the grace and a few seconds at the longest, whatever hangs.
   */
  stop(): Promise<void>;
}

/** The composition root: wires the rooms together. Wiring alone, no logic. */
export function createApp(config: Config, overrides: Partial<AppOptions> = {}): App {
  const options = { ...defaultAppOptions(config), ...overrides };
  const closing = createClosing(options);
  const start = async () => {
    try {
      return await run(config, options, closing);
    } catch (error) {
      await closing.close();
      throw error;
    }
  };
  return { start, stop: () => closing.close() };
}

async function run(
  config: Config,
  options: AppOptions,
  closing: Closing,
): Promise<{ port: number }> {
  const { clock, logger, network } = options;
  const ground = await openGround(config, options, closing);
  const work = createWork(config, options, ground);
  const refusals = createRefusals(options);
  const inlets = createInlets(config, options, { ...ground, ...work, refusals });
  // Before anything is let in: an event that finds Bolt without its authorization is answered and lost.
  await inlets.bolt.init();
  const shared = config.redisUrl !== null;
  const checkSocket = inlets.inlet.check;
  const probes = probed({ ...ground, worker: work.worker, clock, logger, shared, checkSocket });
  const listener = createProbes(probes, inlets.inlet.requestListener ?? notFound);
  const { port, host } = config;
  const server = await network.listen({ port, host, listener, clock, onRefused: refusals.count });
  toClose(
    { ...ground, ...work, ...inlets, server, refusals },
    { closing, graceMs: options.graceMs },
  );

  await work.keyBreaker.start();
  work.worker.start();
  work.teller.start();
  await inlets.inlet.open();
  work.eventsBegin();
  work.catchUps.start();
  work.backfills.start();
  const socketMode = config.slack.appToken !== null;
  logger.info({ port: server.port, socketMode }, 'Pigeonhole is running');
  return { port: server.port };
}

/** What files shares, tells of them and catches up, not yet started. */
function createWork(config: Config, options: AppOptions, ground: Ground) {
  const { clock, random, logger, checkpoint, backoffScale } = options;
  const { ledger, service, workspace } = ground;
  const tools = { clock, random, logger, checkpoint, backoffScale };
  const common = { ledger, service, workspace, progress: createProgressBoard(clock), ...tools };
  const directory = createDirectory({ service, clock });
  const findDestination = createFindDestination(ledger, config.files.destination);
  const teller = new Teller({ ...common, directory }, options.tellClaimMs);
  const keyBreaker = new KeyBreaker({ ...common, wake: () => wake() });
  const filing = { ...common, service: keyBreaker.guard(service) };
  const worker = createWorker({ ...filing, onChange: () => teller.wake() }, options);
  const wake = () => {
    worker.wake();
    teller.wake();
  };
  let eventsSince = clock.now();
  const eventsBegin = () => {
    eventsSince = clock.now();
  };
  const reading = { ...common, findDestination, wake, eventsSince: () => eventsSince };
  const readers = { catchUps: new CatchUpSchedule(reading), backfills: new Backfills(reading) };
  return { teller, worker, keyBreaker, wake, directory, findDestination, ...readers, eventsBegin };
}

type Work = ReturnType<typeof createWork>;

/** What Slack reaches: the receiver, and the Bolt app behind it with its listeners. */
function createInlets(
  config: Config,
  options: AppOptions,
  parts: Ground & Work & { refusals: Refusals },
) {
  const { clock, random, logger, acknowledge, network } = options;
  const { slack } = config;
  const { throttle, catchUps, workspace } = parts;
  const onReconnect = () => {
    parts.eventsBegin();
    catchUps.runSoon();
  };
  const common = { slackApiUrl: slack.apiUrl, clock, random, logger, fetch: network.slack };
  const inlet = createReceiver({
    ...slack,
    ...common,
    onReconnect,
    onRefused: parts.refusals.count,
  });
  const mustRedeliver = (error: unknown) => error instanceof LedgerError;
  const { identity } = workspace;
  const bolt = createBoltApp({ ...slack, ...common, inlet, identity, acknowledge, mustRedeliver });
  const backgrounds = createBackgrounds(logger);
  // Others may be at work too: what they change in a folder is not in this instance's copies.
  const alone = config.redisUrl === null;
  const isBusy = () => throttle.state().waiting.bulk > 0;
  const context: ListenerContext = {
    ...parts,
    clock,
    random,
    logger,
    backfill: parts.backfills,
    turns: createTurns(config, clock),
    isBusy,
    copyAgeMs: () => (alone && isBusy() ? COPY_AGE_MS : 0),
    inBackground: backgrounds.add,
  };
  for (const listen of [listenForEvents, listenForCommands, listenForActions])
    listen(bolt, context);
  return { inlet, bolt, backgrounds };
}

function createTurns({ files: { rateLimit } }: Config, clock: Clock): PersonalShares {
  const most = Math.ceil(rateLimit.requests * TURNS_SHARE);
  return createPersonalShares({ clock, most: () => most, windowMs: rateLimit.windowMs });
}

type Inlets = ReturnType<typeof createInlets>;

type Running = Ground & Work & Inlets & { server: Listening; refusals: Refusals };

// The teller last, so that it can tell of what is filed meanwhile.
function toClose(parts: Running, { closing, graceMs }: { closing: Closing; graceMs: number }) {
  const { inlet, server, backgrounds, catchUps, backfills, worker, keyBreaker, teller } = parts;
  const closeInlets = async () => {
    await Promise.all([inlet.close(), server.close()]);
    await parts.refusals.close();
    await backgrounds.settled();
  };
  const stopReaders = async () => {
    const stopped = [catchUps.stop(), backfills.stop()];
    parts.stopReading();
    await Promise.all(stopped);
  };
  const stopWorker = () => worker.stop(graceMs);
  const stopTrials = () => keyBreaker.stop();
  closing.opened({ name: 'teller', close: () => teller.stop(), withinMs: MESSAGE_IN_HAND_MS });
  closing.opened(
    { name: 'readers of history', close: stopReaders, withinMs: INLETS_MS },
    { name: 'inlets', close: closeInlets, withinMs: INLETS_MS },
    { name: 'trials of the key', close: stopTrials, withinMs: ABORTED_WORK_MS },
    { name: 'worker', close: stopWorker, withinMs: graceMs + ABORTED_WORK_MS },
  );
}

function createWorker(
  context: Omit<TransferContext, 'largeFiles' | 'settleMs'>,
  { settleMs, worker }: AppOptions,
): Worker {
  const largeFiles = createSemaphore(LARGE_FILES_AT_ONCE);
  return new Worker({ ...context, largeFiles, settleMs }, worker);
}

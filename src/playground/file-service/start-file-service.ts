import { type Clock, type Random, systemRandom } from '../../base/index.ts';
import { isLoopbackHost } from '../loopback-host.ts';
import { type AccountServer, startAccountServer } from './account-server.ts';
import type { AccountStore } from './account-store.ts';
import { errorAnswer, sendAnswer } from './answer.ts';
import type { Behaviour } from './behaviour.ts';
import { type BehaviourControl, createBehaviourControl } from './behaviour-control.ts';
import type { AttachmentUse, CreateAnswer } from './call.ts';
import { defaultSeed } from './default-seed.ts';
import type { Exchange } from './exchange.ts';
import { createFaultControl, type FaultControl } from './fault-control.ts';
import { openAccount } from './open-account.ts';
import type { ProfileName } from './profiles.ts';
import { createRateWindow, type RateLimit, type RateWindow } from './rate-window.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';
import { findRoute } from './route.ts';
import type { Seed } from './seed.ts';
import { type ServeTools, serveExchange } from './serve-exchange.ts';

export interface FileServiceOptions {
  /** Holds bytes and state; a later start with the same seed continues from them. */
  dataDir: string;
  clock: Clock;
  /** Default: 0, any free port. */
  port?: number;
  /** Default: 127.0.0.1. */
  hostname?: string;
  /** The account's path, with a leading slash. Default: /acme. */
  accountPath?: string;
  /** Default: 25 requests in 10 000 ms. */
  rateLimit?: RateLimit;
  /** What the account holds when first started. Default: `defaultSeed`. */
  seed?: Seed;
  /** Hashes and counts uploads, but stores no bytes of them. Default: false. */
  discardBytes?: boolean;
  /** Default: one-or-array. */
  createAnswer?: CreateAnswer;
  /** Default: once. */
  attachmentUse?: AttachmentUse;
  /** Default: specified. */
  profile?: ProfileName;
  /** Overrides of the profile. Default: none. */
  behaviour?: Partial<Behaviour>;
  /** Decides faults with a probability. Default: `systemRandom`. */
  random?: Random;
}

/** A file service that runs in this process and enforces its interface. */
export interface FileService {
  /** The account's address, without a trailing slash. */
  readonly accountUrl: string;
  /** The rate limit's current state and its statistics. */
  readonly window: Omit<RateWindow, 'admit' | 'countRefusal'>;
  readonly faults: FaultControl;
  readonly behaviour: BehaviourControl;
  readonly store: AccountStore;
  readonly requests: RequestLog;
  /** Aborts running requests; resolves when all files are closed. Idempotent. */
  stop(): Promise<void>;
}

const DEFAULT_LIMIT: RateLimit = { requests: 25, windowMs: 10_000 };

/** Starts the service on plain HTTP; rejects if the port is taken. */
export async function startFileService(options: FileServiceOptions): Promise<FileService> {
  const { clock, dataDir, accountPath = '/acme', hostname = '127.0.0.1', port = 0 } = options;
  const { seed = defaultSeed, discardBytes = false } = options;
  const { createAnswer = 'one-or-array', attachmentUse = 'once' } = options;
  const server = await startAccountServer(hostname, port);
  const accountUrl = `${server.origin}${accountPath}`;
  const store = await openOrStop(server, () => openAccount({ dataDir, seed, clock, discardBytes }));
  const window = createRateWindow(options.rateLimit ?? DEFAULT_LIMIT, clock);
  const faults = createFaultControl(options.random ?? systemRandom);
  const behaviour = createBehaviourControl(options.profile ?? 'specified', options.behaviour);
  const requests = createRequestLog();
  const stopping = new AbortController();
  const callTools = { store, accountUrl, createAnswer, attachmentUse };
  const control = { faults, behaviour, stopping: stopping.signal };
  const tools = { clock, window, log: requests, callTools, ...control };
  server.answerWith((request, response) => serve({ request, response }, accountPath, tools));
  const stop = once(async () => {
    stopping.abort(new Error('The file service is being stopped.'));
    await server.stop();
    store.close();
  });
  return { accountUrl, window, faults, behaviour, store, requests, stop };
}

// The server starts first: if another service has the port, its data must stay untouched.
async function openOrStop<T>(server: AccountServer, open: () => T): Promise<T> {
  try {
    return open();
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function serve(
  { request, response }: Pick<Exchange, 'request' | 'response'>,
  accountPath: string,
  tools: ServeTools,
): Promise<void> {
  const { headers, method = '' } = request;
  if (!isLoopbackHost(headers.host))
    return sendAnswer(response, errorAnswer(403, 'This service is for its own machine alone.'));
  const path = (request.url ?? '').replace(/\?.*$/s, '');
  if (!path.startsWith(`${accountPath}/`)) {
    return sendAnswer(response, errorAnswer(404, 'There is no such account.'));
  }
  const apiKey = headers['x-api-key'];
  const person = typeof apiKey === 'string' ? tools.callTools.store.personByKey(apiKey) : null;
  const route = findRoute(method, path.slice(accountPath.length));
  const at = tools.clock.now();
  return serveExchange({ request, response, at, method, path, route, person }, tools);
}

function once(stop: () => Promise<void>): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= stop();
    return stopped;
  };
}

import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, type Random, systemRandom } from '../../base/index.ts';
import { isLoopbackHost } from '../own-origin.ts';
import type { AccountStore } from './account-store.ts';
import {
  type Behaviour,
  type BehaviourControl,
  createBehaviourControl,
  type ProfileName,
} from './behaviour.ts';
import { defaultSeed } from './default-seed.ts';
import { createFaultControl, type FaultControl } from './faults.ts';
import { handleRequest } from './handle-request.ts';
import { openAccount } from './open-account.ts';
import { createRateWindow, type RateLimit, type RateWindow } from './rate-window.ts';
import type { AttachmentUse, CreateAnswer } from './request-context.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';
import { errorResponse, sendResponse } from './responses.ts';
import type { Seed } from './seed.ts';

export interface FileServiceOptions {
  /** Holds bytes and state; a later start with the same seed continues from them. */
  dataDir: string;
  clock: Clock;
  /** Default: 0, any free port. */
  port?: number;
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
  readonly requests: Omit<RequestLog, 'add'>;
  /** Aborts running requests; resolves when all files are closed. Idempotent. */
  stop(): Promise<void>;
}

const DEFAULT_LIMIT: RateLimit = { requests: 25, windowMs: 10_000 };

/** Starts the service on plain HTTP; rejects if the port is taken. */
export async function startFileService(options: FileServiceOptions): Promise<FileService> {
  const { clock, dataDir, port = 0, seed = defaultSeed } = options;
  const { createAnswer = 'one-or-array', attachmentUse = 'once', discardBytes = false } = options;
  // Node's defaults are too short for long uploads and for callers that reuse idle connections.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 75_000 });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const accountUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/acme`;
  // Opened only now: if another service has the port, its data must stay untouched.
  const store = openOrClose(server, () => openAccount({ dataDir, seed, clock, discardBytes }));
  const window = createRateWindow(options.rateLimit ?? DEFAULT_LIMIT, clock);
  const faults = createFaultControl(options.random ?? systemRandom);
  const behaviour = createBehaviourControl(options.profile ?? 'specified', options.behaviour);
  const requests = createRequestLog();
  const stopping = new AbortController();
  const account = { store, accountUrl, createAnswer, attachmentUse };
  const service = { clock, window, faults, behaviour, requests, account };
  const running = new Set<Promise<void>>();
  const handle: RequestListener = (request, response) => {
    const handled = isLoopbackHost(request.headers.host)
      ? handleRequest(request, response, { ...service, stopping: stopping.signal })
      : sendResponse(response, errorResponse(403, 'This service is for its own machine alone.'));
    running.add(handled);
    void handled.finally(() => running.delete(handled));
  };
  // With a listener of its own, a request that asks first is not told to go on before it is judged.
  server.on('request', handle).on('checkContinue', handle);
  async function shutDown(): Promise<void> {
    stopping.abort(new Error('The file service is being stopped.'));
    server.close();
    server.closeAllConnections();
    await Promise.allSettled(running);
    store.close();
  }
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= shutDown();
    return stopped;
  };
  return { accountUrl, window, faults, behaviour, store, requests, stop };
}

function openOrClose<T>(server: Server, open: () => T): T {
  try {
    return open();
  } catch (error) {
    server.close();
    throw error;
  }
}

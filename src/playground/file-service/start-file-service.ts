import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, type Random, systemRandom } from '../../base/index.ts';
import { type AccountStore, openAccountStore } from './account-store.ts';
import { errorAnswer, sendAnswer } from './answer.ts';
import type { CreateAnswer } from './call.ts';
import { defaultSeed } from './default-seed.ts';
import type { Exchange } from './exchange.ts';
import { createFaultControl, type FaultControl } from './fault-control.ts';
import { createRateWindow, type RateLimit, type RateWindow } from './rate-window.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';
import { findRoute } from './route.ts';
import type { Seed } from './seed.ts';
import { type ServeTools, serveExchange } from './serve-exchange.ts';

export interface FileServiceOptions {
  /** Bytes and state are kept here; a later start with the same seed goes on from there. */
  dataDir: string;
  clock: Clock;
  /** Default: 0, any that is free. */
  port?: number;
  /** Default: 127.0.0.1. */
  hostname?: string;
  /** Where the account is mounted; begins with a slash. Default: /acme. */
  accountPath?: string;
  /** Default: 25 requests in 10 000 ms. */
  rateLimit?: RateLimit;
  /** What the account holds at first. Default: `defaultSeed`. */
  seed?: Seed;
  /** Hashes and counts uploads, keeps no bytes of them. Default: false. */
  discardBytes?: boolean;
  /** Default: one-or-array. */
  createAnswer?: CreateAnswer;
  /** For faults with a probability. Default: the machine's. */
  random?: Random;
}

/** A file service that runs in this process and enforces its interface. */
export interface FileService {
  /** The account's address, without a slash at its end. */
  readonly accountUrl: string;
  /** The rate limit: where it stands, and what it has seen. */
  readonly window: Omit<RateWindow, 'admit' | 'countRefusal'>;
  readonly faults: FaultControl;
  readonly store: AccountStore;
  readonly requests: RequestLog;
  /** Breaks off what is under way, and returns when all files are closed. */
  stop(): Promise<void>;
}

const DEFAULT_LIMIT: RateLimit = { requests: 25, windowMs: 10_000 };

/** Starts the service on plain HTTP; rejects when the port is taken. */
export async function startFileService(options: FileServiceOptions): Promise<FileService> {
  const { clock, dataDir, accountPath = '/acme', hostname = '127.0.0.1', port = 0 } = options;
  const { seed = defaultSeed, discardBytes = false, createAnswer = 'one-or-array' } = options;
  const store = openAccountStore({ dataDir, seed, clock, discardBytes });
  // An upload may take longer, and a caller's connection rest longer, than Node allows by default.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 75_000 });
  await listen(server, port, hostname).catch((error) => {
    store.close();
    throw error;
  });
  const accountUrl = `${originOf(server)}${accountPath}`;
  const window = createRateWindow(options.rateLimit ?? DEFAULT_LIMIT, clock);
  const faults = createFaultControl(options.random ?? systemRandom);
  const requests = createRequestLog();
  const stopping = new AbortController();
  const callTools = { store, accountUrl, createAnswer };
  const { signal } = stopping;
  const tools = { clock, window, faults, log: requests, callTools, stopping: signal };
  const idle = answerRequests(server, accountPath, tools);
  const stop = async () => {
    stopping.abort(new Error('The file service is being stopped.'));
    server.close();
    server.closeAllConnections();
    await idle();
    store.close();
  };
  return { accountUrl, window, faults, store, requests, stop };
}

async function listen(server: Server, port: number, hostname: string): Promise<void> {
  server.listen(port, hostname);
  await once(server, 'listening');
}

function originOf(server: Server): string {
  const address = server.address() as AddressInfo;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

/** Answers the server's requests; returns what waits for those under way. */
function answerRequests(
  server: Server,
  accountPath: string,
  tools: ServeTools,
): () => Promise<unknown> {
  const underWay = new Set<Promise<void>>();
  server.on('request', (request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/s, '');
    const served = path.startsWith(`${accountPath}/`)
      ? serveExchange(exchangeOf(request, response, { path, accountPath, tools }), tools)
      : sendAnswer(response, errorAnswer(404, 'There is no such account.'));
    underWay.add(served);
    served.finally(() => underWay.delete(served));
  });
  return () => Promise.allSettled(underWay);
}

function exchangeOf(
  request: IncomingMessage,
  response: ServerResponse,
  { path, accountPath, tools }: { path: string; accountPath: string; tools: ServeTools },
): Exchange {
  const { headers, method = '' } = request;
  const apiKey = headers['x-api-key'];
  const person = typeof apiKey === 'string' ? tools.callTools.store.personByKey(apiKey) : null;
  const route = findRoute(method, path.slice(accountPath.length));
  return { request, response, at: tools.clock.now(), method, path, route, person };
}

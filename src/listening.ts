import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, PigeonholeError, type PortListener } from './base/index.ts';
import { boundConnections } from './bound-connections.ts';

/** How long a request may take to come in whole and be answered, once the server closes. */
const PATIENCE_MS = 5_000;

export interface ListenLimits {
  /** How long a request may take to come in whole, from its first byte or the connection's start. */
  requestMs: number;
  /** How often that is looked at, in milliseconds. */
  lookEveryMs: number;
  /** The most connections that are open at once. */
  connections: number;
}

/** Slack's requests come in whole within milliseconds, over few connections. */
export const LISTEN_LIMITS: ListenLimits = {
  requestMs: 10_000,
  lookEveryMs: 1_000,
  connections: 512,
};

const OF_THE_HOST = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAFNOSUPPORT'];

interface Place {
  /** 0 is any that is free. */
  port: number;
  /** The address to listen on; null: every one that the machine has. */
  host: string | null;
}

export interface ListenOptions extends Place {
  listener: PortListener;
  clock: Clock;
  /** Told why a request or a connection was refused, in a few words. */
  onRefused?: (why: string) => void;
  /** Default: LISTEN_LIMITS. */
  limits?: ListenLimits;
}

/** The process's HTTP server. */
export interface Listening {
  port: number;
  /**
   * Takes no more connections, and resolves when the open ones are answered: after five seconds
   * those that are not are cut, as who sends half a request could keep the process for ever.
   */
  close(): Promise<void>;
}

/** Listens on a port; CONFIG_INVALID when that cannot be had. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { port, host, clock } = options;
  const server = createBoundServer(options);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(portProblem({ port, host }, error)));
    server.listen({ port, ...(host === null ? {} : { host }) }, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server, clock) };
}

function createBoundServer(options: ListenOptions): Server {
  const { listener, onRefused = () => undefined, limits = LISTEN_LIMITS } = options;
  const { requestMs, lookEveryMs, connections } = limits;
  const times = {
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: lookEveryMs,
  };
  const server = createServer(times);
  boundConnections(server, { most: connections, listener, onClosed: onRefused });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A connection that was opened in advance, and never used, asked for nothing.
    const isUnused = 'bytesRead' in socket && socket.bytesRead === 0;
    const problem = isUnused ? null : problemOf(error.code ?? '');
    if (problem) onRefused(problem.why);
    refuse(socket, problem);
  });
  return server;
}

/** What is wrong with a request by the code of Node's error; null: its connection broke off. */
function problemOf(code: string): { status: string; why: string } | null {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: '408 Request Timeout', why: 'too slow' };
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: '431 Request Header Fields Too Large', why: 'too large' };
  return code.startsWith('HPE_') ? { status: '400 Bad Request', why: 'malformed' } : null;
}

// With a listener for these errors Node closes nothing by itself.
function refuse(socket: Duplex, problem: { status: string } | null): void {
  if (problem && socket.writable)
    socket.write(`HTTP/1.1 ${problem.status}\r\nConnection: close\r\n\r\n`);
  socket.destroy();
}

function portProblem({ port, host }: Place, error: Error): PigeonholeError {
  const ofHost = 'code' in error && OF_THE_HOST.includes(String(error.code));
  const message = ofHost
    ? `HOST ${host} cannot be used: ${error.message}; set an address of this machine`
    : `PORT ${port} cannot be used: ${error.message}; stop what uses it, or set another`;
  return new PigeonholeError('CONFIG_INVALID', message, { cause: error });
}

// A connection that was busy at the close would else be kept alive for seconds after its answer.
async function close(server: Server, clock: Clock): Promise<void> {
  const closed = new AbortController();
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  clock.sleep(PATIENCE_MS, closed.signal).then(
    () => server.closeAllConnections(),
    () => undefined,
  );
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
  closed.abort(new Error('closed'));
}

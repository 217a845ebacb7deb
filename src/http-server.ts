import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, inTime, type Logger, PigeonholeError } from './base/index.ts';
import type { PortListener } from './slack/index.ts';

/** Slack's requests come in whole within milliseconds, over few connections. */
export const SERVER_LIMITS = {
  /** How long a request may take to come in whole, from its first byte or the connection's start. */
  requestMs: 10_000,
  /** How often that is checked, in milliseconds. */
  lookEveryMs: 1_000,
  /** The most connections that are open at once. */
  connections: 512,
};

interface ServerOptions {
  /** 0 is any that is free. */
  port: number;
  /** The address to listen on; null: every one that the machine has. */
  host: string | null;
  listener: PortListener;
  clock: Clock;
  /** Called with why a request or a connection was refused, in a few words. */
  onRefused?: (why: string) => void;
  /** Default: SERVER_LIMITS. */
  limits?: typeof SERVER_LIMITS;
}

/** The process's HTTP server: listens on a port; CONFIG_INVALID when that cannot be had. */
export async function listen(options: ServerOptions) {
  const { port, host, clock } = options;
  const { server, open } = createBoundServer(options);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(portProblem(options, error)));
    server.listen({ port, ...(host === null ? {} : { host }) }, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server, open, clock) };
}

const OF_THE_HOST = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAFNOSUPPORT'];

function portProblem({ port, host }: ServerOptions, error: Error): PigeonholeError {
  const ofHost = 'code' in error && OF_THE_HOST.includes(String(error.code));
  const message = ofHost
    ? `HOST ${host} cannot be used: ${error.message}; set an address of this machine`
    : `PORT ${port} cannot be used: ${error.message}; stop what uses it, or set another`;
  return new PigeonholeError('CONFIG_INVALID', message, { cause: error });
}

function createBoundServer(options: ServerOptions) {
  const { onRefused = () => undefined, limits = SERVER_LIMITS } = options;
  const server = createServer({
    requestTimeout: limits.requestMs,
    headersTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.lookEveryMs,
  });
  const open = boundConnections(server, { ...options, onRefused, limits });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const problem = isUnused(socket) ? null : problemOf(error.code ?? '');
    if (problem) onRefused(problem.why);
    // With a listener for these errors Node closes nothing by itself.
    if (problem && socket.writable)
      socket.write(`HTTP/1.1 ${problem.status}\r\nConnection: close\r\n\r\n`);
    socket.destroy();
  });
  return { server, open };
}

// A connection that was opened in advance, and never used, asked for nothing.
function isUnused(socket: Duplex): boolean {
  return 'bytesRead' in socket && socket.bytesRead === 0;
}

/** What is wrong with a request by the code of Node's error; null: its connection broke off. */
function problemOf(code: string): { status: string; why: string } | null {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: '408 Request Timeout', why: 'too slow' };
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: '431 Request Header Fields Too Large', why: 'too large' };
  return code.startsWith('HPE_') ? { status: '400 Bad Request', why: 'malformed' } : null;
}

// Hands requests to the listener, one of a connection at a time, and bounds the open connections. A
// new one is let in at the cost of the one that has waited the longest: idle, with half a request, or
// with an answer that it does not take. So quick clients get through however many are slow, and
// Slack's are left to be answered. Only when all are Slack's is the new one closed.
function boundConnections(
  server: Server,
  { listener, onRefused, limits }: Required<ServerOptions>,
): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  /** Those that have asked for nothing that is Slack's; the one that has waited the longest is first. */
  const waiting = new Set<Socket>();
  const asking = new WeakSet<Socket>();
  const forget = (socket: Socket) => {
    open.delete(socket);
    waiting.delete(socket);
  };
  server.on('connection', (socket: Socket) => {
    parseInSlices(socket);
    open.add(socket);
    waiting.add(socket);
    socket.once('close', () => forget(socket));
    if (open.size <= limits.connections) return;
    const [longest = socket] = waiting;
    forget(longest);
    longest.destroy();
    onRefused('too many connections');
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    // Thousands fit into a few kilobytes, and each would wait in memory for those before it.
    if (asking.has(socket)) {
      socket.destroy();
      return onRefused('asked before it was answered');
    }
    asking.add(socket);
    response.once('close', () => {
      asking.delete(socket);
      waiting.delete(socket);
      if (open.has(socket)) waiting.add(socket);
    });
    listener(request, response, () => waiting.delete(socket));
  });
  return open;
}

/** Bytes that are parsed before the connection is checked again for being wanted: a few requests. */
const SLICE = 4_096;

// Makes a connection stop being parsed where it is destroyed. Node parses all of what came at once:
// 64 KiB may hold thousands of requests, with objects for each, and closing the connection at the
// second would spare none of them.
function parseInSlices(socket: Socket): void {
  const [parse] = socket.listeners('data');
  if (!parse) return;
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length && !socket.destroyed; at += SLICE)
      parse.call(socket, chunk.subarray(at, at + SLICE));
  });
}

/** How long a request may take to come in whole and be answered, once the server closes. */
const PATIENCE_MS = 5_000;
/** How often connections that have become idle are closed meanwhile, in milliseconds. */
const SWEEP_EVERY_MS = 50;

// Takes no more connections, and resolves when the open ones are answered: those that are not in time
// are cut, as somebody who sends half a request could keep the process from ending. One that was busy
// at the close would else be kept alive for seconds after its answer, and one that was opened in
// advance is not idle for Node before its first request.
async function close(server: Server, open: ReadonlySet<Socket>, clock: Clock): Promise<void> {
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    for (const socket of open) if (isUnused(socket)) socket.destroy();
  }, SWEEP_EVERY_MS);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await inTime(closed, { clock, ms: PATIENCE_MS, late: undefined });
  server.closeAllConnections();
  await closed;
  clearInterval(sweep);
}

/** The shortest time between two lines of refused requests, in milliseconds. */
const EVERY_MS = 60_000;

/**
 * Refused requests, logged as counts: a flood of requests does not flood the log. The first is logged at
 * once, what follows with its count once a minute.
 */
export function createRefusalLog({ clock, logger }: { clock: Clock; logger: Logger }) {
  const closed = new AbortController();
  let counts: Record<string, number> = {};
  let logging: Promise<void> | null = null;

  const log = () => {
    const requests = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (requests === 0) return false;
    logger.warn({ requests, why: counts }, 'Requests to the port were refused');
    counts = {};
    return true;
  };
  const keepLogging = async () => {
    while (log()) await clock.sleep(EVERY_MS, closed.signal).catch(() => undefined);
    logging = null;
  };

  return {
    /** Counts one, with why it was refused in a few words. */
    count: (why: string): void => {
      counts[why] = (counts[why] ?? 0) + 1;
      logging ??= keepLogging();
    },
    /** Logs what is still to be logged, and no more. */
    close: async (): Promise<void> => {
      closed.abort(new Error('closed'));
      await logging;
    },
  };
}

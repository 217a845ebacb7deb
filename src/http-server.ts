import { createServer, IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type Clock,
  codeIn,
  collect,
  inTime,
  PigeonholeError,
  type Runtime,
} from './base/index.ts';
import type { PortListener } from './slack/index.ts';

/** Ample for Slack, whose requests arrive whole within milliseconds, over few connections. */
export const SERVER_LIMITS = {
  /** How long a request may take to arrive whole, from its first byte or the connection's start. */
  requestMs: 10_000,
  /** How often that is checked, in milliseconds. */
  lookEveryMs: 1_000,
  /** The most connections that are open at once. */
  connections: 256,
  /**
   * How long an idle connection stays open, in milliseconds. Longer than routers in front reuse one
   * (Heroku: 90 s): a request sent just as it closes would be lost.
   */
  idleMs: 95_000,
};

interface ServerOptions {
  /** 0: any free port. */
  port: number;
  /** The address to listen on; null: all of the machine's addresses. */
  host: string | null;
  listener: PortListener;
  clock: Clock;
  /** Called with why a request or a connection was refused, in a few words. */
  onRefused?: (why: string) => void;
  /** Default: SERVER_LIMITS. */
  limits?: typeof SERVER_LIMITS;
}

/**
 * Returns a listener that passes GET requests, which Slack never sends, to `probes`, and others to
 * `slack`; all to `probes` if that is null.
 */
export function listenerFor(slack: PortListener | null, probes: PortListener): PortListener {
  return (request, ...rest) =>
    request.method === 'GET' || request.method === 'HEAD' || !slack
      ? probes(request, ...rest)
      : slack(request, ...rest);
}

/** Starts the process's HTTP server. Rejects with CONFIG_INVALID when it cannot use the port. */
export async function listen(options: ServerOptions) {
  const { port, host, clock, onRefused = () => undefined, limits = SERVER_LIMITS } = options;
  const responses: OpenResponses = new WeakMap();
  const server = createServer({
    IncomingMessage: oneAtATime(responses),
    requestTimeout: limits.requestMs,
    headersTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.lookEveryMs,
    keepAliveTimeout: limits.idleMs,
  });
  const open = boundConnections(server, { ...options, onRefused, limits, responses });
  server.on('clientError', (error: ClientError, socket: Socket) => {
    collect(error.rawPacket?.length ?? 0);
    const problem = isUnused(socket) ? null : problemOf(error.code ?? '');
    if (problem) onRefused(problem.why);
    // Node does not close the socket if these errors have a listener.
    if (problem && socket.writable && !responses.get(socket)?.headersSent)
      socket.write(`HTTP/1.1 ${problem.status}\r\nConnection: close\r\n\r\n`);
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    // Stays: once the port is open, an error is about one connection, and must not end the process.
    server.on('error', (error) => {
      if (server.listening) onRefused(`not accepted (${codeIn(error)})`);
      else reject(portProblem(options, error));
    });
    server.listen({ port, ...(host === null ? {} : { host }) }, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server, open, clock) };
}

const OF_THE_HOST = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAFNOSUPPORT'];

function portProblem({ port, host }: ServerOptions, error: Error): PigeonholeError {
  const code = codeIn(error) || error.message;
  const message = OF_THE_HOST.includes(code)
    ? `HOST ${host} cannot be used. Set an address of this machine (${code}).`
    : code === 'EADDRINUSE'
      ? `PORT ${port} is in use. Stop what uses it, or set another (${code}).`
      : `PORT ${port} cannot be used. Set another (${code}).`;
  return new PigeonholeError('CONFIG_INVALID', message, { cause: error });
}

/** An error of a connection, with Node's copy of the bytes that it could not parse. */
interface ClientError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
}

// True for a connection that was opened in advance and has sent nothing.
function isUnused(socket: Duplex): boolean {
  return 'bytesRead' in socket && socket.bytesRead === 0;
}

/** Returns what is wrong with a request by Node's error code; null: its connection broke off. */
function problemOf(code: string): { status: string; why: string } | null {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: '408 Request Timeout', why: 'too slow' };
  if (code === 'HPE_HEADER_OVERFLOW')
    return { status: '431 Request Header Fields Too Large', why: 'too large' };
  return code.startsWith('HPE_') ? { status: '400 Bad Request', why: 'malformed' } : null;
}

/**
 * The response that a connection waits for; null from when its request's head is parsed until Node
 * hands that on.
 */
type OpenResponses = WeakMap<Socket, ServerResponse | null>;

// Returns a request class that stops Node's parser at a second request before the first response.
// Node parses the bytes that it has read as a whole: 64 KiB may hold thousands of requests, and it
// would create some objects for each, even if the first one closed the connection. It parses no
// further after a request for another protocol (CONNECT, or an upgrade).
function oneAtATime(responses: OpenResponses): typeof IncomingMessage {
  return class extends IncomingMessage {
    readonly #isEarly: boolean;

    constructor(socket: Socket) {
      super(socket);
      this.#isEarly = responses.has(socket);
      if (!this.#isEarly) responses.set(socket, null);
    }

    /** Whether the connection is to leave HTTP. */
    get upgrade(): boolean {
      return this.#isEarly || this.method === 'CONNECT';
    }

    // Node sets it for a client that offers another protocol, which it may go on without.
    set upgrade(_offered: boolean) {}
  };
}

interface BoundOptions extends Required<ServerOptions> {
  responses: OpenResponses;
}

// Passes requests to the listener, one at a time per connection, and bounds the open connections.
// At the limit, a new one replaces the one that has waited longest: idle, with half a request, or
// with a response that its client does not read. So fast clients get through however many are slow,
// and requests from Slack are not cut off. Only when all connections hold one, the new is closed.
function boundConnections(
  server: Server,
  { listener, onRefused, limits, responses }: BoundOptions,
): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  /** Connections without an open request from Slack; the one that has waited longest is first. */
  const waiting = new Set<Socket>();
  const forget = (socket: Socket) => {
    open.delete(socket);
    waiting.delete(socket);
  };
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    waiting.add(socket);
    socket.once('close', () => forget(socket));
    if (open.size <= limits.connections) return;
    const [longest = socket] = waiting;
    forget(longest);
    longest.destroy();
    onRefused('too many connections');
  });
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    responses.set(socket, response);
    response.once('close', () => {
      responses.delete(socket);
      waiting.delete(socket);
      if (open.has(socket)) waiting.add(socket);
      // A server that closes waits for its connections, which keep-alive would hold open.
      if (!server.listening) socket.destroySoon();
    });
    listener(request, response, () => waiting.delete(socket));
  };
  server.on('request', serve);
  // Node itself would answer an unknown `Expect`, unseen here.
  server.on('checkExpectation', serve);
  server.on('upgrade', (_request, socket, unparsed) => {
    collect(unparsed.length);
    onRefused('asked before it was answered');
    socket.destroy();
  });
  return open;
}

/** How long open requests may take to be answered once the server closes, in milliseconds. */
const PATIENCE_MS = 5_000;

// Accepts no more connections, and resolves when the open ones are answered or, after PATIENCE_MS,
// cut: a client that sends half a request could keep the process from ending.
async function close(server: Server, open: ReadonlySet<Socket>, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Node does not count a connection as idle before its first request.
  for (const socket of open) if (isUnused(socket)) socket.destroy();
  await inTime(closed, { clock, ms: PATIENCE_MS, late: undefined });
  server.closeAllConnections();
  await closed;
}

/** The shortest time between two log lines about refused requests, in milliseconds. */
const EVERY_MS = 60_000;

/**
 * Returns the function that counts one refused request by its reason, in a few words. The counts are
 * logged so that a flood of requests does not flood the log: the first at once, later ones once a
 * minute, and the rest when the process stops.
 */
export function createRefusalLog(runtime: Runtime): (why: string) => void {
  const { clock, logger, stopping, inBackground } = runtime;
  let counts: Record<string, number> = {};
  let isLogging = false;

  const log = () => {
    const requests = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (requests === 0) return false;
    logger.warn({ requests, why: counts }, 'Requests to the port were refused');
    counts = {};
    return true;
  };
  const keepLogging = async () => {
    isLogging = true;
    while (log()) await clock.sleep(EVERY_MS, stopping).catch(() => undefined);
    isLogging = false;
  };

  return (why) => {
    if (stopping.aborted) return;
    counts[why] = (counts[why] ?? 0) + 1;
    if (!isLogging) inBackground(keepLogging());
  };
}

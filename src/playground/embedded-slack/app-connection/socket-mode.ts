import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { inTime, type Random } from '../../../base/index.ts';
import { isJson, type Json, objectOf, stringOf } from '../slack-types.ts';
import { APP } from '../workspace-seed.ts';
import type { AppConnectionOptions, AppRequest, Attempt } from './app-connection.ts';

const PING_EVERY_MS = 10_000;

interface SocketModeOptions extends Omit<AppConnectionOptions, 'signingSecret'> {
  random: Random;
  /** This Slack's address. */
  origin: string;
  /** Called when a connection opens or closes. */
  onConnection: () => void;
}

export type SocketModeServer = ReturnType<typeof createSocketModeServer>;

/** The callbacks of unacknowledged envelopes, by envelope ID; undefined: the connection closed. */
type Waiting = Map<string, (acknowledgement: Json | undefined) => void>;

/** Slack's end of Socket Mode (https://docs.slack.dev/apis/events-api/using-socket-mode). */
export function createSocketModeServer(options: SocketModeOptions) {
  const { random, origin, onConnection } = options;
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const sockets = new Map<WebSocket, Waiting>();
  let turn = 0;

  const accept = (socket: WebSocket) => {
    const waiting: Waiting = new Map();
    sockets.set(socket, waiting);
    socket.on('message', (data) => {
      const message = objectOf({ frame: String(data) }, 'frame');
      if (message) waiting.get(stringOf(message, 'envelope_id'))?.(message);
    });
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      sockets.delete(socket);
      onConnection();
      for (const resolve of waiting.values()) resolve(undefined);
    });
    socket.send(JSON.stringify(hello(sockets.size)));
    void keepAlive(options, socket);
    onConnection();
  };

  return {
    /** Returns the address for `apps.connections.open`, good for one connection. */
    issueAddress: (): string => {
      const ticket = random.id();
      tickets.add(ticket);
      return `${origin.replace(/^http/, 'ws')}/link/?ticket=${ticket}&app_id=${APP.id}`;
    },
    /** Accepts an upgrade request that uses such an address; returns false for any other. */
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer): boolean => {
      const [, query] = (request.url ?? '').split('?');
      const isIssued = tickets.delete(new URLSearchParams(query).get('ticket') ?? '');
      if (isIssued) server.handleUpgrade(request, socket, head, accept);
      return isIssued;
    },
    send: async (message: AppRequest): Promise<Attempt> => {
      const open = [...sockets];
      const [socket, waiting] = open[turn++ % open.length] ?? [];
      if (!socket || !waiting) return failed('connection_failed', 0);
      return sendEnvelope(options, socket, { message, waiting });
    },
    connections: () => sockets.size,
    /** Asks the app to renew all connections, as Slack does every few hours. */
    refresh: (): void => {
      const request = { type: 'disconnect', reason: 'refresh_requested', debug_info: debugInfo() };
      for (const socket of sockets.keys()) socket.send(JSON.stringify(request));
    },
    /** Breaks all connections without notice. */
    drop: (): void => {
      for (const socket of sockets.keys()) socket.terminate();
    },
  };
}

/** Sends one envelope and waits for its acknowledgement. */
async function sendEnvelope(
  { clock, random, responseTimeoutMs }: SocketModeOptions,
  socket: WebSocket,
  { message, waiting }: { message: AppRequest; waiting: Waiting },
): Promise<Attempt> {
  const startedAt = clock.now();
  const id = random.id();
  const acknowledged = new Promise<Json | undefined>((resolve) => waiting.set(id, resolve));
  socket.send(JSON.stringify(envelope(id, message)));
  const late = 'timeout' as const;
  const first = await inTime(acknowledged, { clock, ms: responseTimeoutMs, late });
  waiting.delete(id);
  const ms = clock.now() - startedAt;
  if (first === undefined) return failed('connection_failed', ms);
  if (first === late) return failed(late, ms);
  const body = isJson(first['payload']) ? first['payload'] : {};
  return { via: 'socket', status: 200, ms, body: Object.keys(body).length > 0 ? body : '' };
}

function envelope(id: string, { type, payload, retry }: AppRequest): Json {
  const isEvent = type === 'events_api';
  const retries = isEvent
    ? { retry_attempt: retry?.attempt ?? 0, retry_reason: retry?.reason ?? '' }
    : {};
  return { envelope_id: id, type, payload, accepts_response_payload: !isEvent, ...retries };
}

function failed(failure: string, ms: number): Attempt {
  return { via: 'socket', status: 0, ms, body: '', failure };
}

function hello(connections: number): Json {
  const connection_info = { app_id: APP.id };
  return { type: 'hello', num_connections: connections, debug_info: debugInfo(), connection_info };
}

function debugInfo(): Json {
  return { host: 'applink-embedded', build_number: 1, approximate_connection_time: 18_060 };
}

async function keepAlive({ clock, stopped }: SocketModeOptions, socket: WebSocket): Promise<void> {
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  const ended = AbortSignal.any([closed.signal, stopped]);
  while (!ended.aborted) {
    socket.ping();
    await clock.sleep(PING_EVERY_MS, ended).catch(() => undefined);
  }
}

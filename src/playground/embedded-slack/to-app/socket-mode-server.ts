import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { APP } from '../people.ts';
import { isJson, type Json, stringOf } from '../slack-shapes.ts';
import type { AppLine } from './app-line.ts';
import { type Acknowledge, type EnvelopeParts, sendEnvelope, unsent } from './socket-envelope.ts';

const PING_EVERY_MS = 10_000;

interface SocketModeParts extends EnvelopeParts {
  /** Called when a connection opens or closes. */
  onConnection: () => void;
}

/** Slack's end of Socket Mode (https://docs.slack.dev/apis/events-api/using-socket-mode). */
export interface SocketModeServer extends AppLine {
  /** Returns the address for `apps.connections.open`, good for one connection. */
  open(origin: string): string;
  /** Handles an upgrade request; responds 401 unless it uses such an address. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  connections(): number;
  /** Asks the app to renew all connections, as Slack does every few hours. */
  refresh(): void;
  /** Breaks all connections without notice. */
  drop(): void;
  close(): void;
}

export function createSocketModeServer(parts: SocketModeParts): SocketModeServer {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const sockets = new Map<WebSocket, Map<string, Acknowledge>>();
  let turn = 0;

  const welcome = (socket: WebSocket) => {
    const waiting = new Map<string, Acknowledge>();
    sockets.set(socket, waiting);
    socket.on('message', (data) => acknowledge(waiting, String(data)));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      sockets.delete(socket);
      parts.onConnection();
      for (const giveUp of waiting.values()) giveUp(undefined);
    });
    socket.send(JSON.stringify(hello(sockets.size)));
    keepAlive(parts, socket);
    parts.onConnection();
  };

  return {
    open: (origin) => {
      const ticket = parts.random.id();
      tickets.add(ticket);
      return `${origin.replace(/^http/, 'ws')}/link/?ticket=${ticket}&app_id=${APP.id}`;
    },
    upgrade: (request, socket, head) => {
      const ticket = new URL(request.url ?? '/', 'http://slack').searchParams.get('ticket') ?? '';
      if (!tickets.delete(ticket)) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      server.handleUpgrade(request, socket, head, welcome);
    },
    isConnected: () => sockets.size > 0,
    send: (message) => {
      const open = [...sockets];
      const [socket, waiting] = open[turn++ % open.length] ?? [];
      if (!socket || !waiting) return Promise.resolve(unsent('connection_failed', 0));
      return sendEnvelope(parts, socket, { message, waiting });
    },
    connections: () => sockets.size,
    refresh: () => {
      const farewell = { type: 'disconnect', reason: 'refresh_requested', debug_info: debugInfo() };
      for (const socket of sockets.keys()) socket.send(JSON.stringify(farewell));
    },
    drop: () => {
      for (const socket of sockets.keys()) socket.terminate();
    },
    close: () => {
      for (const socket of sockets.keys()) socket.terminate();
      server.close();
    },
  };
}

function acknowledge(waiting: Map<string, Acknowledge>, text: string): void {
  const message: unknown = JSON.parse(text);
  if (isJson(message)) waiting.get(stringOf(message, 'envelope_id'))?.(message);
}

function hello(connections: number): Json {
  const connection_info = { app_id: APP.id };
  return { type: 'hello', num_connections: connections, debug_info: debugInfo(), connection_info };
}

function debugInfo(): Json {
  return { host: 'applink-embedded', build_number: 1, approximate_connection_time: 18_060 };
}

async function keepAlive({ clock, stopped }: SocketModeParts, socket: WebSocket): Promise<void> {
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  const ended = AbortSignal.any([closed.signal, stopped]);
  while (!ended.aborted) {
    socket.ping();
    await clock.sleep(PING_EVERY_MS, ended).catch(() => undefined);
  }
}

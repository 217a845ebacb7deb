import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { PortListener } from './base/index.ts';
import { parseInSlices } from './parse-in-slices.ts';

export interface ConnectionBound {
  /** The most connections that are open at once. */
  most: number;
  listener: PortListener;
  /** Told why a connection was closed, in a few words. */
  onClosed: (why: string) => void;
}

/**
 * Hands a server's requests to a listener, one of a connection at a time, and bounds its open
 * connections. A new one is let in at the cost of the one that has waited the longest: idle, with half
 * a request, or with an answer that it does not take. So who is quick gets through however many are
 * slow, and Slack's are left to be answered. Only when all are Slack's is the new one closed.
 */
export function boundConnections(server: Server, bound: ConnectionBound): void {
  const { most, listener, onClosed } = bound;
  const open = new Set<Socket>();
  /** Those that have asked for nothing that is Slack's; who has waited the longest comes first. */
  const waiting = new Set<Socket>();
  const asking = new WeakSet<Socket>();
  server.on('connection', (socket: Socket) => {
    parseInSlices(socket);
    open.add(socket);
    waiting.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      waiting.delete(socket);
    });
    if (open.size <= most) return;
    const [longest = socket] = waiting;
    open.delete(longest);
    waiting.delete(longest);
    longest.destroy();
    onClosed('too many connections');
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (socket.destroyed) return;
    // Thousands fit into a few kilobytes, and each would wait in memory for those before it.
    if (asking.has(socket)) {
      socket.destroy();
      return onClosed('asked before it was answered');
    }
    asking.add(socket);
    response.once('close', () => {
      asking.delete(socket);
      waiting.delete(socket);
      if (open.has(socket)) waiting.add(socket);
    });
    listener(request, response, () => waiting.delete(socket));
  });
}

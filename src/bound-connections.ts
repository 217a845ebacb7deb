import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionBound {
  /** The most connections that are open at once. */
  most: number;
  /** Called for each that was closed to make room. */
  onClosed: () => void;
}

/**
 * Bounds a server's open connections. A new one is let in at the cost of the one that has waited the
 * longest, idle or with half a request, so that who is quick gets through however many are slow; one
 * whose request is whole is left to be answered. Only when all are of that kind is the new one closed.
 */
export function boundConnections(server: Server, { most, onClosed }: ConnectionBound): void {
  const open = new Set<Socket>();
  /** Those whose request is not whole; who has waited the longest comes first. */
  const waiting = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    waiting.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      waiting.delete(socket);
    });
    if (open.size <= most) return;
    const [longest = socket] = waiting;
    open.delete(longest);
    longest.destroy();
    onClosed();
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    // The rest of a refused request may come after its answer.
    request.once('end', () => response.closed || waiting.delete(socket));
    response.once('close', () => {
      if (open.has(socket)) waiting.add(socket);
    });
  });
}

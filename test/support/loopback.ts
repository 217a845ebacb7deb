import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface HttpServer {
  url: string;
  /** Closes its connections, and stops. */
  stop(): Promise<void>;
}

/**
 * Starts an HTTP server on the loopback that closes no connection by itself. `asked`: gets requests
 * that ask before they send their body; without it they are told to go on.
 */
export async function startHttpServer(
  listener: RequestListener,
  asked?: RequestListener,
): Promise<HttpServer> {
  const server = createServer({ keepAliveTimeout: 0 }, listener).listen(0, '127.0.0.1');
  if (asked) server.on('checkContinue', asked);
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns a loopback port that nothing listens on. */
export async function freePort(): Promise<number> {
  const { url, stop } = await startHttpServer(() => undefined);
  await stop();
  return Number(new URL(url).port);
}

/** A connection that a test writes to by hand, with everything received on it. */
export interface RawConnection {
  socket: Socket;
  /** Writes; resolves when the system has accepted the bytes or the connection is gone. */
  send(bytes: string | Buffer): Promise<void>;
  received(): string;
  /** Resolves when either side has closed the connection. */
  closed: Promise<void>;
}

/** Connects to a port of this machine. */
export async function openRaw(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect(port, host);
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  await once(socket, 'connect');
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => undefined);
  const send = (bytes: string | Buffer) =>
    new Promise<void>((resolve) => {
      if (socket.destroyed) return resolve();
      socket.once('close', resolve);
      socket.write(bytes, () => {
        socket.off('close', resolve);
        resolve();
      });
    });
  return { socket, send, received: () => received, closed };
}

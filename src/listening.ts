import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PigeonholeError } from './base/index.ts';

/** The process's HTTP server. */
export interface Listening {
  port: number;
  /** Takes no more connections, and resolves when the open ones are answered. */
  close(): Promise<void>;
}

/** Listens on a port; CONFIG_INVALID when that cannot be had. */
export async function listen(port: number, listener: RequestListener): Promise<Listening> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(portProblem(port, error)));
    server.listen(port, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function portProblem(port: number, error: Error): PigeonholeError {
  const message = `PORT ${port} cannot be used: ${error.message}; stop what uses it, or set another`;
  return new PigeonholeError('CONFIG_INVALID', message, { cause: error });
}

// A connection that was busy at the close would else be kept alive for seconds after its answer.
async function close(server: Server): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearInterval(sweep);
}

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, PigeonholeError } from './base/index.ts';

/** How long a request may take to come in whole and be answered, once the server closes. */
const PATIENCE_MS = 5_000;

const OF_THE_HOST = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAFNOSUPPORT'];

interface Place {
  /** 0 is any that is free. */
  port: number;
  /** The address to listen on; null: every one that the machine has. */
  host: string | null;
}

export interface ListenOptions extends Place {
  listener: RequestListener;
  clock: Clock;
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
export async function listen({ port, host, listener, clock }: ListenOptions): Promise<Listening> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(portProblem({ port, host }, error)));
    server.listen({ port, ...(host === null ? {} : { host }) }, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server, clock) };
}

function portProblem({ port, host }: Place, error: Error): PigeonholeError {
  const atFault = 'code' in error && OF_THE_HOST.includes(String(error.code)) ? 'HOST' : 'PORT';
  const advice =
    atFault === 'HOST' ? 'set an address of this machine' : 'stop what uses it, or set another';
  const message = `${atFault} ${atFault === 'HOST' ? host : port} cannot be used: ${error.message}; ${advice}`;
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

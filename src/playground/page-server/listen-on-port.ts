import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codeIn } from '../../base/index.ts';
import { StartError } from '../start-error.ts';

/** Where a page is served. */
export interface PageAddress {
  readonly address: string;
  /** The requested port if it was taken and another is used; else null. */
  readonly movedFrom: number | null;
}

/**
 * Listens on 127.0.0.1 only. Uses any free port if `port` is 0 or taken. Rejects with `StartError`
 * if the port may not be used.
 */
export async function listenOnPort(server: Server, port: number): Promise<PageAddress> {
  const movedFrom = await firstFree(server, port);
  const { port: actual } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${actual}/`, movedFrom };
}

async function firstFree(server: Server, port: number): Promise<number | null> {
  try {
    await listenOn(server, port);
    return null;
  } catch (error) {
    const code = error instanceof Error ? codeIn(error) : '';
    if (code !== 'EADDRINUSE')
      throw new StartError(`Port ${port} can’t be used (${code}). Choose another with --port.`, {
        cause: error,
      });
    await listenOn(server, 0);
    return port;
  }
}

async function listenOn(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a page is served. */
export interface PageAddress {
  readonly address: string;
  /** The port that was asked for, when it was taken, so that another is used. */
  readonly movedFrom: number | null;
}

/** Listens on 127.0.0.1 alone. A port that is taken makes it take any that is free; 0 is any. */
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
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    await listenOn(server, 0);
    return port;
  }
}

async function listenOn(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

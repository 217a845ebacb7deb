import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Registers something to run when a test is over; each of several concurrent tests has its own. */
export type AtEnd = (stop: () => void | Promise<void>) => void;

/** Starts an HTTP server on the loopback that stops with the test; resolves with its origin. */
export async function startServer(
  listener: RequestListener,
  atEnd: AtEnd = onTestFinished,
): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

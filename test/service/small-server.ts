import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SmallServer {
  url: string;
  stop(): Promise<void>;
}

/** Starts a local server that answers as the test says and closes no connection by itself. */
export async function startSmallServer(listener: RequestListener): Promise<SmallServer> {
  const server = createServer({ keepAliveTimeout: 0 }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves one request; settles when it is done. */
type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface AccountServer {
  /** `http://host:port`. */
  readonly origin: string;
  /** Passes each request to `serve`. Must be called once, right after the start. */
  answerWith(serve: Serve): void;
  /** Closes all connections; resolves when no request is being served. */
  stop(): Promise<void>;
}

/** Listens on plain HTTP; port 0 is any free port. Rejects if the port is taken. */
export async function startAccountServer(hostname: string, port: number): Promise<AccountServer> {
  // Node's defaults are too short for long uploads and for callers that reuse idle connections.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 75_000 });
  const underWay = new Set<Promise<void>>();
  server.listen(port, hostname);
  await once(server, 'listening');
  return {
    origin: originOf(server),
    answerWith: (serve) => {
      server.on('request', (request, response) => {
        const served = serve(request, response);
        underWay.add(served);
        served.finally(() => underWay.delete(served));
      });
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await Promise.allSettled(underWay);
    },
  };
}

function originOf(server: Server): string {
  const address = server.address() as AddressInfo;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

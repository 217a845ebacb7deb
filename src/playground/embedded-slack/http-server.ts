import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isOwnOrigin } from '../own-origin.ts';
import type { SocketModeServer } from './app-connection/socket-mode.ts';
import { type Downloads, sendSignInPage } from './files/downloads.ts';
import type { ResponseUrls } from './interactions/response-urls.ts';
import { isJson } from './slack-types.ts';
import type { WebApi } from './web-api/web-api.ts';

/** The handlers of the server's paths. */
interface Handlers {
  webApi: WebApi;
  responseUrls: ResponseUrls;
  socketMode: SocketModeServer;
  downloads: Downloads;
  /** Stores the bytes of a file that the app uploads. */
  receiveUpload(request: IncomingMessage, response: ServerResponse, id: string): Promise<void>;
}

/** The HTTP server that the app calls, on the loopback interface. */
interface HttpServer {
  origin: string;
  /** Sets the handlers, which need to know the address. */
  handle(handlers: Handlers): void;
  close(): Promise<void>;
}

/** Listens on the port; 0 picks a free one. */
export async function startHttpServer(port: number): Promise<HttpServer> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    handle: (handlers) => {
      server.on('request', (request, response) => {
        route(handlers, request, response).catch(() => {
          if (response.headersSent) response.destroy();
          else response.writeHead(500).end();
        });
      });
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        // A caller that disconnects before the response is not an error of this Slack.
        socket.on('error', () => socket.destroy());
        if (!isOwnOrigin(request.headers)) refuseUpgrade(socket, '403 Forbidden');
        else if (!handlers.socketMode.upgrade(request, socket, head))
          refuseUpgrade(socket, '401 Unauthorized');
      });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function route(
  handlers: Handlers,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isOwnOrigin(request.headers)) return void response.writeHead(403).end();
  const [path = ''] = (request.url ?? '').split('?');
  const [, area, name = '', id = ''] = path.split('/');
  if (area === 'api') return handlers.webApi.serve(request, response, name);
  if (area === 'upload') return handlers.receiveUpload(request, response, id);
  if (area === 'response') {
    const body: unknown = JSON.parse(await text(request));
    const result = await handlers.responseUrls.respond(name, isJson(body) ? body : {});
    return void response
      .writeHead(result.status, { 'content-type': 'text/plain' })
      .end(result.text);
  }
  if (await handlers.downloads.serve(request, response)) return;
  if (path === '/') return sendSignInPage(response);
  response.writeHead(404).end();
}

// Also ends the caller's side, because `close` waits for every connection that is open.
function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\n\r\n`, () => socket.destroy());
}

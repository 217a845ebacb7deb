import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { signInPage } from './files/downloads.ts';
import type { ResponseUrls } from './interactions/response-urls.ts';
import { isFromNoPage } from './is-from-no-page.ts';
import { isJson } from './slack-shapes.ts';
import type { SocketModeServer } from './to-app/socket-mode-server.ts';
import type { Uploads } from './web-api/uploads.ts';
import type { WebApi } from './web-api/web-api.ts';

/** The handlers of the front server's paths. */
interface FrontParts {
  webApi: WebApi;
  uploads: Uploads;
  responseUrls: ResponseUrls;
  socketMode: SocketModeServer;
  serveFile: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

/** An HTTP server on the loopback interface; `serve` adds its handlers once they exist. */
export interface FrontServer {
  origin: string;
  serve(parts: FrontParts): void;
  close(): Promise<void>;
}

/** Listens at once, because the handlers need to know the address. Port 0 picks a free port. */
export async function openFrontServer(port: number): Promise<FrontServer> {
  const server = createServer();
  await listening(server, port);
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  return {
    origin: `http://127.0.0.1:${actual}`,
    serve: (parts) => {
      server.on('request', (request, response) => {
        route(parts, request, response).catch(() => fail(response));
      });
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
        isFromNoPage(request)
          ? parts.socketMode.upgrade(request, socket, head)
          : socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'),
      );
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function route(
  parts: FrontParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isFromNoPage(request)) return void response.writeHead(403).end();
  const [path = ''] = (request.url ?? '').split('?');
  const [, room, name = '', id = ''] = path.split('/');
  if (room === 'api') return parts.webApi.serve(request, response, name);
  if (room === 'response') return respond(parts, request, { response, id: name });
  if (room === 'upload') return parts.uploads.receive(request, response, id);
  if (await parts.serveFile(request, response)) return;
  if (path === '/') return signInPage(response);
  response.writeHead(404).end();
}

async function respond(
  { responseUrls }: FrontParts,
  request: IncomingMessage,
  { response, id }: { response: ServerResponse; id: string },
): Promise<void> {
  const body: unknown = JSON.parse(await text(request));
  const outcome = await responseUrls.respond(id, isJson(body) ? body : {});
  response.writeHead(outcome.status, { 'content-type': 'text/plain' }).end(outcome.text);
}

function fail(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500).end();
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codeIn } from '../../base/index.ts';
import { ElementGone } from '../embedded-slack/index.ts';
import { PlaygroundError } from '../errors.ts';
import { isOwnOrigin } from '../own-origin.ts';

/** Thrown to refuse a request of the page; `message` is shown to the visitor. */
export class HttpError extends Error {
  override name = 'HttpError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Where a page is served. */
export interface PageAddress {
  readonly address: string;
  /** The requested port if it was taken and another is used; else null. */
  readonly movedFrom: number | null;
}

interface LocalServer {
  page: PageAddress;
  /** Ends all connections, also those that are still in use. */
  close(): void;
}

/**
 * Starts a server on 127.0.0.1 for a page and its own requests: it refuses requests from other
 * origins with 403, and responds to an error of `handler` with its reason. Uses any free port if
 * `port` is 0 or taken.
 */
export async function startLocalServer(handler: Handler, port: number): Promise<LocalServer> {
  const server = createServer((request, response) => void respond(handler, request, response));
  const page = await listenOnPort(server, port);
  return {
    page,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Listens on 127.0.0.1 only. Uses any free port if `port` is 0 or taken. Rejects with
 * `PlaygroundError` if the port may not be used.
 */
export async function listenOnPort(server: Server, port: number): Promise<PageAddress> {
  let movedFrom: number | null = null;
  try {
    await listen(server, port);
  } catch (error) {
    const code = error instanceof Error ? codeIn(error) : '';
    if (code !== 'EADDRINUSE')
      throw new PlaygroundError(
        `Port ${port} can’t be used (${code}). Choose another with --port.`,
        { cause: error },
      );
    await listen(server, 0);
    movedFrom = port;
  }
  const { port: actual } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${actual}/`, movedFrom };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

async function respond(
  handler: Handler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  try {
    if (!isFromOwnPage(request))
      throw new HttpError(403, 'Only the playground’s own page may ask.');
    await handler(request, response);
  } catch (error) {
    // An error after the headers can only be shown by ending the connection.
    if (response.headersSent) return void response.destroy();
    const { status, message } = httpErrorFor(error);
    sendJson(response, status, { error: message });
  }
}

/** Sent with every response: the page loads only its own files, and no site may frame it. */
const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** Whether a request comes from the playground's own page, or is a GET from outside a browser. */
export function isFromOwnPage({
  headers,
  method,
}: Pick<IncomingMessage, 'headers' | 'method'>): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  // Another site may link to the page, but may not embed or read it.
  const isLink = isRead && headers['sec-fetch-mode'] === 'navigate';
  const isOwn = isOwnOrigin(isLink ? { ...headers, 'sec-fetch-site': 'none' } : headers);
  return isOwn && (isRead || headers.origin !== undefined);
}

function httpErrorFor(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof ElementGone) return new HttpError(409, CHANGED);
  const why = error instanceof Error ? error.message : String(error);
  return new HttpError(500, `Something went wrong in the playground: ${why}`);
}

const CHANGED = 'This has changed meanwhile, so nothing was done. Look at it again.';

/** Responds with JSON that may not be cached. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

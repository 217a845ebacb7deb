import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type RequestListener, Server } from 'node:http';

const LISTENING = 'tracing:net.server.listen:asyncStart';

/**
 * Opens something that listens on a port and keeps its server to itself, and lets in only requests
 * whose `header` is `secret`. The emulator takes any token from any web page, which nobody can
 * switch off.
 */
export async function openGuarded<T extends { url: string }>(
  open: () => Promise<T>,
  { header, secret }: { header: string; secret: string },
): Promise<T> {
  const servers: Server[] = [];
  const note = (message: unknown) => {
    const server = serverIn(message);
    if (server) servers.push(server);
  };
  subscribe(LISTENING, note);
  try {
    const opened = await open();
    const server = servers.find((one) => portOf(one) === Number(new URL(opened.url).port));
    if (!server) throw new Error(`The server of ${opened.url} cannot be guarded`);
    guard(server, (headers) => headers[header] === secret);
    return opened;
  } finally {
    unsubscribe(LISTENING, note);
  }
}

function guard(
  server: Server,
  isOurs: (headers: Record<string, string | string[] | undefined>) => boolean,
): void {
  const inner = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const guarded: RequestListener = (request, response) => {
    if (!isOurs(request.headers)) response.writeHead(403).end();
    else for (const listener of inner) listener(request, response);
  };
  server.on('request', guarded);
}

function serverIn(message: unknown): Server | null {
  if (typeof message !== 'object' || message === null || !('server' in message)) return null;
  return message.server instanceof Server ? message.server : null;
}

function portOf(server: Server): number | null {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : null;
}

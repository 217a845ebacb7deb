import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type RequestListener, Server } from 'node:http';

const LISTENING = 'tracing:net.server.listen:asyncStart';

/** Something that answers on a port of its own until it is closed. */
export interface OnPort {
  url: string;
  close(): Promise<void>;
}

/**
 * Opens something that listens on a port and keeps its server to itself, closes it again, and
 * returns what answered there: the emulator takes any token from any web page, which nobody can
 * switch off.
 */
export async function openWithoutPort(open: () => Promise<OnPort>): Promise<RequestListener> {
  const servers: Server[] = [];
  const note = (message: unknown) => {
    const server = serverIn(message);
    if (server) servers.push(server);
  };
  subscribe(LISTENING, note);
  try {
    const opened = await open();
    const server = servers.find((one) => portOf(one) === Number(new URL(opened.url).port));
    await opened.close();
    const [listener] = server?.listeners('request') ?? [];
    if (!listener) throw new Error(`Nothing is known to answer at ${opened.url}`);
    return listener as RequestListener;
  } finally {
    unsubscribe(LISTENING, note);
  }
}

function serverIn(message: unknown): Server | null {
  if (typeof message !== 'object' || message === null || !('server' in message)) return null;
  return message.server instanceof Server ? message.server : null;
}

function portOf(server: Server): number | null {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : null;
}

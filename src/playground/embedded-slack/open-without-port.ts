import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';

const LISTENING = 'tracing:net.server.listen:asyncStart';

/** A server that listens on its own port until it is closed. */
interface OnPort {
  url: string;
  close(): Promise<void>;
}

export interface Question {
  url: string;
  headers: Record<string, string>;
  /** The body of the POST. */
  payload: string;
}

/** Sends a request to the opened server; rejects if it destroys the response. */
export type Ask = (question: Question) => Promise<{ status: number; text: string }>;

/**
 * Opens a server that does not expose its `Server` object, closes its port again, and returns a
 * function that calls its request listener directly. The emulator accepts any token from any web
 * page and has no option to forbid it, so its port must not stay open.
 */
export async function openWithoutPort(open: () => Promise<OnPort>): Promise<Ask> {
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
    return (question) => ask(listener as Listener, question);
  } finally {
    unsubscribe(LISTENING, note);
  }
}

/** What the emulator's listener reads: it builds a `fetch` request with this object as its body. */
type Received = Uint8Array & { method: string; url: string; headers: Record<string, string> };

/** The response object that the emulator's listener writes to. */
interface Answer {
  statusCode: number;
  setHeader(name: string, value: string): void;
  write(chunk: Uint8Array): boolean;
  end(chunk?: string): void;
  destroy(error?: Error): void;
}

type Listener = (request: Received, answer: Answer) => void;

// Plain objects, because Node's request and response streams took most of each call's time.
async function ask(listener: Listener, { payload, ...to }: Question) {
  const chunks: Uint8Array[] = [];
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const answer: Answer = {
    statusCode: 200,
    setHeader: () => undefined,
    write: (chunk) => chunks.push(chunk) > 0,
    end: (chunk = '') => {
      chunks.push(Buffer.from(chunk));
      resolve();
    },
    destroy: reject,
  };
  listener(Object.assign(Buffer.from(payload), { method: 'POST', ...to }), answer);
  await ended;
  return { status: answer.statusCode, text: Buffer.concat(chunks).toString() };
}

function serverIn(message: unknown): Server | null {
  if (typeof message !== 'object' || message === null || !('server' in message)) return null;
  return message.server instanceof Server ? message.server : null;
}

function portOf(server: Server): number | null {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : null;
}

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';

const LISTENING = 'tracing:net.server.listen:asyncStart';

/** Something that answers on a port of its own until it is closed. */
export interface OnPort {
  url: string;
  close(): Promise<void>;
}

export interface Question {
  url: string;
  headers: Record<string, string>;
  /** The body of the POST. */
  payload: string;
}

/** Asks what was opened; rejects when its answer breaks off. */
export type Ask = (question: Question) => Promise<{ status: number; text: string }>;

/**
 * Opens something that listens on a port and keeps its server to itself, closes it again, and
 * returns how to ask what answered there: the emulator takes any token from any web page, which
 * nobody can switch off.
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

/** What the emulator's listener uses of a request: it makes one of `fetch` of it, with it as the body. */
type Received = Uint8Array & { method: string; url: string; headers: Record<string, string> };

/** What the emulator's listener writes its answer to. */
interface Answer {
  statusCode: number;
  setHeader(name: string, value: string): void;
  write(chunk: Uint8Array): boolean;
  end(chunk?: string): void;
  destroy(error?: Error): void;
}

type Listener = (request: Received, answer: Answer) => void;

// A request and an answer of Node are streams: to make and to read them took most of each call.
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

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';
import { createEmulator } from 'emulate';
import type { Json, SlackResponse } from './slack-types.ts';
import { emulatorToken, seed } from './workspace-seed.ts';

/**
 * The emulated Web API behind this Slack's own. Stores users, channels, messages, reactions, file
 * metadata and views, in memory only. Callers name an account (`pigeonhole`, `ada`, …) instead of
 * passing a token.
 */
export interface Emulator {
  call(method: string, args: Json, account: string): Promise<SlackResponse>;
  /** As `call`, for a call of the app's. */
  forward(request: { method: string; args: Json; account: string }): Promise<SlackResponse>;
  /** Marks a file's upload as complete; the file store has the bytes, so none are passed. */
  markUploaded(fileId: string): Promise<void>;
}

export async function startEmulator(): Promise<Emulator> {
  const listener = await openWithoutPort();
  let calls = 0;

  const post = (url: string, account: string, body: string) => {
    const authorization = `Bearer ${emulatorToken(account, calls++)}`;
    const headers = { authorization, 'content-type': 'application/json' };
    return request(listener, Object.assign(Buffer.from(body), { method: 'POST', url, headers }));
  };

  const call: Emulator['call'] = async (method, args, account) => {
    const { status, text } = await post(`/api/${method}`, account, JSON.stringify(args));
    if (status === 404) return { ok: false, error: 'unknown_method' };
    if (status !== 200) throw new Error(`The emulator answered ${method} with ${status}`);
    return JSON.parse(text) as SlackResponse;
  };

  return {
    call,
    forward: ({ method, args, account }) => call(method, args, account),
    markUploaded: async (fileId) => {
      const { status } = await post(`/upload/v1/${fileId}`, 'ada', '');
      if (status !== 200) throw new Error(`The emulator knows no upload ${fileId}`);
    },
  };
}

/** What the emulator's listener reads: it builds a `fetch` request with this object as its body. */
type ListenerRequest = Uint8Array & {
  method: string;
  url: string;
  headers: Record<string, string>;
};

/** The response object that the emulator's listener writes to. */
interface ListenerResponse {
  statusCode: number;
  setHeader(name: string, value: string): void;
  write(chunk: Uint8Array): boolean;
  end(chunk?: string): void;
  destroy(error?: Error): void;
}

type Listener = (request: ListenerRequest, response: ListenerResponse) => void;

const LISTENING = 'tracing:net.server.listen:asyncStart';

/**
 * Opens the emulator, closes its port again, and returns its request listener. The emulator accepts
 * any token from any web page and has no option to forbid it, so its port must not stay open; nor
 * does it expose its `Server`.
 */
async function openWithoutPort(): Promise<Listener> {
  const servers: Server[] = [];
  const add = (message: unknown) => {
    const { server } = message as { server?: unknown };
    if (server instanceof Server) servers.push(server);
  };
  subscribe(LISTENING, add);
  try {
    const emulator = await createEmulator({ service: 'slack', port: 0, seed: seed() });
    const server = servers.find((one) => portOf(one) === Number(new URL(emulator.url).port));
    await emulator.close();
    const [listener] = server?.listeners('request') ?? [];
    if (!listener) throw new Error(`The emulator's server at ${emulator.url} was not found`);
    return listener as Listener;
  } finally {
    unsubscribe(LISTENING, add);
  }
}

function portOf(server: Server): number | null {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : null;
}

// Plain objects, because Node's request and response streams took most of each call's time.
async function request(listener: Listener, message: ListenerRequest) {
  const chunks: Uint8Array[] = [];
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const response: ListenerResponse = {
    statusCode: 200,
    setHeader: () => undefined,
    write: (chunk) => chunks.push(chunk) > 0,
    end: (chunk = '') => {
      chunks.push(Buffer.from(chunk));
      resolve();
    },
    destroy: reject,
  };
  listener(message, response);
  await ended;
  return { status: response.statusCode, text: Buffer.concat(chunks).toString() };
}

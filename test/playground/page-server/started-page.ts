import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import type { StateUpdate } from '../../../src/playground/page-server/state-updates.ts';
import {
  type RunningPlayground,
  startPlayground,
} from '../../../src/playground/start-playground.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A playground that stops with the test, with requests in the form that its own page sends. */
interface StartedPage extends RunningPlayground {
  /** Posts JSON to `/api/<action>`. */
  act(action: string, body: object, headers?: Record<string, string>): Promise<Response>;
  /** Uploads a file; returns its identifier. */
  upload(name: string, content: string, type?: string): Promise<string>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
}

export async function startedPage(port = 0): Promise<StartedPage> {
  const options = {
    dataDir: temporaryFolder(),
    fresh: false,
    port,
    profile: 'specified',
    logger: silentLogger,
  } as const;
  const playground = await startPlayground(options);
  onTestFinished(() => playground.stop());
  const { address } = playground.page;
  const origin = new URL(address).origin;
  const act: StartedPage['act'] = (action, body, headers = {}) =>
    fetch(`${address}api/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, ...headers },
      body: JSON.stringify(body),
    });
  return {
    ...playground,
    act,
    upload: async (name, content, type = 'text/plain') => {
      const url = `${address}api/upload?name=${encodeURIComponent(name)}`;
      const headers = { 'content-type': type, origin };
      const answer = await fetch(url, { method: 'POST', headers, body: content });
      const { upload } = (await answer.json()) as { upload: string };
      return upload;
    },
    get: (path, headers = {}) => fetch(address + path, { headers }),
  };
}

/** The state as a page with an event stream knows it. */
interface ReceivedState {
  updates: StateUpdate[];
  /** Resolves with the state as soon as it matches. */
  until(matches: (state: Map<string, unknown>) => boolean): Promise<Map<string, unknown>>;
}

/** Reads a page's event stream until the end of the test. */
export async function receiveState(address: string): Promise<ReceivedState> {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const response = await fetch(`${address}events`, { signal: ending.signal });
  const state = new Map<string, unknown>();
  const updates: StateUpdate[] = [];
  const waiting = new Set<() => void>();
  const receive = (update: StateUpdate) => {
    updates.push(update);
    for (const name of update.gone) state.delete(name);
    for (const [name, value] of Object.entries(update.set)) state.set(name, value);
    for (const check of waiting) check();
  };
  void readEvents(response, receive).catch(() => undefined);
  return {
    updates,
    until: (matches) =>
      new Promise((resolve) => {
        const check = () => {
          if (!matches(state)) return;
          waiting.delete(check);
          resolve(state);
        };
        waiting.add(check);
        check();
      }),
  };
}

async function readEvents(
  response: Response,
  receive: (update: StateUpdate) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, data] = /^data: (.*)$/m.exec(event) ?? [];
      if (data) receive(JSON.parse(data) as StateUpdate);
    }
  }
}

/**
 * Returns the status of a GET whose path and `Host` are sent unchanged; `fetch` would correct both.
 */
export function rawStatus(
  address: string,
  { path = '/', host }: { path?: string; host?: string },
): Promise<number | undefined> {
  const { hostname, port } = new URL(address);
  const headers = host === undefined ? {} : { host };
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

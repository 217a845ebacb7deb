import { onTestFinished } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import {
  type RunningPlayground,
  startPlayground,
} from '../../../src/playground/start-playground.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A playground that stops with the test, with requests in the form that its own page sends. */
export interface StartedPage extends RunningPlayground {
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

import { createEmulator } from 'emulate';
import { openWithoutPort } from './open-without-port.ts';
import { innerToken, seed } from './people.ts';
import type { Json, SlackAnswer } from './slack-shapes.ts';

/**
 * The emulated Web API behind the front server. Stores people, channels, messages, reactions, file
 * metadata and views, in memory only. Callers name an account (`pigeonhole`, `ada`, …) instead of
 * passing a token.
 */
export interface Emulator {
  call(method: string, args: Json, account: string): Promise<SlackAnswer>;
  /** Marks a file's upload as complete; the front stores the bytes, so none are passed. */
  markUploaded(fileId: string): Promise<void>;
}

export async function startEmulator(): Promise<Emulator> {
  const ask = await openWithoutPort(() =>
    createEmulator({ service: 'slack', port: 0, seed: seed() }),
  );
  let calls = 0;

  const post = (url: string, account: string, payload: string) => {
    const authorization = `Bearer ${innerToken(account, calls++)}`;
    const headers = { authorization, 'content-type': 'application/json' };
    return ask({ url, headers, payload });
  };

  return {
    call: async (method, args, account) => {
      const { status, text } = await post(`/api/${method}`, account, JSON.stringify(args));
      if (status === 404) return { ok: false, error: 'unknown_method' };
      if (status !== 200) throw new Error(`The emulator answered ${method} with ${status}`);
      return JSON.parse(text) as SlackAnswer;
    },
    markUploaded: async (fileId) => {
      const { status } = await post(`/upload/v1/${fileId}`, 'ada', '');
      if (status !== 200) throw new Error(`The emulator knows no upload ${fileId}`);
    },
  };
}

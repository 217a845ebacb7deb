import { createEmulator } from 'emulate';
import type { Random } from '../../base/index.ts';
import { openGuarded } from './open-guarded.ts';
import { innerToken, seed } from './people.ts';
import type { Json, SlackAnswer } from './slack-shapes.ts';

/**
 * The emulated Web API behind the front server: it keeps people, channels, messages, reactions,
 * files' records and views. Accounts are named (`pigeonhole`, `ada`, …), not told by token.
 */
export interface Emulator {
  call(method: string, args: Json, account: string): Promise<SlackAnswer>;
  /** Tells it that a file's bytes have come; the front keeps them, so none are passed. */
  markUploaded(fileId: string): Promise<void>;
  close(): Promise<void>;
}

const GUARD = 'x-embedded-slack';
/** It answers within milliseconds: one that hangs is to show as an error. */
const PATIENCE_MS = 30_000;

export async function startEmulator(random: Random): Promise<Emulator> {
  const secret = random.id();
  const emulator = await openGuarded(
    () => createEmulator({ service: 'slack', port: 0, seed: seed() }),
    { header: GUARD, secret },
  );
  const origin = `http://127.0.0.1:${new URL(emulator.url).port}`;
  let calls = 0;

  const post = (path: string, account: string, body: string) => {
    const authorization = `Bearer ${innerToken(account, calls++)}`;
    const headers = { authorization, 'content-type': 'application/json', [GUARD]: secret };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    return fetch(`${origin}${path}`, { method: 'POST', headers, body, signal });
  };

  return {
    call: async (method, args, account) => {
      const answer = await post(`/api/${method}`, account, JSON.stringify(args));
      if (answer.status === 404) return { ok: false, error: 'unknown_method' };
      if (!answer.ok) throw new Error(`The emulator answered ${method} with ${answer.status}`);
      return (await answer.json()) as SlackAnswer;
    },
    markUploaded: async (fileId) => {
      const answer = await post(`/upload/v1/${fileId}`, 'ada', '');
      if (!answer.ok) throw new Error(`The emulator knows no upload ${fileId}`);
    },
    close: () => emulator.close(),
  };
}

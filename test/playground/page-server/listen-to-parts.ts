import { onTestFinished } from 'vitest';
import type { PartsUpdate } from '../../../src/playground/page-server/parts.ts';

/** The parts as a listening page knows them. */
export interface HeardParts {
  updates: PartsUpdate[];
  /** Resolves with the parts as soon as they match. */
  until(isThere: (parts: Map<string, unknown>) => boolean): Promise<Map<string, unknown>>;
}

/** Reads a page's event stream until the end of the test. */
export async function listenToParts(address: string): Promise<HeardParts> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const answer = await fetch(`${address}events`, { signal: leaving.signal });
  const parts = new Map<string, unknown>();
  const updates: PartsUpdate[] = [];
  const waiting = new Set<() => void>();
  const hear = (update: PartsUpdate) => {
    updates.push(update);
    for (const name of update.gone) parts.delete(name);
    for (const [name, value] of Object.entries(update.set)) parts.set(name, value);
    for (const look of waiting) look();
  };
  void readEvents(answer, hear).catch(() => undefined);
  return {
    updates,
    until: (isThere) =>
      new Promise((resolve) => {
        const look = () => {
          if (!isThere(parts)) return;
          waiting.delete(look);
          resolve(parts);
        };
        waiting.add(look);
        look();
      }),
  };
}

async function readEvents(answer: Response, hear: (update: PartsUpdate) => void): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, data] = /^data: (.*)$/m.exec(event) ?? [];
      if (data) hear(JSON.parse(data) as PartsUpdate);
    }
  }
}

import type { ReplayEvent } from './replay-file.ts';

type Change = Pick<ReplayEvent, 'set' | 'gone'>;

/** Compares the page's parts with those of the previous call. */
export interface ChangeRecorder {
  /** Returns what changed since the last call; the first call returns all parts. */
  changes(): Change;
}

/** `read` returns the current value of every part. */
export function recordChanges(read: () => Map<string, unknown>): ChangeRecorder {
  let known = new Map<string, string>();
  return {
    changes: () => {
      const now = new Map<string, string>();
      const set: Record<string, unknown> = {};
      for (const [name, value] of read()) {
        const text = JSON.stringify(value);
        now.set(name, text);
        // A copy, so that later changes to the value do not alter the recording.
        if (known.get(name) !== text) set[name] = JSON.parse(text);
      }
      const gone = [...known.keys()].filter((name) => !now.has(name));
      known = now;
      return { set, gone };
    },
  };
}

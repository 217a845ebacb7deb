import type { ReplayEvent } from './replay-file.ts';

type Change = Pick<ReplayEvent, 'set' | 'gone'>;

/** Compares what the page would show with what it would have shown the time before. */
export interface ChangeRecorder {
  /** What changed since the last call; at first, all that is there. */
  changes(): Change;
}

/** `read` gives every part as it is now. */
export function recordChanges(read: () => Map<string, unknown>): ChangeRecorder {
  let known = new Map<string, string>();
  return {
    changes: () => {
      const now = new Map<string, string>();
      const set: Record<string, unknown> = {};
      for (const [name, value] of read()) {
        const text = JSON.stringify(value);
        now.set(name, text);
        // Read back from the text: what is there may change, what was recorded may not.
        if (known.get(name) !== text) set[name] = JSON.parse(text);
      }
      const gone = [...known.keys()].filter((name) => !now.has(name));
      known = now;
      return { set, gone };
    },
  };
}

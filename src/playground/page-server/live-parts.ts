import type { Clock } from '../../base/index.ts';
import type { Parts, PartsUpdate } from './parts.ts';

interface LivePartsOptions {
  read: () => Promise<Parts>;
  clock: Clock;
  /** The least time between two readings, in milliseconds. */
  everyMs: number;
}

/** Reads the parts after each touch and notifies listeners of what changed. */
export interface LiveParts {
  /** Requests a new reading, because something may have changed. */
  touch(): void;
  /** Calls the listener with all parts first, then with changes. Returns a function to stop it. */
  listen(listener: (update: PartsUpdate) => void): () => void;
  /** The number of listeners. */
  listeners(): number;
  /** Stops reading; resolves when no reading is under way. */
  stop(): Promise<void>;
}

export function createLiveParts({ read, clock, everyMs }: LivePartsOptions): LiveParts {
  const stopping = new AbortController();
  const listeners = new Map<(update: PartsUpdate) => void, { knows: Map<string, string> }>();
  let wake = () => {};
  let touched = false;

  const touch = () => {
    touched = true;
    wake();
  };
  const untilTouched = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
      if (touched || stopping.signal.aborted) resolve();
    });

  async function publish(): Promise<void> {
    if (listeners.size === 0) return;
    const parts = await read();
    const texts = new Map([...parts].map(([name, value]) => [name, JSON.stringify(value)]));
    for (const [listener, listening] of listeners) {
      const update = difference(listening.knows, texts, parts);
      listening.knows = texts;
      if (update) listener(update);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await untilTouched();
      touched = false;
      // A failed reading, for example while Slack stops, is repeated at the next touch.
      await publish().catch(() => undefined);
      await clock.sleep(everyMs, stopping.signal).catch(() => undefined);
    }
  }

  const running = run();
  return {
    touch,
    listen: (listener) => {
      listeners.set(listener, { knows: new Map() });
      touch();
      return () => void listeners.delete(listener);
    },
    listeners: () => listeners.size,
    stop: async () => {
      stopping.abort(new Error('The page server is being stopped'));
      wake();
      await running;
    },
  };
}

function difference(
  before: Map<string, string>,
  now: Map<string, string>,
  parts: Parts,
): PartsUpdate | null {
  const changed = [...parts].filter(([name]) => before.get(name) !== now.get(name));
  const gone = [...before.keys()].filter((name) => !now.has(name));
  if (changed.length === 0 && gone.length === 0) return null;
  return { whole: before.size === 0, set: Object.fromEntries(changed), gone };
}

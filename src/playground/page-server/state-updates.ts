import type { Clock } from '../../base/index.ts';

/**
 * What the page shows, as named entries, so that an update holds only the entries that changed. A
 * name is a kind and identifiers, with slashes in between, such as `message/C000000001/1795.0001`.
 */
export type PageState = ReadonlyMap<string, unknown>;

/** How a state differs from an earlier one. */
export interface StateChange {
  /** New and changed entries, by name. */
  set: Record<string, unknown>;
  /** The names of removed entries. */
  gone: string[];
}

export interface StateUpdate extends StateChange {
  /** Whether `set` holds the whole state, so that the page drops everything else. */
  whole: boolean;
}

/** Returns a function that compares a state with that of its last call; first with an empty one. */
export function trackChanges(): (state: PageState) => StateChange {
  let known = new Map<string, string>();
  return (state) => {
    const now = new Map([...state].map(([name, value]) => [name, JSON.stringify(value)]));
    const changed = [...now].filter(([name, text]) => known.get(name) !== text);
    const gone = [...known.keys()].filter((name) => !now.has(name));
    known = now;
    // Copies, so that later changes to a value do not alter what was returned.
    return {
      set: Object.fromEntries(changed.map(([name, text]) => [name, JSON.parse(text)])),
      gone,
    };
  };
}

interface StatePublisherOptions {
  read: () => Promise<PageState>;
  clock: Clock;
  /** The least time between two readings, in milliseconds. */
  minMsBetween: number;
}

export type StatePublisher = ReturnType<typeof createStatePublisher>;

/** Reads the state when it may have changed, and sends subscribers what changed. */
export function createStatePublisher(options: StatePublisherOptions) {
  const { read, clock, minMsBetween } = options;
  const stopping = new AbortController();
  const subscribers = new Set<(state: PageState) => void>();
  let wake = () => {};
  let isStale = false;

  const invalidate = () => {
    isStale = true;
    wake();
  };
  const untilStale = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
      if (isStale || stopping.signal.aborted) resolve();
    });

  async function publish(): Promise<void> {
    if (subscribers.size === 0) return;
    const state = await read();
    for (const send of subscribers) send(state);
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await untilStale();
      isStale = false;
      // A failed reading, for example while Slack stops, is repeated at the next change.
      await publish().catch(() => undefined);
      await clock.sleep(minMsBetween, stopping.signal).catch(() => undefined);
    }
  }

  const running = run();
  return {
    /** Requests a new reading, because something may have changed. */
    invalidate,
    /** Sends the listener the whole state first, then changes. Returns a function to stop it. */
    subscribe: (listener: (update: StateUpdate) => void) => {
      const changesIn = trackChanges();
      let whole = true;
      const send = (state: PageState) => {
        const change = changesIn(state);
        if (Object.keys(change.set).length === 0 && change.gone.length === 0) return;
        listener({ whole, ...change });
        whole = false;
      };
      subscribers.add(send);
      invalidate();
      return () => void subscribers.delete(send);
    },
    /** The number of subscribers; while it is 0, nothing is read. */
    subscribers: () => subscribers.size,
    /** Stops reading; resolves when no reading is in progress. */
    stop: async (): Promise<void> => {
      stopping.abort(new Error('The page server is being stopped'));
      wake();
      await running;
    },
  };
}

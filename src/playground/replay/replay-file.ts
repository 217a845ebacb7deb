/** The `format` in the first line of every replay file. */
export const REPLAY_FORMAT = 'pigeonhole-replay';
/** The file version that is written, and the newest one that can be read. */
export const REPLAY_VERSION = 1;

/** What a replay says about itself, before its events. */
interface ReplayAbout {
  /** What the replay shows, in a few words. */
  title: string;
  /** The start from which events count their time, in milliseconds since the epoch. */
  beganAt: number;
}

/** An event, and how it changed the parts that the page shows (see `Parts`). */
export interface ReplayEvent {
  /** Milliseconds since `beganAt`. */
  at: number;
  text: string;
  /** New and changed parts, by name. */
  set: Record<string, unknown>;
  /** The names of removed parts. */
  gone: string[];
}

export interface Replay extends ReplayAbout {
  events: readonly ReplayEvent[];
}

/** Returns a replay as a file's text: one line about it, then one line for each event. */
export function writeReplay({ events, ...about }: Replay): string {
  const head = { format: REPLAY_FORMAT, version: REPLAY_VERSION, events: events.length, ...about };
  return [head, ...events].map((line) => `${JSON.stringify(line)}\n`).join('');
}

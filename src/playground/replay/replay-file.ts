/** What the first line of a replay file calls itself. */
export const REPLAY_FORMAT = 'pigeonhole-replay';
/** The newest form of the file that is read and written here. */
export const REPLAY_VERSION = 1;

/** What comes before the events. */
export interface ReplayAbout {
  /** What the replay shows, in a few words. */
  title: string;
  /** When its first event may be, in milliseconds since the epoch. */
  beganAt: number;
}

/** Something that happened, and how it changed what the page shows: see `Parts`. */
export interface ReplayEvent {
  /** Since the beginning, in milliseconds. */
  at: number;
  text: string;
  /** Parts that are new or other than before. */
  set: Record<string, unknown>;
  /** The names of parts that are no more. */
  gone: string[];
}

export interface Replay extends ReplayAbout {
  events: readonly ReplayEvent[];
}

/** A replay as the text of a file: one line about it, then one for each event. */
export function writeReplay({ events, ...about }: Replay): string {
  const head = { format: REPLAY_FORMAT, version: REPLAY_VERSION, events: events.length, ...about };
  return [head, ...events].map((line) => `${JSON.stringify(line)}\n`).join('');
}

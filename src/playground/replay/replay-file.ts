import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { codeIn } from '../../base/index.ts';
import { PlaygroundError } from '../errors.ts';
import type { StateChange } from '../page-server/state-updates.ts';

/** The `format` in the first line of every replay file. */
const FORMAT = 'pigeonhole-replay';
/** The version of the files that are written and read; it changes with what a state holds. */
const VERSION = 2;

/** An event, and how it changed the state that the page shows. */
export interface ReplayEvent extends StateChange {
  /** Milliseconds since `beganAt`. */
  at: number;
  text: string;
}

export interface Replay {
  /** What the replay shows, in a few words. */
  title: string;
  /** The start from which events count their time, in milliseconds since the epoch. */
  beganAt: number;
  events: readonly ReplayEvent[];
}

/** Returns a replay as a file's text: one line about it, then one line for each event. */
export function writeReplay({ events, ...about }: Replay): string {
  const head = { format: FORMAT, version: VERSION, events: events.length, ...about };
  return [head, ...events].map((line) => `${JSON.stringify(line)}\n`).join('');
}

const HEAD = z.object({
  format: z.literal(FORMAT),
  version: z.int().positive(),
});

const ABOUT = z.object({
  title: z.string(),
  beganAt: z.number(),
  events: z.int().nonnegative(),
});

const EVENT = z.object({
  at: z.number(),
  text: z.string(),
  set: z.record(z.string(), z.unknown()),
  gone: z.array(z.string()),
});

/** Reads a replay file. Throws `PlaygroundError` if it cannot be replayed. */
export function readReplay(path: string): Replay {
  const [first = '', ...rest] = textOf(path).split('\n');
  const firstLine = parse(first);
  const head = HEAD.safeParse(firstLine).data;
  if (!head)
    throw new PlaygroundError(`${path} isn’t a replay. Simulate a world with --out to get one.`);
  if (head.version !== VERSION)
    throw new PlaygroundError(
      `${path} was written by another version of Pigeonhole. Open it with that one, or write it again.`,
    );
  const about = ABOUT.safeParse(firstLine).data;
  if (!about)
    throw new PlaygroundError(`The first line of ${path} is damaged. Write the file again.`);
  const { events: count, title, beganAt } = about;
  // A complete file ends with a newline, so that `split` yields one more item after the last event.
  if (rest.length <= count)
    throw new PlaygroundError(`${path} is cut off before its ${count} events end. Write it again.`);
  const events = rest.slice(0, count).map((line, index) => {
    const event = EVENT.safeParse(parse(line)).data;
    if (event) return event;
    throw new PlaygroundError(`Line ${index + 2} of ${path} is damaged. Write the file again.`);
  });
  return { title, beganAt, events };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error ? codeIn(error) : '';
    if (code === 'ENOENT') throw new PlaygroundError(`There is no file ${path}.`);
    throw new PlaygroundError(`${path} can’t be read (${code}). Name a file that --out wrote.`);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { codeIn } from '../../base/index.ts';
import { REPLAY_FORMAT, REPLAY_VERSION, type Replay } from './replay-file.ts';

/** Thrown for a file that cannot be replayed; the message is shown to the user. */
export class ReplayError extends Error {
  override name = 'ReplayError';
}

const HEAD = z.object({
  format: z.literal(REPLAY_FORMAT),
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

/** Reads a replay file. Throws `ReplayError`. */
export function readReplay(path: string): Replay {
  const [first = '', ...rest] = textOf(path).split('\n');
  const head = HEAD.safeParse(parsed(first)).data;
  if (!head)
    throw new ReplayError(`${path} isn’t a replay. Simulate a world with --out to get one.`);
  if (head.version > REPLAY_VERSION)
    throw new ReplayError(`${path} was written by a newer Pigeonhole. Open it with that one.`);
  const about = ABOUT.safeParse(parsed(first)).data;
  if (!about) throw new ReplayError(`The first line of ${path} is damaged. Write the file again.`);
  const { events: count, ...shown } = about;
  const lines = rest.slice(0, count);
  // A complete file ends with a newline, so that `split` yields one more item after the last event.
  if (rest.length <= count)
    throw new ReplayError(`${path} is cut off before its ${count} events end. Write it again.`);
  return { ...shown, events: lines.map((line, index) => eventOf(line, { path, index })) };
}

function eventOf(line: string, { path, index }: { path: string; index: number }) {
  const event = EVENT.safeParse(parsed(line)).data;
  if (event) return event;
  throw new ReplayError(`Line ${index + 2} of ${path} is damaged. Write the file again.`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error ? codeIn(error) : '';
    if (code === 'ENOENT') throw new ReplayError(`There is no file ${path}.`);
    throw new ReplayError(`${path} can’t be read (${code}). Name a file that --out wrote.`);
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

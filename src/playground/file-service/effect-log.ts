import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import type { Effect } from './apply-effect.ts';

/** An account's changes, one JSON line each, in the order in which they happened. */
interface EffectLog {
  /** The changes that were in the file when it was opened. */
  readonly past: readonly Effect[];
  /** Returns when the operating system has the line, so that it survives a killed process. */
  append(effect: Effect): void;
  close(): void;
}

/** Opens or creates the log at `path`. Cuts off a last line that a crash left incomplete. */
export function openEffectLog(path: string): EffectLog {
  const past = existsSync(path) ? readEffects(path) : [];
  const file = openSync(path, 'a');
  return {
    past,
    append: (effect) => {
      writeSync(file, `${JSON.stringify(effect)}\n`);
    },
    close: () => closeSync(file),
  };
}

function readEffects(path: string): Effect[] {
  const text = readFileSync(path);
  const end = text.lastIndexOf('\n') + 1;
  if (end < text.length) truncateSync(path, end);
  const lines = text.subarray(0, end).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line): Effect => JSON.parse(line));
}

import { BEGINNING, virtualNow } from '../kernel/virtual-time.ts';

/** What happened in a world, in order, one line an event. */
export interface Trace {
  readonly lines: readonly string[];
  add(text: string): void;
}

/** Each line begins with the time since the world began, in seconds. */
export function createTrace(): Trace {
  const lines: string[] = [];
  const add = (text: string) => {
    const seconds = ((virtualNow() - BEGINNING) / 1000).toFixed(3).padStart(10);
    lines.push(`${seconds}  ${text.replaceAll('\n', ' ⏎ ')}`);
  };
  return { lines, add };
}

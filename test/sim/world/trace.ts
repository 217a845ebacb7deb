import {
  type StateChange,
  trackChanges,
} from '../../../src/playground/page-server/state-updates.ts';
import type { ReplayEvent } from '../../../src/playground/replay/replay-file.ts';
import { BEGINNING, virtualNow } from '../kernel/virtual-time.ts';

/** What happened in a world, in order, one line for each event. */
export interface Trace {
  readonly lines: readonly string[];
  /** The events with what each changed; empty as long as nothing is recorded. */
  readonly events: readonly ReplayEvent[];
  add(text: string): void;
  /** From now on, records with each event what it changed in the state that `read` returns. */
  record(read: () => Map<string, unknown>): void;
}

/** Each line begins with the time since the world began, in seconds. */
export function createTrace(): Trace {
  const lines: string[] = [];
  const events: ReplayEvent[] = [];
  let changes: (() => StateChange) | null = null;

  // The effect of an event comes just before its line, or after it in the same turn.
  const keep = (at: number, text: string, changes: () => StateChange) => {
    const event = { at, text, ...changes() };
    events.push(event);
    queueMicrotask(() => {
      if (events.at(-1) !== event) return;
      const { set, gone } = changes();
      Object.assign(event.set, set);
      event.gone.push(...gone);
    });
  };
  return {
    lines,
    events,
    add: (text) => {
      const at = virtualNow() - BEGINNING;
      const line = text.replaceAll('\n', ' ⏎ ');
      lines.push(`${(at / 1000).toFixed(3).padStart(10)}  ${line}`);
      if (changes) keep(at, line, changes);
    },
    record: (read) => {
      const changesIn = trackChanges();
      changes = () => changesIn(read());
    },
  };
}

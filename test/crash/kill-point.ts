import type { Ledger } from '../../src/ledger/index.ts';
import type { CheckpointName } from '../../src/worker/index.ts';

/** The moment at which a process is to die: at its `nth` passing, counted from 1. */
export type KillPoint = { nth: number } & (
  | { when: 'at'; name: CheckpointName }
  | { when: 'before' | 'after'; name: keyof Ledger }
);

/** `at filed`, `before markFiled`. */
export function describePoint({ when, name, nth }: KillPoint): string {
  return `${when} ${name}${nth > 1 ? ` (${nth}.)` : ''}`;
}

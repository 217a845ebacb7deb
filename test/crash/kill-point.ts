import type { Ledger } from '../../src/ledger/index.ts';
import type { StepName } from '../support/around-ledger.ts';

type Moment = { when: 'at'; name: StepName } | { when: 'before' | 'after'; name: keyof Ledger };

/** The moment at which a process is to die: the `nth` time that it is reached, counted from 1. */
export type KillPoint = Moment & { nth: number };

/** The first time that a transfer or a message reaches this moment. */
export function at(name: StepName): KillPoint {
  return { when: 'at', name, nth: 1 };
}

/** Just before and just after a call of the ledger. */
export function around(name: keyof Ledger): KillPoint[] {
  return [
    { when: 'before', name, nth: 1 },
    { when: 'after', name, nth: 1 },
  ];
}

/** `at filed`, `before markFiled`. */
export function describePoint({ when, name, nth }: KillPoint): string {
  return `${when} ${name}${nth > 1 ? ` (${nth}.)` : ''}`;
}

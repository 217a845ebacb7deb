import type { IncomingMessage } from 'node:http';
import type { Person } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { Answer } from './answer.ts';
import type { PathIds } from './route.ts';

/**
 * What 201 returns when several files are created at once, which the interface leaves open:
 * `one-or-array`: a record for one, an array for several; `array`: always an array; `first`: the
 * first record alone.
 */
export type CreateAnswer = 'one-or-array' | 'array' | 'first';

/** A request that is let in, with a key that is accepted. */
export interface Call {
  request: IncomingMessage;
  ids: PathIds;
  person: Person;
  store: AccountStore;
  /** Without a slash at its end. */
  accountUrl: string;
  createAnswer: CreateAnswer;
}

/** Answers one operation; throws Refusal when it may not be. */
export type Handler = (call: Call) => Answer | Promise<Answer>;

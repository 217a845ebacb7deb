import type { IncomingMessage } from 'node:http';
import type { Person } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { Answer } from './answer.ts';
import type { Behaviour } from './behaviour.ts';
import type { PathIds } from './route.ts';

/**
 * What 201 returns when several files are created at once, which the interface leaves open:
 * `one-or-array`: a record for one, an array for several; `array`: always an array; `first`: the
 * first record alone.
 */
export type CreateAnswer = 'one-or-array' | 'array' | 'first';

/**
 * How often files may be created from one attachment, which the interface leaves open: `once`, be
 * its file deleted since or not; or as `often` as one likes.
 */
export type AttachmentUse = 'once' | 'often';

/** A request that is let in, with a key that is accepted. */
export interface Call {
  request: IncomingMessage;
  ids: PathIds;
  person: Person;
  store: AccountStore;
  /** Without a slash at its end. */
  accountUrl: string;
  createAnswer: CreateAnswer;
  attachmentUse: AttachmentUse;
  behaviour: Behaviour;
}

/** Answers one operation; throws Refusal when it may not be. */
export type Handler = (call: Call) => Answer | Promise<Answer>;

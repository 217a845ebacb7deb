import type { IncomingMessage } from 'node:http';
import type { Person } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { Answer } from './answer.ts';
import type { Behaviour } from './behaviour.ts';
import type { PathIds } from './route.ts';

/**
 * What a 201 returns when several files are created at once, which the interface leaves open.
 * `one-or-array`: a record for one file, an array for several; `array`: always an array; `first`:
 * only the first record.
 */
export type CreateAnswer = 'one-or-array' | 'array' | 'first';

/**
 * How often files may be created from one attachment, which the interface leaves open. `once`: not
 * again, even after its file is deleted; `often`: without limit.
 */
export type AttachmentUse = 'once' | 'often';

/** An admitted request with an accepted key. */
export interface Call {
  request: IncomingMessage;
  ids: PathIds;
  person: Person;
  store: AccountStore;
  /** Without a trailing slash. */
  accountUrl: string;
  createAnswer: CreateAnswer;
  attachmentUse: AttachmentUse;
  behaviour: Behaviour;
}

/** Handles one operation; throws Refusal to refuse it. */
export type Handler = (call: Call) => Answer | Promise<Answer>;

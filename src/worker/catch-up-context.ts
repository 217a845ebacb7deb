import type { Clock, Logger } from '../base/index.ts';
import type { Operator } from '../blocks/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Workspace } from '../slack/index.ts';
import type { FindDestination } from './destinations.ts';

/** What reading a channel's past works with. */
export interface CatchUpContext {
  ledger: Ledger;
  workspace: Workspace;
  findDestination: FindDestination;
  operator: Operator;
  clock: Clock;
  logger: Logger;
  /** Since when events come in, by our clock: what was shared before, and is not known, was missed. */
  eventsSince: () => number;
  /** Something was recorded. */
  wake: () => void;
}

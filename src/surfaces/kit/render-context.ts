import type { Clock, Logger } from '../../base/index.ts';
import type { LinkBy, SendingProgress } from '../../core/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { NameCache } from '../../service/index.ts';
import type { Workspace } from '../../slack/index.ts';
import type { Operator } from './prose.ts';

/** What keeps all files from being sent, as far as this process knows. */
export interface HeldBack {
  /** Why; null if it is only the window after a start, for which no reason is shown. */
  code: 'SERVICE_LIMIT_AWAY' | 'SERVICE_RATE_LIMITED' | null;
  /** Epoch milliseconds; null when nobody knows. */
  until: number | null;
}

/** What messages are rendered from, and how people are told. */
export interface RenderContext {
  ledger: Ledger;
  workspace: Workspace;
  names: NameCache;
  clock: Clock;
  logger: Logger;
  operator: Operator;
  linkBy: LinkBy;
  /** The uploads that this process is sending, by transfer. */
  uploads: ReadonlyMap<number, SendingProgress>;
  /** What keeps all files from being sent; null when nothing does. */
  heldBack(): HeldBack | null;
}

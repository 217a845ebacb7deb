import type { Random, Runtime } from '../base/index.ts';
import type { Operator, SendingProgress } from '../blocks/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { FolderReader, NameCache, ServiceClient } from '../service/index.ts';
import type { Workspace } from '../slack/index.ts';
import type { ChannelDestination, ChannelRef, LinkBy, OnSlackDelete } from '../transfers/index.ts';
import type { Pause } from './job.ts';
import type { KeyBreaker } from './key-breaker.ts';
import type { OperatorWatch } from './operator-watch.ts';

/** What the worker's jobs use. */
export interface WorkerContext extends Runtime {
  ledger: Ledger;
  service: ServiceClient;
  folders: FolderReader;
  keyBreaker: Pick<KeyBreaker, 'state' | 'open' | 'close'>;
  workspace: Workspace;
  operatorWatch: Pick<OperatorWatch, 'failed' | 'succeeded' | 'channelsListed'>;
  names: NameCache;
  random: Random;
  operator: Operator;
  linkBy: LinkBy;
  onSlackDelete: OnSlackDelete;
  rateLimit: { requests: number; windowMs: number };
  /**
   * How long a create may need to take effect, in milliseconds: only a list begun after that proves
   * that it left nothing.
   */
  settleMs: number;
  /** Factor for all waits before another try; 1 in production. */
  backoffScale: number;
  /** The uploads that this process is sending, by transfer. */
  uploads: Map<number, SendingProgress>;
  /** When an upload of this process last got through; 0 before the first. */
  lastUpload: { at: number };
  /** Pauses all jobs that post or edit messages. */
  messagePause: Pause;
  /** The same for reactions: Slack limits them separately, so messages do not wait for them. */
  reactionPause: Pause;
  /** Resolves with a channel's destination: see destinationFinder. */
  findDestination(channel: ChannelRef): Promise<ChannelDestination | null>;
  /** Returns since when events come in, by the machine’s clock: an unknown share from before was missed. */
  eventsSince(): number;
  /** Whether this process may send requests to the service, rather than another. */
  maySend(): boolean;
  /** Whether nothing is sent because Redis, which shares the rate limit, cannot be used. */
  isLimitAway(): boolean;
  /** Makes all job loops look for due work. */
  wake(): void;
}

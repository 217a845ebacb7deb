import type { Clock, Logger, Random } from '../base/index.ts';
import type { Operator } from '../blocks/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { NameCache, ServiceClient } from '../service/index.ts';
import type { Workspace } from '../slack/index.ts';
import type { ChannelDestination, ChannelRef, LinkBy } from '../transfers/index.ts';
import type { Pause } from './job.ts';
import type { ProgressBoard } from './progress-board.ts';

/** Used by all jobs. */
interface WorkerContext {
  ledger: Ledger;
  clock: Clock;
  random: Random;
  logger: Logger;
}

export type FilingCalls = Pick<
  ServiceClient,
  'bulkSlot' | 'createFiles' | 'hasListedFolders' | 'listFiles' | 'listFolders' | 'uploadFile'
>;

export interface FilingContext extends WorkerContext {
  service: FilingCalls;
  workspace: Pick<Workspace, 'download' | 'fileInfo'>;
  progress: ProgressBoard;
  /**
   * How long a create may need to take effect, in milliseconds: only a list begun after that proves
   * that it left nothing.
   */
  settleMs: number;
  /** Factor for all waits before another try; 1 in production. */
  backoffScale: number;
}

export interface NotifyContext extends WorkerContext {
  workspace: Pick<
    Workspace,
    | ('actor' | 'addressOf' | 'announce' | 'find' | 'notify')
    | ('post' | 'react' | 'unreact' | 'update')
  >;
  names: Pick<NameCache, 'nameFolder'>;
  progress: ProgressBoard;
  operator: Operator;
  linkBy: LinkBy;
  /** Of all messages' jobs. */
  messagePause: Pause;
  /** Slack limits reactions separately, so messages do not wait for them. */
  reactionPause: Pause;
  /** See FilingContext. */
  backoffScale: number;
}

export interface ReadingContext extends WorkerContext {
  workspace: Workspace;
  findDestination: FindDestination;
  operator: Operator;
  /** Since when events come in, by our clock: an unknown share from before then was missed. */
  eventsSince: () => number;
  wake: () => void;
}

/** Resolves with a channel's destination: see channelDestination. */
export type FindDestination = (channel: ChannelRef) => Promise<ChannelDestination | null>;

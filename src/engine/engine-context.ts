import type { Random, Runtime } from '../base/index.ts';
import type {
  ChannelDestination,
  ChannelRef,
  Destination,
  Hold,
  OnSlackDelete,
  SendingProgress,
} from '../core/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { FolderReader, NameCache, ServiceClient } from '../service/index.ts';
import type { Workspace } from '../slack/index.ts';
import type { Pause } from './job.ts';
import type { Notices } from './notices.ts';

/** What the worker's jobs use. */
export interface EngineContext extends Runtime {
  ledger: Ledger;
  service: ServiceClient;
  folders: FolderReader;
  workspace: Workspace;
  names: NameCache;
  random: Random;
  notices: Notices;
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
  /** The hold that a run is the probe of. Default: none. */
  probe?: Hold;
  defaultFolder: Destination | null;
  /** Resolves with a channel's destination: see destinationFinder. */
  findDestination(channel: ChannelRef): Promise<ChannelDestination | null>;
  /** Returns since when events come in, by the machine’s clock: an unknown share from before was missed. */
  eventsSince(): number;
  /** Whether this process may send requests to the service, rather than another. */
  maySend(): boolean;
  /** Whether it stands by while another does. */
  standsBy(): boolean;
  /** Makes all job loops look for due work. */
  wake(): void;
}

import type { Random, Runtime } from '../base/index.ts';
import type { EarlierFiles, LineReader, Operator, View } from '../blocks/index.ts';
import type { Ledger, ShareRow } from '../ledger/index.ts';
import type { FolderReader, NameCache, ServiceClient } from '../service/index.ts';
import type { Workspace } from '../slack/index.ts';
import type {
  ChannelDestination,
  ChannelRef,
  LinkBy,
  OnSlackDelete,
  Share,
} from '../transfers/index.ts';

/** Limits how many requests each person may make in a window. */
export interface PersonalQuota {
  /**
   * Counts a request of this person. The caller calls `end` when the request ends; it counts for
   * one more window. If the quota is used up, returns the wait in milliseconds, at least 1,000.
   */
  take(person: string): { end(): void } | { waitMs: number };
}

/** The listeners’ dependencies. They reach the worker only through `wake` and `wakeNotifier`. */
export interface ListenerContext extends Omit<Runtime, 'stopping'> {
  ledger: Ledger;
  service: ServiceClient;
  folders: FolderReader;
  names: NameCache;
  workspace: Workspace;
  random: Random;
  findDestination(channel: ChannelRef): Promise<ChannelDestination | null>;
  /** Returns a share's line in its thread, or the line it would have, worded for one reader. */
  shareLineFor(share: ShareRow, reader: LineReader): Promise<View>;
  /** Skips a share that the ledger cannot record, and notifies the person who shared it. */
  leaveUnrecorded(share: Share, error: unknown): Promise<void>;
  /** Makes the worker look for due work. */
  wake(): void;
  /** Makes it look only for messages in Slack that are due. */
  wakeNotifier(): void;
  /** Counts the files shared in the channel before it was linked. */
  countEarlier(channel: ChannelRef): Promise<EarlierFiles>;
  quota: PersonalQuota;
  operator: Operator;
  linkBy: LinkBy;
  onSlackDelete: OnSlackDelete;
  /** The account's address in the file service. */
  accountUrl: string;
  /** Whether files wait for the service. */
  isBusy(): boolean;
  /** Whether this is the only instance. Its caches would miss what other instances change. */
  isAlone: boolean;
}

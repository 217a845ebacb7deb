import type { Clock, Logger, Random } from '../base/index.ts';
import type { EarlierFiles, LineReader, Operator, View } from '../blocks/index.ts';
import type { ChannelRef, Ledger, ShareRow } from '../ledger/index.ts';
import type { NameCache, ServiceClient } from '../service/index.ts';
import type { Workspace } from '../slack/index.ts';
import type { ChannelDestination, LinkBy, OnSlackDelete, Share } from '../transfers/index.ts';
import type { PersonalQuota } from './personal-quota.ts';

/** What the listeners work with. They reach the worker only through `wake` and `backfill`. */
export interface ListenerContext {
  ledger: Ledger;
  service: ServiceClient;
  names: NameCache;
  workspace: Workspace;
  clock: Clock;
  random: Random;
  logger: Logger;
  findDestination(channel: ChannelRef): Promise<ChannelDestination | null>;
  /** What a share's line in its thread says now, or would say, to somebody who alone reads it. */
  sayShare(share: ShareRow, reader: LineReader): Promise<View>;
  /** Passes over a share that the ledger does not take: who shared it hears of it. */
  leaveUnrecorded(share: Share, error: unknown): Promise<void>;
  /** Work may be due. */
  wake(): void;
  backfill: {
    /** Of what the channel held before it was linked. */
    count(channel: ChannelRef): Promise<EarlierFiles>;
    /** Resolves when the backfill is recorded; its report tells the channel how it goes. */
    begin(channel: ChannelRef, by: { startedBy: string }): Promise<void>;
  };
  /** How many answers each person may ask for. */
  turns: PersonalQuota;
  operator: Operator;
  linkBy: LinkBy;
  onSlackDelete: OnSlackDelete;
  /** The account's address in the file service. */
  accountUrl: string;
  /** Whether files wait for the service. */
  isBusy(): boolean;
  /** Whether no other instance is at work: what others change in a folder is not in this one's copies. */
  isAlone: boolean;
  /** Keeps the process from ending before the work is through; failures are logged. */
  inBackground(work: Promise<unknown>): void;
}

import type { App } from '@slack/bolt';
import type { Random, Runtime } from '../../base/index.ts';
import type {
  ChannelDestination,
  ChannelRef,
  EarlierFiles,
  LinkBy,
  OnSlackDelete,
  Share,
} from '../../core/index.ts';
import type { Ledger, ShareRow } from '../../ledger/index.ts';
import type { FolderReader, NameCache, ServiceClient } from '../../service/index.ts';
import type { Workspace } from '../../slack/index.ts';
import type { View } from './layout.ts';
import type { LineReader, Operator } from './prose.ts';

/** The listeners’ dependencies. They reach the worker only through `wake` and `wakeNotifier`. */
export interface SurfaceContext extends Omit<Runtime, 'stopping'> {
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
  /** The commands that help shows. */
  helpLines: readonly HelpLine[];
  operator: Operator;
  linkBy: LinkBy;
  onSlackDelete: OnSlackDelete;
  /** The account's address in the file service. */
  accountUrl: string;
  /** Whether files wait for the service. */
  isBusy(): boolean;
}

/** Registers with Bolt what a surface does at an event, a press, a form or a shortcut. */
export type Listen = (app: App, context: SurfaceContext) => void;

/** Who reads the help, and where. */
export interface HelpReader {
  /** Whether they may link the conversation. */
  mayLink: boolean;
  /** Whether they may look through the account's folders. */
  mayBrowse: boolean;
  isDirect: boolean;
  hasFolder: boolean;
  /** Whether that is the default folder rather than one of the conversation's own. */
  isDefault: boolean;
}

/** A command, what it does, and who can use it where. Default: everybody, anywhere. */
export type HelpLine = readonly [
  command: string,
  does: string,
  isFor?: (reader: HelpReader) => boolean,
];

import type { Generated, Kysely, Selectable } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import type { PauseReason, ShareOrigin, TransferState } from '../transfers/index.ts';

/** The tables, in camel case; columns are in snake case. All times are epoch milliseconds. */
export interface Tables {
  shares: ShareTable;
  transfers: TransferTable;
  channels: ChannelTable;
  reports: ReportTable;
  readings: ReadingTable;
  runs: RunTable;
  deletions: DeletionTable;
  watches: WatchTable;
}

/** The database, or a transaction in it. */
export type Db = Kysely<Tables>;

/** What makes a row a job: see lease.ts. */
interface Leased {
  /** When it may be claimed; null for what is done or parked. While claimed: when the lease ends. */
  dueAt: number | null;
  leaseToken: string | null;
  /** Claims since it last came on. */
  attempts: Generated<number>;
}

/** What keeps a message in Slack up to date: see notifications.ts. */
interface Notifying extends Leased {
  /** Counts changes, so that one that comes while its message is edited makes it due again. */
  version: Generated<number>;
  /** Failures since the message was last brought up to date. */
  failures: Generated<number>;
  /** The message that is kept up to date. */
  replyTs: string | null;
  /** 1 from before the first post until its answer: after a crash the post is looked for. */
  replyBegun: Generated<number>;
  /** Of what the message says. */
  fingerprint: string | null;
}

export interface ShareTable extends Notifying {
  id: Generated<number>;
  team: string;
  channel: string;
  ts: string;
  threadTs: string | null;
  userId: string | null;
  origin: ShareOrigin;
  /** The report that speaks for what it found of this share: of the rest its own line does; null for none. */
  reportId: number | null;
  /**
   * The folder, as `folderNumber` writes it, that somebody had the message's files put into; empty for the
   * share that the message is by itself.
   */
  savedTo: Generated<string>;
  /** Who had them put there. */
  savedBy: string | null;
  /** The conversation that its line is in; null: the thread of its message. */
  replyChannel: string | null;
  /** The reaction that its message carries. */
  reaction: string | null;
  /** One that is being put there: after a crash it may be there or not. */
  reactionBegun: string | null;
  recordedAt: number;
}

export interface TransferTable extends Leased {
  id: Generated<number>;
  shareId: number;
  queue: string;
  /** Order within the share. */
  position: number;
  slackFileId: string;
  /** A SharedFile as JSON. */
  slackFile: string;
  /** Bytes, as far as Slack has said. */
  slackSize: number | null;
  /** The name it is filed under. */
  name: string;
  userId: string | null;
  state: TransferState;
  /** The state that a refused transfer was refused in. */
  refusedIn: TransferState | null;
  projectId: number | null;
  folderId: number | null;
  attachmentId: number | null;
  /** Bytes that were uploaded. */
  byteSize: number | null;
  /** Our clock when the upload was answered; null before, and for those of a version that did not note it. */
  uploadedAt: number | null;
  /** The service's clock when the upload was answered, or since that a create with an error. */
  serviceTime: number | null;
  /** Creates that were sent and not answered. */
  creates: Generated<number>;
  /** Our clock when the intent to create this attachment was last written; null when never. */
  creatingSince: number | null;
  /**
   * Our clock when the create that was announced last was answered with an error, so that what it did
   * all the same is done; null while it is not answered.
   */
  answeredAt: number | null;
  /** 1: it was refused together with others, and is to be created by itself. */
  alone: Generated<number>;
  /**
   * The greatest record that transfers held in the folder when a create was first announced; 0 for
   * none; null before, and for those announced by a version that did not note it.
   */
  lastRecord: number | null;
  /** Its record in the folder; null also for a filed one whose record could not be told. */
  recordId: number | null;
  /**
   * Where people open it; null where the service did not say, and for those of a version that did
   * not note it.
   */
  recordUrl: string | null;
  /** Who made its record, as the service says; null as above. */
  recordCreator: number | null;
  deletedBy: string | null;
  /** When its sharer was asked whether its record is to go as well, as it was deleted in Slack. */
  askedAt: number | null;
  /** Failures since the last step that went well: the other attempts were ended by crashes. */
  failures: Generated<number>;
  failingSince: number | null;
  /** When it last paused its channel's link: see paused-links.ts; null for never. */
  pausedAt: number | null;
  problem: ErrorCode | null;
  problemNote: string | null;
  recordedAt: number;
  settledAt: number | null;
}

export interface ChannelTable {
  team: string;
  channel: string;
  projectId: number | null;
  folderId: number | null;
  projectTitle: string | null;
  folderName: string | null;
  linkedBy: string | null;
  linkedAt: number | null;
  /** Since when its folder takes no files: see paused-links.ts; null while it does. */
  pausedAt: number | null;
  pausedFor: PauseReason | null;
  /** When somebody was told of the pause; null while nobody was. */
  pauseToldAt: number | null;
  /** History up to this message is in the ledger. */
  confirmedTs: string | null;
  /** When the bot last joined it, as an event told; null while none did. */
  joinedTs: string | null;
}

export interface ReportTable extends Notifying {
  id: Generated<number>;
  team: string;
  channel: string;
  /** `added`: what others added to the channel's folder, which no share speaks of: see watches.ts. */
  kind: 'catch-up' | 'backfill' | 'added';
  startedBy: string | null;
  startedAt: number;
  /** 1 when it ended before its end: somebody pressed Stop, or its history could not be read. */
  stopped: Generated<number>;
  /** What was added, as JSON; null for other kinds. */
  added: string | null;
}

/** A channel's history that is to be read: see readings.ts. */
export interface ReadingTable extends Leased {
  id: Generated<number>;
  team: string;
  channel: string;
  /** The report of the backfill that it is for; null for a catch-up, of which each channel has one. */
  reportId: number | null;
  /** Where a catch-up begins in a channel of which nothing is confirmed; null for a backfill. */
  since: string | null;
  /** When the catch-up was last asked for, by our clock; null for a backfill. */
  neededAt: number | null;
  /** A backfill has read the history after this message; null while it has read none. */
  readTo: string | null;
  /** Failures since a page was last read. */
  failures: Generated<number>;
  /** What the last of them was: Slack's word for its refusal, else an ErrorCode; null for none. */
  problem: string | null;
}

/** A file or message that was deleted in Slack, and that is to be seen to: see deletions.ts. */
export interface DeletionTable extends Leased {
  id: Generated<number>;
  team: string;
  /** The file's identifier, or the message's channel and timestamp: see fileKey and messageKey. */
  what: string;
  /** Our clock when Slack told of it. */
  deletedAt: number;
}

/** A channel that is told what others add to its folder: see watches.ts. */
export interface WatchTable extends Leased {
  id: Generated<number>;
  team: string;
  channel: string;
  /** What lists of the folder have shown: see SeenUpTo. Null while it was not looked into. */
  lastRecord: number | null;
  lastCreatedAt: number | null;
  /** The report that told of it last; null for none. */
  reportId: number | null;
  /** Looks in a row that failed. */
  failures: Generated<number>;
}

/** One row: when a process last had the ledger, and how far all channels are read. */
export interface RunTable {
  id: number;
  startedAt: number;
  /** Null while it runs, and after a crash. */
  endedAt: number | null;
  /**
   * Up to where all channels were caught up, or are due to be, when they were last
   * listed: see requestCatchUp.
   */
  awaySince: string | null;
  /** When somebody was notified that the service does not accept the key; null while it does. */
  keyNoticeAt: number | null;
  /** The scopes that Slack had not granted at the last start; null when that was never noted. */
  missingScopes: string | null;
  /** When a request was last sent for what others add to folders: all instances take turns. */
  announceRequestAt: number | null;
  /** Written to see whether it can be. */
  ballast: string | null;
}

export type ShareRow = Selectable<ShareTable>;
export type TransferRow = Selectable<TransferTable>;
export type ReportRow = Selectable<ReportTable>;
export type ReadingRow = Selectable<ReadingTable>;
export type DeletionRow = Selectable<DeletionTable>;
export type WatchRow = Selectable<WatchTable>;

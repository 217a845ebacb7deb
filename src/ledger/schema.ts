import type { Generated, Kysely, Dialect as KyselyDialect, Selectable } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import type {
  Destination,
  KnownFolder,
  KnownRecord,
  ShareOrigin,
  TransferState,
} from '../core/index.ts';

/**
 * The tables: entities say what is, jobs what is to be done. Names are camel case here, snake case in
 * SQL. All times are epoch milliseconds.
 */
export interface Tables {
  jobs: JobTable;
  holds: HoldTable;
  shares: ShareTable;
  transfers: TransferTable;
  channels: ChannelTable;
  reports: ReportTable;
  messages: MessageTable;
  runs: RunTable;
  deletions: DeletionTable;
  requests: RequestTable;
  folders: FolderTable;
  records: RecordTable;
  sender: SenderTable;
}

/** The database, or a transaction in it. */
export type Db = Kysely<Tables>;

/** What differs between the databases. */
export interface Dialect {
  name: 'sqlite' | 'postgres';
  kysely: KyselyDialect;
  /** Type and constraints of a generated key, as SQL. */
  id: string;
  /**
   * Whether only this process uses it, over one connection: leases left by a crash end at the
   * start, and calls share commits, which would otherwise wait for the disk one after another.
   */
  embedded: boolean;
  /** Sets whether later commits wait until they are on disk; by default they do. */
  awaitDisk?: (awaits: boolean) => void;
}

/**
 * What is to be done, and the key by which it is known:
 *
 * - `upload`: a transfer, by its identifier.
 * - `folder`: a destination, as `folderNumber` writes it. Its transfers are created, or looked for.
 * - `message`: a message of ours in Slack, by its kind and what it is about: see messages.ts.
 * - `catch-up`, `watch`: a channel, as `queueOf` writes it: see catch-ups.ts and watches.ts.
 * - `backfill`, `deletion`: a report or a deletion, by its identifier: see backfills.ts and deletions.ts.
 * - `hold`: the probe of a hold, by its scope.
 */
export type JobKind =
  | 'upload'
  | 'folder'
  | 'message'
  | 'catch-up'
  | 'backfill'
  | 'deletion'
  | 'watch'
  | 'hold';

/** Something to be done: see jobs.ts. */
interface JobTable {
  kind: JobKind;
  key: string;
  /** The destination that it needs, as `folderNumber` writes it; null for none. */
  scope: string | null;
  /** Jobs of different queues take turns. */
  queue: string;
  /** When it may be claimed; while it is claimed: when the lease ends; null under a hold. */
  dueAt: number | null;
  leaseToken: string | null;
  /** Claims since it last made progress. */
  attempts: Generated<number>;
  /**
   * Set while it is claimed, when it was enqueued meanwhile, and under a hold: when it is due again.
   */
  againAt: number | null;
}

/** What files wait for until somebody mends it: see holds.ts. */
interface HoldTable {
  /** KEY, SLACK_FILES, or a folder, as `folderNumber` writes it. */
  scope: string;
  reason: ErrorCode;
  since: number;
  /** Who was notified of it, each with a space before and after. */
  told: Generated<string>;
}

/** A message of ours in Slack that is kept up to date: see messages.ts. */
interface MessageTable {
  kind: 'share' | 'report';
  /** The identifier of the share or report. */
  about: number;
  /** The conversation that it went to instead of its place; null for that. */
  channel: string | null;
  /** Its timestamp; null before it is posted. */
  ts: string | null;
  /** 1 once the first post is about to be sent: while `ts` is null, it is looked for. */
  begun: Generated<number>;
  /** Fingerprint of its content; null when the content is unknown. */
  fingerprint: string | null;
  /** The reaction of ours on the message that it is about. */
  reaction: string | null;
  /** A reaction whose request was begun: after a crash it may or may not be there. */
  reactionBegun: string | null;
}

interface ShareTable {
  id: Generated<number>;
  team: string;
  channel: string;
  ts: string;
  threadTs: string | null;
  userId: string | null;
  origin: ShareOrigin;
  /** The report that covers the files it found; the share's own line covers the rest. */
  reportId: number | null;
  /** The folder that somebody saved the files to, as `folderNumber` writes it; else empty. */
  savedTo: Generated<string>;
  /** Who saved them; null for the message's own share. */
  savedBy: string | null;
  recordedAt: number;
}

interface TransferTable {
  id: Generated<number>;
  shareId: number;
  /** The message that shared the file, as `messageRef` writes it. */
  message: string;
  /** 1 if it puts the file where its channel's files go; 0 if somebody saved it by hand. */
  own: number;
  queue: string;
  /** Order within the share. */
  position: number;
  slackFileId: string;
  /** A SharedFile as JSON. */
  slackFile: string;
  /** Bytes; null while Slack has not stated the size. */
  slackSize: number | null;
  /** The name it is filed under. */
  name: string;
  userId: string | null;
  state: TransferState;
  /** The state in which the transfer was refused; null when it is not refused. */
  refusedIn: TransferState | null;
  /**
   * 1 if somebody left it in Slack: it is parked, or refused if it may be in its folder. 0 if it is parked
   * for want of a folder.
   */
  leftInSlack: Generated<number>;
  projectId: number | null;
  folderId: number | null;
  attachmentId: number | null;
  /** Bytes that were uploaded. */
  byteSize: number | null;
  /** Our clock at the upload's response; null before. */
  uploadedAt: number | null;
  /**
   * The service's clock at the upload's response, at the last intent to create or at the response
   * to it, whichever came last and is known; null if none is.
   */
  serviceTime: number | null;
  /** Create requests sent without an error response. */
  creates: Generated<number>;
  /** Our clock when the intent to create this attachment was last written; null when never. */
  creatingSince: number | null;
  /** Our clock at the last create's error response: what it did is done by then. Null before. */
  answeredAt: number | null;
  /** 1 after its batch was refused, or got no response twice: it is then created on its own. */
  alone: Generated<number>;
  /**
   * The greatest record that transfers held in the folder when its first create was announced; 0
   * for none; null before that.
   */
  lastRecord: number | null;
  /** Its record in the folder; null also for a filed transfer whose record is unknown. */
  recordId: number | null;
  /** The name that the service gave its record in the create's response; null if that held none. */
  recordName: string | null;
  /** Where people open it; null if the service did not say. */
  recordUrl: string | null;
  /** The service's user who created its record; null as for `recordUrl`. */
  recordCreator: number | null;
  deletedBy: string | null;
  /** When its record was marked as deleted; while it is filed, when somebody last tried that. */
  deletedAt: number | null;
  /** When its sharer was asked whether to delete the record, after the file's deletion in Slack. */
  askedAt: number | null;
  /** Failures since the last step that succeeded; one when somebody has it tried again. */
  failures: Generated<number>;
  failingSince: number | null;
  /** Before when it is not tried again; null for no wait. */
  nextTryAt: number | null;
  /** When it last met what opens a hold, or keeps it: see holds.ts; null for never. */
  heldAt: number | null;
  problem: ErrorCode | null;
  problemNote: string | null;
  /**
   * Whether its folder is asked for a record of it before it is sent, as the ledger may have
   * forgotten that it was filed: `look`, or `marked` if its message bears our FILED_MARK; null for no.
   */
  earlier: 'look' | 'marked' | null;
  recordedAt: number;
}

interface ChannelTable {
  team: string;
  channel: string;
  projectId: number | null;
  folderId: number | null;
  projectTitle: string | null;
  folderName: string | null;
  /** The folder's address, as somebody pasted it; null if nobody did. */
  url: string | null;
  linkedBy: string | null;
  linkedAt: number | null;
  /** 1 if each share also gets a line in its thread; 0: only one that needs somebody. */
  lines: Generated<number>;
  /** 1 if it is notified of files that others add to its folder: see watches.ts. */
  announces: Generated<number>;
  /** The number of its folder's last write that was looked at for that; null before the first look. */
  addedSeen: number | null;
  /** The report that last announced added files, kept until the next; null for none. */
  addedReportId: number | null;
  /** The bookmark of the folder in the channel's header; null for none. */
  bookmarkId: string | null;
  /** The ledger holds the channel's history, without its threads, up to this message. */
  confirmedTs: string | null;
  /** The ledger holds the channel's threads up to this message. */
  threadsTs: string | null;
  /**
   * Whether its catch-up is to read more than the newest page: `next`, or `later`, after the newest
   * page; null for no.
   */
  restDue: 'later' | 'next' | null;
  /**
   * The message after which its catch-up starts while none is confirmed; null if none was requested.
   */
  catchUpSince: string | null;
  /** When the bot last joined it, as Slack's event says; null without such an event. */
  joinedTs: string | null;
}

interface ReportTable {
  id: Generated<number>;
  team: string;
  channel: string;
  /** `added`: files that others added to the channel's folder, in no share: see watches.ts. */
  kind: 'catch-up' | 'backfill' | 'added';
  startedBy: string | null;
  startedAt: number;
  /** 1 when it ended early: somebody pressed Stop, or its history could not be read. */
  stopped: Generated<number>;
  /** An AddedFiles as JSON; null for other kinds. */
  added: string | null;
  /**
   * 1 while a backfill reads the channel's history, 0 once it has read all, or was given up; null for
   * a report of files that were found otherwise.
   */
  reading: number | null;
  /** The backfill has read the history after this message; null while it has read none. */
  readTo: string | null;
  /** Its last failure to read: Slack's error code for its refusal, else an ErrorCode; null for none. */
  problem: string | null;
}

/** A file or message that was deleted in Slack: see deletions.ts. */
interface DeletionTable {
  id: Generated<number>;
  team: string;
  /** The file's identifier, or the message's channel and timestamp: see fileKey and messageKey. */
  what: string;
  /** Our clock when Slack reported it. */
  deletedAt: number;
}

/** One row: when a process last used the ledger, and how far all channels have been read. */
interface RunTable {
  id: number;
  startedAt: number;
  /** Null while it runs, and after a crash. */
  endedAt: number | null;
  /**
   * All channels are caught up to this timestamp, or are due to be, since they were last listed:
   * see requestCatchUp.
   */
  awaySince: string | null;
  /** The scopes that Slack had not granted at the last start; null for none, or never noted. */
  missingScopes: string | null;
  /** When any instance last sent a request for a watch: the instances share this rate. */
  announceRequestAt: number | null;
  /** Written to test whether the database accepts writes. */
  ballast: string | null;
}

/** A command, press or form of Slack's that was acted upon: see requests.ts. */
interface RequestTable {
  /** The hash of its signature. */
  signature: string;
  sentAt: number;
}

/** A folder whose lists were read: see mirror.ts, and KnownFolder for what the columns say. */
interface FolderTable
  extends Destination,
    Pick<KnownFolder, 'listOrder' | 'readAt' | 'completeAt' | 'serviceTime'> {
  id: Generated<number>;
  counter: Generated<number>;
  written: Generated<number>;
  paged: Generated<number>;
  highest: Generated<number>;
  unreadable: Generated<number>;
  /** Our clock when its last reading began. */
  usedAt: number;
}

/** A file record as the lists of its folder have shown it. */
export interface RecordTable extends Omit<KnownRecord, 'id' | 'createdAt'> {
  folder: number;
  /** The service's identifier. */
  number: number;
  /** The name as searches compare it: see searchText. */
  folded: string;
  /** 0 if the service does not state it. */
  createdAt: number;
}

/** One row: which process may send requests to the service, where several share a database. */
interface SenderTable {
  id: number;
  /** The holder of the lease; null for none. */
  process: string | null;
  /** When the lease ends, or was given up, by the database's clock; null before the first. */
  leaseUntil: number | null;
  /** When the holders before can last have sent; null if there was none. */
  sentUntil: number | null;
  /** The process that asks for the lease; null for none. */
  askedBy: string | null;
}

export type ChannelRow = Selectable<ChannelTable>;
export type JobRow = Selectable<JobTable>;
export type JobKey = Pick<JobRow, 'kind' | 'key'>;
export type ShareRow = Selectable<ShareTable>;
export type TransferRow = Selectable<TransferTable>;
export type MessageRow = Selectable<MessageTable>;
export type ReportRow = Selectable<ReportTable>;
export type DeletionRow = Selectable<DeletionTable>;
